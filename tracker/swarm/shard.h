// One shard of the store: some of the torrents, behind one lock.

#ifndef SEPTET_TRACKER_SWARM_SHARD_H_
#define SEPTET_TRACKER_SWARM_SHARD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tracker/endpoint.h"
#include "tracker/swarm/block_arena.h"
#include "tracker/swarm/hash_slice.h"
#include "tracker/swarm/imported_part.h"
#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/memory_budget.h"
#include "tracker/swarm/region.h"
#include "tracker/swarm/shard_lock.h"
#include "tracker/swarm/shard_memory.h"
#include "tracker/swarm/torrent.h"
#include "tracker/swarm/torrent_table.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Thread-safe. `hash` in its members is KeyedHash::OfInfoHash, whose lower half places
// the torrent here.
class Shard final : private BlockMover {
 public:
  Shard() = default;
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // `reserve_bytes`: addresses for each of kRegions regions, which is the most memory that
  // each can take. False if the system refuses them. `hash` and `budget` must outlive it.
  bool Init(const KeyedHash* hash, MemoryBudget* budget, size_t reserve_bytes,
            uint32_t retention_ticks);

  static constexpr size_t kRegions = kBlockClasses + TorrentTable::kRegions;

  AnnounceResult Announce(const AnnounceRequest& request, uint32_t hash, Tick tick, Random& random,
                          const PeerOutput& out);
  SwarmCounts Scrape(const InfoHash& info_hash, uint32_t hash) const;
  void Prefetch(uint32_t hash) const { table_.Prefetch(hash); }

  // Goes on with the pass for `tick`, at most about *budget peers looked at, which is
  // counted down. True when a pass that began at `tick` is done.
  bool Sweep(Tick tick, uint32_t* budget);

  // SwarmStore::ListTorrents, of this shard: from the hash *next_hash on.
  bool ListTorrents(uint64_t* next_hash, uint32_t torrents_max,
                    std::vector<ListedTorrent>* torrents) const;

  // SwarmStore::Export, of this shard.
  bool Export(SwarmExport* at, Tick tick, uint32_t peers_max, SwarmBatch* batch);

  // SwarmStore::Import, of one part of a torrent.
  void Import(const ImportedPart& part, uint32_t hash, Tick tick, ImportResult* result);

  void AddUsageTo(StoreUsage* usage) const;

 private:
  // Where a pass that was interrupted goes on.
  struct SweepCursor {
    bool running = false;
    bool paused = false;  // at `place` in the torrent of info_hash
    Tick tick = 0;        // when the pass began
    uint32_t hash = 0;
    InfoHash info_hash{};
    TorrentSweepPlace place;
  };

  void BlockMoved(BlockRef from, BlockRef to) override;

  TorrentSlot* List(const AnnounceRequest& request, uint32_t hash, TorrentSlot* slot,
                    Torrent::Listed* self, AnnounceResult* result);
  TorrentSlot* Unlist(const AnnounceRequest& request, uint32_t hash, TorrentSlot* slot);
  bool IsForgotten(const TorrentSlot& slot) const;

  void ExportRange(SwarmExport* at, uint64_t cost_max, uint64_t* cost, SwarmBatch* batch);
  uint32_t ExportTorrent(const TorrentSlot& slot, uint32_t hash, SwarmExport* at,
                         SwarmBatch* batch);
  void ExportPart(const TorrentSlot& slot, uint32_t hash, HashSlice slice, Tick begin,
                  SwarmBatch* batch);
  void ExportLargePart(SwarmExport* at, SwarmBatch* batch);
  SwarmCounts CountsOf(TorrentSlot* slot) const;
  uint32_t ImportPeers(absl::Span<const uint8_t> peers, Family family, const ImportedPart& part,
                       TorrentSlot* slot, uint32_t hash, ImportResult* result);

  void SetTick(Tick tick);
  TorrentSlot* ResumeSweep();
  void PauseSweep(const TorrentSlot& slot);
  bool SweepPass(uint32_t* budget);

  mutable ShardLock lock_;
  Reservation reservation_;  // before, and so longer than, what lies in it
  TorrentTable table_;
  ShardMemory memory_;
  SweepCursor cursor_;
  uint32_t retention_ticks_ = 0;
  Tick latest_tick_ = 0;  // seen
  Tick swept_tick_ = 0;   // at which the last completed pass began
  uint64_t not_stored_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_SHARD_H_
