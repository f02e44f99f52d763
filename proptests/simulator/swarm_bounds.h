// What may be in a swarm store, as far as somebody can tell who knows what it was asked: the
// naive store (proptests/naive_store.h) for a world in which not everything is known.
//
// When a peer that is over its timeout goes depends on when a sweep comes by; after a restart its
// age is known to a tick; without memory it may not be listed. So there is a least and a most of
// everything here, and the truth has to lie between. Where nothing is in doubt they are the same.

#ifndef SEPTET_PROPTESTS_SIMULATOR_SWARM_BOUNDS_H_
#define SEPTET_PROPTESTS_SIMULATOR_SWARM_BOUNDS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "tracker/swarm_store.h"

namespace septet::simulator {

template <typename T>
struct Bounds {
  T least{};
  T most{};
  bool Contain(T value) const { return least <= value && value <= most; }
};

struct CountBounds {
  Bounds<uint32_t> complete;
  Bounds<uint32_t> incomplete;
  Bounds<uint32_t> downloaded;
};

// What is wrong with the counts, in words, or "".
std::string CountsFault(const CountBounds& bounds, const tracker::SwarmCounts& counts);

// A value: a copy is what the store was at a moment.
//
// Times are of any clock that goes on while the store does not, in milliseconds.
class SwarmBounds {
 public:
  // `tick_ms`: of the store (SwarmStore::tick_ms).
  SwarmBounds(const tracker::StoreOptions& options, int64_t tick_ms);

  // What was announced at `now_ms`, the latest time so far. `stored`: false if the store said that
  // it had no memory for the peer.
  void Announce(const tracker::AnnounceRequest& request, bool stored, int64_t now_ms);

  // Store::Sweep said that it was done with what belongs to `now_ms`.
  void SweepIsDone(int64_t now_ms);

  // The store was replaced at `now_ms` by one that read what this one was: its ages are those of
  // then and `elapsed_ms`, to a tick. `then_ms`: when it was written. `some_missing`: not all
  // was stored.
  void Restored(int64_t then_ms, int64_t elapsed_ms, bool some_missing, int64_t now_ms);

  // --- What may be there ------------------------------------------------------------------

  CountBounds Counts(const tracker::InfoHash& info_hash, int64_t now_ms) const;

  // Others than the asker that it may be told of, in the families asked for: how many at least, and
  // whether a peer, in compact form, may be one of them.
  struct Families {
    bool ipv4 = false;
    bool ipv6 = false;
  };
  uint32_t OthersLeast(const tracker::AnnounceRequest& request, Families families,
                       int64_t now_ms) const;
  bool MayBeTold(const tracker::AnnounceRequest& request, absl::string_view peer,
                 int64_t now_ms) const;

  Bounds<uint64_t> Peers(tracker::Family family, int64_t now_ms) const;
  uint64_t TorrentsMost() const { return torrents_.size(); }

 private:
  enum class Presence : uint8_t { kGone, kDoubtful, kSure };
  enum class Counted : uint8_t { kNo, kDoubtful, kYes };

  struct Peer {
    bool may_be_seeder = false;
    bool may_be_other = false;  // leecher or partial seed
    Counted counted = Counted::kNo;
    bool may_be_missing = false;
    int64_t oldest_ms = 0;  // when it last announced: then or later
    int64_t newest_ms = 0;  // then or earlier
  };
  struct Torrent {
    std::map<std::string, Peer> peers;
    Bounds<uint32_t> downloaded;
    // The latest moment at which it surely had a peer, and at which it perhaps had one.
    int64_t sure_until_ms = std::numeric_limits<int64_t>::min() / 4;
    int64_t perhaps_until_ms = std::numeric_limits<int64_t>::min() / 4;
  };

  Presence PresenceOf(const Peer& peer, int64_t now_ms) const;
  bool MayBeForgotten(const Torrent& torrent, int64_t now_ms) const;
  // Brings a torrent to `now_ms`. False: it is surely not known any more.
  bool Refresh(Torrent* torrent, int64_t now_ms) const;
  void List(const tracker::AnnounceRequest& request, bool stored, int64_t now_ms);
  void Unlist(const tracker::AnnounceRequest& request, int64_t now_ms);

  int64_t timeout_ms_;
  int64_t retention_ms_;
  int64_t tick_ms_;
  int64_t swept_ms_ = std::numeric_limits<int64_t>::min() / 4;
  int64_t refreshed_ms_ = 0;
  std::map<tracker::InfoHash, Torrent> torrents_;
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_SWARM_BOUNDS_H_
