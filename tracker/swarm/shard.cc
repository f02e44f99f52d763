#include "tracker/swarm/shard.h"

#include <algorithm>
#include <mutex>

namespace septet::tracker {

Shard::~Shard() {
  for (TorrentSlot* slot = table_.First(0); slot != nullptr; slot = table_.Next(slot)) {
    Torrent(slot, 0, &memory_).Destroy();
  }
}

bool Shard::Init(const KeyedHash* hash, MemoryBudget* budget, size_t reserve_bytes,
                 uint32_t retention_ticks) {
  retention_ticks_ = retention_ticks;
  memory_.hash = hash;
  memory_.budget = budget;
  if (!reservation_.Reserve(kRegions, reserve_bytes)) return false;
  memory_.arena.Init(&reservation_, budget, this);
  return table_.Init(hash, &reservation_, budget);
}

void Shard::BlockMoved(BlockRef from, BlockRef to) {
  const uint32_t hash = BlockHash(memory_.arena.block(to));
  table_.VisitHome(
      hash, [&](TorrentSlot* slot) { return Torrent(slot, hash, &memory_).BlockMoved(from, to); });
}

// Whether nothing of the torrent is worth its slot any more.
bool Shard::IsForgotten(const TorrentSlot& slot) const {
  if (slot.kind() != SlotKind::kNoPeers) return false;
  return slot.downloaded() == 0 || slot.TicksEmpty(memory_.tick) > retention_ticks_;
}

// Lists the peer; returns its torrent's slot, null if there is none for want of memory.
TorrentSlot* Shard::List(const AnnounceRequest& request, uint32_t hash, TorrentSlot* slot,
                         Torrent::Listed* self, AnnounceResult* result) {
  if (slot == nullptr) slot = table_.Insert(request.info_hash, hash);
  if (slot == nullptr) {
    result->stored = false;
    return nullptr;
  }
  *self = Torrent(slot, hash, &memory_).Upsert(request.peer, request.role, request.event);
  result->stored = self->found;
  return slot;
}

// Removes the peer; returns its torrent's slot, null if it is no longer kept.
TorrentSlot* Shard::Unlist(const AnnounceRequest& request, uint32_t hash, TorrentSlot* slot) {
  Torrent torrent(slot, hash, &memory_);
  torrent.Remove(request.peer);
  torrent.Settle();
  if (slot->kind() != SlotKind::kNoPeers || slot->downloaded() != 0) return slot;
  table_.Erase(slot);
  return nullptr;
}

AnnounceResult Shard::Announce(const AnnounceRequest& request, uint32_t hash, Tick tick,
                               Random& random, const PeerOutput& out) {
  const std::lock_guard<ShardLock> guard(lock_);
  SetTick(tick);
  AnnounceResult result;
  Torrent::Listed self;
  TorrentSlot* slot = table_.Find(request.info_hash, hash);
  const bool stops = request.event == Event::kStopped;
  const bool may_change = request.peer.port() != 0 && (slot != nullptr || !stops);
  if (may_change) {
    slot = stops ? Unlist(request, hash, slot) : List(request, hash, slot, &self, &result);
    if (!result.stored) ++not_stored_;
  }
  if (slot != nullptr) {
    const Torrent torrent(slot, hash, &memory_);
    const Torrent::Census census = torrent.Count();
    result.counts = {census.seeders(), census.peers() - census.seeders(), slot->downloaded()};
    result.has_ipv6 = census.ipv6 > 0;
    if (!stops && request.numwant > 0) {
      const bool is_seeder =
          self.found ? self.is_seeder
                     : request.role == Role::kSeeder || request.event == Event::kCompleted;
      const auto sampled = torrent.Sample(request.numwant, !is_seeder, self, census, random, out);
      result.ipv4_peers = sampled.ipv4;
      result.ipv6_peers = sampled.ipv6;
    }
    if (slot->kind() == SlotKind::kNoPeers && slot->downloaded() == 0) table_.Erase(slot);
  }
  if (may_change) table_.Step();
  return result;
}

// It only counts, whatever a Torrent could do.
SwarmCounts Shard::CountsOf(TorrentSlot* slot) const {
  const Torrent::Census census = Torrent(slot, 0, const_cast<ShardMemory*>(&memory_)).Count();
  return {census.seeders(), census.peers() - census.seeders(), slot->downloaded()};
}

SwarmCounts Shard::Scrape(const InfoHash& info_hash, uint32_t hash) const {
  const std::lock_guard<ShardLock> guard(lock_);
  TorrentSlot* const slot = table_.Find(info_hash, hash);
  return slot == nullptr ? SwarmCounts{} : CountsOf(slot);
}

// In the order of the hash, from which alone follows what is listed already: the table may grow
// and shrink between two calls. Where several torrents have one home their order there means
// nothing, so no call ends among them.
bool Shard::ListTorrents(uint64_t* next_hash, uint32_t torrents_max,
                         std::vector<ListedTorrent>* torrents) const {
  const std::lock_guard<ShardLock> guard(lock_);
  const uint64_t begin = *next_hash;
  if (begin > UINT32_MAX) return false;
  const size_t full = torrents->size() + torrents_max;
  uintptr_t home = 0;
  for (TorrentSlot* slot = table_.First(static_cast<uint32_t>(begin)); slot != nullptr;
       slot = table_.Next(slot)) {
    if (HomeOf(slot) != home && torrents->size() >= full) return true;
    home = HomeOf(slot);
    const uint32_t hash = table_.HashOf(slot->info_hash);
    if (hash < begin) continue;
    *next_hash = std::max<uint64_t>(*next_hash, uint64_t{hash} + 1);
    torrents->push_back({slot->info_hash, CountsOf(slot)});
  }
  return false;
}

// The age of a peer is known modulo 64 ticks: time may not run ahead of the sweep by
// more than what is left of them. If nobody swept for so long (the machine was asleep),
// it is done here, at once.
void Shard::SetTick(Tick tick) {
  // Nothing is written where nothing changes: the line is shared by all threads.
  if (tick > latest_tick_) latest_tick_ = tick;
  while (memory_.tick < latest_tick_) {
    memory_.tick = std::min(latest_tick_, swept_tick_ + kSweepLagTicksMax);
    if (memory_.tick == latest_tick_) return;
    uint32_t unlimited = UINT32_MAX;
    cursor_ = SweepCursor{};
    SweepPass(&unlimited);
    if (table_.size() == 0) {
      memory_.tick = latest_tick_;
      swept_tick_ = latest_tick_;
    }
  }
}

// The slot at which the pass begins or goes on; null at its end.
TorrentSlot* Shard::ResumeSweep() {
  if (!cursor_.running) {
    cursor_.running = true;
    cursor_.tick = memory_.tick;
  }
  if (cursor_.paused) {
    TorrentSlot* const slot = table_.Find(cursor_.info_hash, cursor_.hash);
    if (slot != nullptr) return slot;
    cursor_.place = {};
  }
  return table_.First(cursor_.hash);
}

void Shard::PauseSweep(const TorrentSlot& slot) {
  cursor_.hash = table_.HashOf(slot.info_hash);
  cursor_.info_hash = slot.info_hash;
  cursor_.paused = true;
}

// Goes on with the pass that is under way, or begins one. True when it is done.
bool Shard::SweepPass(uint32_t* budget) {
  TorrentSlot* slot = ResumeSweep();
  while (slot != nullptr) {
    if (*budget == 0) {
      PauseSweep(*slot);
      return false;
    }
    Torrent torrent(slot, table_.HashOf(slot->info_hash), &memory_);
    const bool done = torrent.Sweep(&cursor_.place, budget);
    if (done) torrent.Settle();
    if (!done) {
      PauseSweep(*slot);
      return false;
    }
    cursor_.place = {};
    if (IsForgotten(*slot)) {
      table_.Erase(slot);
      slot = table_.SameOrNext(slot);
    } else {
      slot = table_.Next(slot);
    }
  }
  swept_tick_ = cursor_.tick;
  cursor_ = SweepCursor{};
  memory_.arena.ReleaseEmpty();
  return true;
}

bool Shard::Sweep(Tick tick, uint32_t* budget) {
  const std::lock_guard<ShardLock> guard(lock_);
  SetTick(tick);
  // A pass that began at an earlier tick says nothing of what it had passed when the tick
  // changed: another one has to follow it.
  while (swept_tick_ != memory_.tick) {
    const bool done = SweepPass(budget);
    table_.Step();
    if (!done) return false;
  }
  return true;
}

void Shard::AddUsageTo(StoreUsage* usage) const {
  const std::lock_guard<ShardLock> guard(lock_);
  const uint64_t slot_bytes = table_.size() * sizeof(TorrentSlot);
  const uint64_t block_bytes = memory_.arena.bytes_in_use();
  const uint64_t taken = table_.bytes() + memory_.arena.bytes();
  usage->torrents += table_.size();
  usage->ipv4_peers += memory_.ipv4_peers;
  usage->ipv6_peers += memory_.ipv6_peers;
  usage->bytes_total += taken + memory_.directory_bytes;
  usage->bytes_slots += slot_bytes;
  usage->bytes_peers += block_bytes;
  usage->bytes_directories += memory_.directory_bytes;
  usage->bytes_slack += taken - slot_bytes - block_bytes;
  usage->not_stored += not_stored_;
}

}  // namespace septet::tracker
