// The swarm store: which peers are in which swarm, in few bytes and in bounded time.
//
// For each torrent it knows its peers by address and port, by family, their role,
// when each last announced (to a tick), and how often a download was completed. It
// does no I/O, has no clock and no global: time and randomness are arguments.
//
// Thread-safe: any number of threads may call any member at once. Torrents are
// spread over shards by a keyed hash of their info-hash; a call holds the lock of one
// shard, for a bounded time.

#ifndef SEPTET_TRACKER_SWARM_STORE_H_
#define SEPTET_TRACKER_SWARM_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"

namespace septet::tracker {

using InfoHash = std::array<uint8_t, 20>;

enum class Role : uint8_t {
  kLeecher,
  kPartialSeed,  // BEP 21: has what it wants, not all; counted as incomplete
  kSeeder,
};

enum class Event : uint8_t { kNone, kStarted, kStopped, kCompleted };

struct AnnounceRequest {
  InfoHash info_hash{};
  // Where the peer listens. Port 0: it is answered but neither listed nor counted.
  Endpoint peer;
  Role role = Role::kLeecher;
  Event event = Event::kNone;
  // Peers wanted in all; a stopped peer gets none whatever this says.
  uint32_t numwant = 0;
};

// Where the chosen peers go, in compact form. The room in each says how many of a
// family are wanted at most; an empty span means none of that family.
struct PeerOutput {
  absl::Span<uint8_t> ipv4;  // 6 bytes a peer
  absl::Span<uint8_t> ipv6;  // 18 bytes a peer
};

struct SwarmCounts {
  uint32_t complete = 0;    // seeders
  uint32_t incomplete = 0;  // leechers and partial seeds
  uint32_t downloaded = 0;  // peers that completed while listed; saturates

  friend bool operator==(const SwarmCounts&, const SwarmCounts&) = default;
};

struct AnnounceResult {
  SwarmCounts counts;  // after this announce
  uint32_t ipv4_peers = 0;
  uint32_t ipv6_peers = 0;
  bool has_ipv6 = false;  // the swarm has IPv6 peers
  // False when the peer should be listed but is not, for want of memory.
  bool stored = true;
};

// What the store holds, by kind. Bytes are what it took from the allocator.
struct StoreUsage {
  uint64_t torrents = 0;  // with peers, or remembered for their downloads
  uint64_t ipv4_peers = 0;
  uint64_t ipv6_peers = 0;
  uint64_t bytes_total = 0;        // the sum of those below
  uint64_t bytes_slots = 0;        // of torrents: hash, counts, one peer
  uint64_t bytes_peers = 0;        // peers that do not lie in a slot
  uint64_t bytes_directories = 0;  // what finds the parts of a large swarm, and slots
  uint64_t bytes_slack = 0;        // taken but not in use
  uint64_t bytes_fixed = 0;        // of the shards themselves
  // Announces, since the store was made, whose peer could not be listed for want of memory.
  uint64_t not_stored = 0;
};

struct StoreOptions {
  // A peer that has not announced for longer is removed. 1 s to 7 days.
  int64_t peer_timeout_ms = 65 * 60 * 1000;
  // How long a torrent without peers keeps its `downloaded` count.
  int64_t downloaded_retention_ms = int64_t{24} * 60 * 60 * 1000;
  // Cap on StoreUsage::bytes_total; 0: none, otherwise at least
  // SwarmStore::MinBytesMax(shards).
  uint64_t bytes_max = 0;
  // A power of two, 1 to 4096. More shards: less contention, more slack.
  uint32_t shards = 8;
  // Secret: an outsider who knows it can choose info-hashes and addresses that
  // collide.
  std::array<uint64_t, 2> hash_key{};
};

// Torrents and peers on their way out of a store or into one: see SwarmStore::Export and
// Import. //tracker/snapshot gives them a form for a disk.
struct SwarmBatch {
  struct Torrent {
    InfoHash info_hash{};
    uint32_t downloaded = 0;
    uint32_t ticks_empty = 0;  // of a torrent without peers: for how long it has had none
    uint32_t ipv4_peers = 0;
    uint32_t ipv6_peers = 0;
  };

  // A peer: its compact form, and a byte that says in bits 0-1 what it is (0 leecher, 1 partial
  // seed, 2 seeder, 3 seeder whose download was counted), in bits 2-7 its age in ticks.
  static constexpr size_t kIpv4Bytes = kCompactIpv4Bytes + 1;
  static constexpr size_t kIpv6Bytes = kCompactIpv6Bytes + 1;

  // A torrent may come in several parts, each with some of its peers.
  std::vector<Torrent> torrents;
  std::vector<uint8_t> ipv4;  // the peers of all torrents, in the order of `torrents`
  std::vector<uint8_t> ipv6;

  void Clear() {
    torrents.clear();
    ipv4.clear();
    ipv6.clear();
  }
};

// What the ages of an export mean: n ticks are newest_us + n * tick_us, to half a tick, at the
// moment when the export began.
struct SwarmAges {
  int64_t tick_us = 1;
  int64_t newest_us = 0;  // -tick_us to tick_us

  friend bool operator==(const SwarmAges&, const SwarmAges&) = default;
};

// How far an export has come. Made by SwarmStore::BeginExport.
class SwarmExport {
 public:
  SwarmAges ages() const { return ages_; }

