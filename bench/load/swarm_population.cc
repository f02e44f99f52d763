#include "bench/load/swarm_population.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace septet::bench {
namespace {

constexpr uint32_t kFirstPort = 1024;
constexpr uint32_t kPorts = 65536 - kFirstPort;

// Where the row of IPv6 and IPv4 peers of a torrent begins, so that torrents of one peer are
// not all of one family.
uint32_t FamilyOffset(uint32_t torrent) { return torrent * 37u % 100u; }

}  // namespace

SwarmPopulation SwarmPopulation::Uniform(uint32_t torrents, uint32_t peers, const PeerMix& mix) {
  std::vector<uint64_t> ends(torrents);
  for (uint32_t i = 0; i < torrents; ++i) ends[i] = (uint64_t{i} + 1) * peers;
  return SwarmPopulation(std::move(ends), mix);
}

SwarmPopulation SwarmPopulation::PowerLaw(uint32_t torrents, uint32_t largest, const PeerMix& mix) {
  // The torrent in the middle is the first whose size falls below two.
  const double exponent = std::log(largest / 2.0) / std::log(torrents / 2.0);
  std::vector<uint64_t> ends(torrents);
  uint64_t end = 0;
  for (uint32_t i = 0; i < torrents; ++i) {
    // A rounding must not give the middle one a second peer.
    const bool is_single = i >= torrents / 2;
    const double size = is_single ? 1 : std::floor(largest / std::pow(i + 1.0, exponent) + 1e-6);
    end += std::max<uint64_t>(1, static_cast<uint64_t>(size));
    ends[i] = end;
  }
  return SwarmPopulation(std::move(ends), mix);
}

bool SwarmPopulation::FitsPorts() const {
  const uint64_t largest = peers_of(0);
  const uint64_t ipv6_rows = largest / 100 + 2;
  return largest <= uint64_t{kPorts} * mix_.sources && ipv6_rows * mix_.ipv6_percent <= kPorts;
}

PeerOfTorrent SwarmPopulation::Draw(tracker::Random& random) const {
  const uint64_t peer = (random.Next() >> 1) % all_peers();
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), peer);
  const auto torrent = static_cast<uint32_t>(end - ends_.begin());
  return {torrent, static_cast<uint32_t>(peer - BeginOf(torrent))};
}

bool SwarmPopulation::MoveToSource(uint32_t source, PeerOfTorrent* peer) const {
  const uint32_t sources = mix_.sources;
  const uint32_t row = peer->peer - peer->peer % sources;
  const uint32_t in_row = (source + sources - peer->torrent % sources) % sources;
  uint32_t moved = row + in_row;
  if (moved >= peers_of(peer->torrent)) {
    if (moved < sources) return false;
    moved -= sources;
  }
  peer->peer = moved;
  return !PlaceOf(*peer).ipv6;
}

bool SwarmPopulation::IsSeeder(const PeerOfTorrent& peer) const {
  tracker::Random random(uint64_t{peer.torrent} << 32 | peer.peer);
  return random.Below(100) < mix_.seeders_percent;
}

PeerPlace SwarmPopulation::PlaceOf(const PeerOfTorrent& peer) const {
  const uint32_t in_torrent = peer.peer + FamilyOffset(peer.torrent);
  const uint32_t in_row = in_torrent % 100;
  if (in_row < mix_.ipv6_percent) {
    const uint32_t port = kFirstPort + in_torrent / 100 * mix_.ipv6_percent + in_row;
    return {true, 0, static_cast<uint16_t>(port)};
  }
  return {false, (peer.torrent % mix_.sources + peer.peer) % mix_.sources,
          static_cast<uint16_t>(kFirstPort + peer.peer / mix_.sources)};
}

}  // namespace septet::bench
