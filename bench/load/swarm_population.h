// Who announces in a load: so many torrents, each with its peers, every peer with an
// address, a port and a role, the same each time.

#ifndef SEPTET_BENCH_LOAD_SWARM_POPULATION_H_
#define SEPTET_BENCH_LOAD_SWARM_POPULATION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "tracker/random.h"

namespace septet::bench {

// What all peers have in common.
struct PeerMix {
  uint32_t sources = 1;           // IPv4 addresses that peers announce from, 1 to 65,535
  uint32_t seeders_percent = 50;  // 0 to 100
  uint32_t ipv6_percent = 0;      // 0 to 100; all of them at one address, ::1
};

struct PeerOfTorrent {
  uint32_t torrent = 0;
  uint32_t peer = 0;

  friend bool operator==(const PeerOfTorrent&, const PeerOfTorrent&) = default;
};

// Where a peer announces from and listens.
struct PeerPlace {
  bool ipv6 = false;
  uint32_t source = 0;  // below PeerMix::sources; 0 for IPv6
  uint16_t port = 0;

  friend bool operator==(const PeerPlace&, const PeerPlace&) = default;
};

// Immutable. 8 bytes a torrent.
class SwarmPopulation {
 public:
  // `torrents` (at least 1) of `peers` (at least 1) each.
  static SwarmPopulation Uniform(uint32_t torrents, uint32_t peers, const PeerMix& mix);

  // As large trackers see them: sizes follow a power law (Zipf) whose largest swarm has
  // `largest` peers (at least 2), and whose exponent leaves half of the torrents (at least 4)
  // with one. A million torrents with a largest of 100,000 have 5.5 peers in the mean.
  static SwarmPopulation PowerLaw(uint32_t torrents, uint32_t largest, const PeerMix& mix);

  uint32_t torrents() const { return static_cast<uint32_t>(ends_.size()); }
  // At least 1. No torrent is larger than one of a lower number.
  uint32_t peers_of(uint32_t torrent) const {
    return static_cast<uint32_t>(ends_[torrent] - BeginOf(torrent));
  }
  uint64_t all_peers() const { return ends_.back(); }
  const PeerMix& mix() const { return mix_; }

  // Whether there are ports for all: no two peers of a torrent have the same place then.
  bool FitsPorts() const;

  // Every peer with the same chance, as all announce equally often. Logarithmic in the
  // torrents.
  PeerOfTorrent Draw(tracker::Random& random) const;

  // The peer nearest to `peer` in its torrent that announces from `source`, an IPv4
  // address; false: none does.
  bool MoveToSource(uint32_t source, PeerOfTorrent* peer) const;

  bool IsSeeder(const PeerOfTorrent& peer) const;
  PeerPlace PlaceOf(const PeerOfTorrent& peer) const;

 private:
  SwarmPopulation(std::vector<uint64_t> ends, const PeerMix& mix)
      : ends_(std::move(ends)), mix_(mix) {}
  uint64_t BeginOf(uint32_t torrent) const { return torrent == 0 ? 0 : ends_[torrent - 1]; }

  // All peers in one row, torrent by torrent: where those of each torrent end.
  std::vector<uint64_t> ends_;
  PeerMix mix_;
};

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_SWARM_POPULATION_H_