 private:
  friend class SwarmStore;
  friend class Shard;

  // A torrent of so many peers that it leaves in 2^bits parts, by the hash of its peers.
  struct Large {
    InfoHash info_hash;
    uint32_t hash;
    uint32_t bits;
    uint32_t next_part;
  };

  SwarmAges ages_;
  uint64_t begin_tick_ = 0;
  size_t shard_ = 0;
  // Within the shard: 2^range_bits_ ranges of hashes, of which those before range_ have left, and
  // of range_ what comes before next_hash_; but for `large_`.
  bool shard_has_begun_ = false;
  uint32_t range_bits_ = 0;
  uint32_t range_ = 0;
  uint64_t next_hash_ = 0;
  std::vector<Large> large_;
};

// How far a listing has come; a new one begins.
class TorrentCursor {
 private:
  friend class SwarmStore;

  size_t shard_ = 0;
  uint64_t next_hash_ = 0;  // within the shard: what comes before it is listed
};

struct ListedTorrent {
  InfoHash info_hash;
  SwarmCounts counts;
};

// What became of the peers of an import.
struct ImportResult {
  uint64_t peers = 0;       // listed
  uint64_t expired = 0;     // over the timeout by now
  uint64_t not_stored = 0;  // for want of memory
};

class SwarmStore {
 public:
  // The options must be in range. Throws std::bad_alloc if the system refuses the
  // addresses, or the cap is below MinBytesMax.
  explicit SwarmStore(const StoreOptions& options);
  ~SwarmStore();
  SwarmStore(const SwarmStore&) = delete;
  SwarmStore& operator=(const SwarmStore&) = delete;

  // Lists, refreshes or removes the peer and chooses others for it: each peer of the
  // swarm but the asker has the same chance, but a seeder gets no seeders. With room
  // for both families the two share `numwant` by their sizes. `now_ms` is a time that
  // never goes back (an earlier one counts as the latest seen).
  AnnounceResult Announce(const AnnounceRequest& request, int64_t now_ms, Random& random,
                          const PeerOutput& out);

  // Zeros for a torrent that is not known.
  SwarmCounts Scrape(const InfoHash& info_hash) const;

  // Starts loading what Announce or Scrape of this torrent will read. Call it for a
  // batch of requests before serving the first.
  void Prefetch(const InfoHash& info_hash) const;

  // Removes peers that are over the timeout and torrents over their retention, at
  // most about `peers_max` peers looked at in a call. Returns true when the pass over
  // the whole store that belongs to `now_ms` is done: there is nothing to do until
  // the next tick. Call it often with a small bound rather than seldom with a large.
  bool Sweep(int64_t now_ms, uint32_t peers_max);

  // Appends about `torrents_max` torrents that follow `*at`, with their counts, in an order that
  // means nothing, and moves `*at` on. False when there is nothing left. What is there from the
  // first call to the last is listed once, what comes or goes meanwhile once or never. Other
  // threads go on; cost: the lock of one shard, for each torrent about 100 ns of it.
  bool ListTorrents(TorrentCursor* at, uint32_t torrents_max,
                    std::vector<ListedTorrent>* torrents) const;

  // --- Snapshots -----------------------------------------------------------------

  // All that the store holds leaves it by calls of Export, while other threads go on. Each torrent
  // of up to kExportedWholeMax peers is as it was at one moment, with its counts, and so is each
  // part of a larger one; each part holds other peers. What is there from BeginExport to the end
  // leaves once; what comes or goes meanwhile may be in it or not.
  static constexpr uint32_t kExportedWholeMax = 16'384;
  SwarmExport BeginExport(int64_t now_ms) const;

  // Appends about `peers_max` torrents and peers to `batch`, or one part of up to
  // kExportedWholeMax peers (more only if its swarm grew meanwhile). False when there is nothing
  // left. Cost: the lock of one shard for tens of microseconds at a few thousand peers.
  bool Export(SwarmExport* at, int64_t now_ms, uint32_t peers_max, SwarmBatch* batch);

  // Adds what another store exported `elapsed_ms` (at least 0) ago. A peer that is there already
  // becomes that of the batch, a count of downloads the greater of the two. Who is over the timeout
  // is left out, and so is what does not fit the cap. The numbers in `batch` must agree, its ports
  // be other than 0, its ages have come from an export or be in their range. Cost: that of an
  // announce for each peer; the lock of a shard is held for at most kImportedAtOnce of them.
  static constexpr uint32_t kImportedAtOnce = 1024;
  ImportResult Import(const SwarmBatch& batch, const SwarmAges& ages, int64_t elapsed_ms,
                      int64_t now_ms);

  // --------------------------------------------------------------------------------

  // The least useful cap: what an empty store takes, and the reserve that lets a full one
  // get smaller.
  static uint64_t MinBytesMax(uint32_t shards);

  // The length of a tick, rounded up: the store knows the age of a peer to one tick, and a peer
  // over the timeout is gone at most one tick later if Sweep keeps up.
  int64_t tick_ms() const;

  // Exact at a moment when no other thread writes. Cost: one lock for each shard.
  StoreUsage Usage() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_STORE_H_
