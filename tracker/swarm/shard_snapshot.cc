// How torrents leave a shard for a snapshot, and come back from one.

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "tracker/swarm/shard.h"

namespace septet::tracker {
namespace {

// Appends peers to a batch, with their ages at the tick at which the export began.
class PeerAppender {
 public:
  PeerAppender(Tick begin, Tick tick, SwarmBatch* batch)
      : since_begin_(static_cast<uint32_t>(std::min<Tick>(tick - std::min(begin, tick), 64))),
        tick_(tick),
        batch_(batch) {}

  template <typename Family>
  void operator()(const uint8_t* key, PeerState state) {
    if (IsExpired(state, tick_)) return;
    const uint32_t age = (static_cast<uint32_t>(tick_) - (state >> 2)) & 63;
    const uint32_t age_at_begin = age - std::min(age, since_begin_);
    constexpr size_t kBytes = Family::kKeyBytes + 1;
    std::vector<uint8_t>& to = Family::kKeyBytes == kCompactIpv4Bytes ? batch_->ipv4 : batch_->ipv6;
    const size_t size = to.size();
    to.resize(size + kBytes);
    std::memcpy(to.data() + size, key, Family::kKeyBytes);
    to[size + Family::kKeyBytes] = static_cast<uint8_t>((state & 3) | age_at_begin << 2);
  }

 private:
  const uint32_t since_begin_;
  const Tick tick_;
  SwarmBatch* const batch_;
};

// How a peer announces itself to become what it was; by Standing.
struct Announced {
  Role role;
  Event event;
};
constexpr Announced kAnnounced[] = {
    {Role::kLeecher, Event::kNone},
    {Role::kPartialSeed, Event::kNone},
    {Role::kSeeder, Event::kNone},
    {Role::kSeeder, Event::kCompleted},
};

// An age that no peer has.
constexpr uint32_t kNobody = UINT32_MAX;

// For how long a torrent that comes without a peer that could be listed has had none: since its
// youngest one went over the timeout, if it had any.
uint32_t TicksEmpty(const ImportedPart& part, uint32_t youngest) {
  if (youngest == kNobody) return part.ages->TicksFor(part.torrent->ticks_empty);
  return part.ages->TicksFor(youngest) - kTimeoutTicks - 1;
}

constexpr uint64_t kHashes = uint64_t{1} << 32;

// The first hash of a range: the bits of its number in reverse.
uint64_t RangeBegin(uint32_t number) {
  uint32_t reversed = 0;
  for (int bit = 31; number != 0; --bit, number >>= 1) reversed |= (number & 1) << bit;
  return reversed;
}

}  // namespace

void Shard::ExportPart(const TorrentSlot& slot, uint32_t hash, HashSlice slice, Tick begin,
                       SwarmBatch* batch) {
  const size_t ipv4_before = batch->ipv4.size();
  const size_t ipv6_before = batch->ipv6.size();
  PeerAppender append(begin, memory_.tick, batch);
  // It reads alone, whatever a Torrent could do.
  Torrent(const_cast<TorrentSlot*>(&slot), hash, &memory_).VisitSlice(slice, append);

  SwarmBatch::Torrent torrent;
  torrent.info_hash = slot.info_hash;
  torrent.downloaded = slot.downloaded();
  torrent.ipv4_peers =
      static_cast<uint32_t>((batch->ipv4.size() - ipv4_before) / SwarmBatch::kIpv4Bytes);
  torrent.ipv6_peers =
      static_cast<uint32_t>((batch->ipv6.size() - ipv6_before) / SwarmBatch::kIpv6Bytes);
  if (torrent.ipv4_peers + torrent.ipv6_peers == 0) {
    if (IsForgotten(slot) || torrent.downloaded == 0) return;
    if (slot.kind() == SlotKind::kNoPeers) {
      const uint32_t ticks = slot.TicksEmpty(memory_.tick);
      const Tick since_begin = memory_.tick - std::min(begin, memory_.tick);
      torrent.ticks_empty = ticks - static_cast<uint32_t>(std::min<Tick>(ticks, since_begin));
    }
  }
  batch->torrents.push_back(torrent);
}

// Returns what it cost, in peers and torrents.
uint32_t Shard::ExportTorrent(const TorrentSlot& slot, uint32_t hash, SwarmExport* at,
                              SwarmBatch* batch) {
  const uint32_t peers = Torrent(const_cast<TorrentSlot*>(&slot), hash, &memory_).Count().peers();
  if (peers <= SwarmStore::kExportedWholeMax) {
    ExportPart(slot, hash, {}, at->begin_tick_, batch);
    return 1 + peers;
  }
  const auto bits = static_cast<uint32_t>(std::bit_width(peers / SwarmStore::kExportedWholeMax));
  at->large_.push_back({slot.info_hash, hash, bits, 0});
  return 1;
}

void Shard::ExportLargePart(SwarmExport* at, SwarmBatch* batch) {
  SwarmExport::Large& large = at->large_.back();
  const TorrentSlot* const slot = table_.Find(large.info_hash, large.hash);
  if (slot != nullptr) {
    ExportPart(*slot, large.hash, {large.bits, large.next_part++}, at->begin_tick_, batch);
  }
  if (slot == nullptr || large.next_part == uint32_t{1} << large.bits) at->large_.pop_back();
}

// Torrents of a range leave in the order of the hash, from which alone follows what has left
// already: the table may grow and shrink between two calls. Where several torrents have one home
// their order there means nothing, so no call ends among them. A large torrent waits in `at` until
// the call has ended, and leaves by itself.
void Shard::ExportRange(SwarmExport* at, uint64_t cost_max, uint64_t* cost, SwarmBatch* batch) {
  const uint64_t end = RangeBegin(at->range_) + (kHashes >> at->range_bits_);
  uint64_t next_hash = at->next_hash_;
  bool is_passed = false;
  uintptr_t home = 0;
  for (TorrentSlot* slot = table_.First(static_cast<uint32_t>(at->next_hash_)); slot != nullptr;
       slot = table_.Next(slot)) {
    if (HomeOf(slot) != home) {
      if (is_passed) break;
      if (*cost >= cost_max || !at->large_.empty()) {
        at->next_hash_ = next_hash;
        return;
      }
      home = HomeOf(slot);
    }
    const uint32_t hash = table_.HashOf(slot->info_hash);
    is_passed |= hash >= end;
    if (hash < at->next_hash_ || hash >= end) continue;
    next_hash = std::max<uint64_t>(next_hash, uint64_t{hash} + 1);
    *cost += ExportTorrent(*slot, hash, at, batch);
  }
  ++*cost;
  at->next_hash_ = RangeBegin(++at->range_);
}

// The ranges leave in an order that spreads them over all hashes at any time. What leaves together
// lies together, and comes together into the table of another store, which may place it by the
// same hash and be still small: more than a few torrents would not fit there.
bool Shard::Export(SwarmExport* at, Tick tick, uint32_t peers_max, SwarmBatch* batch) {
  constexpr size_t kTorrentsARange = 64;
  const std::lock_guard<ShardLock> guard(lock_);
  SetTick(tick);
  if (!at->shard_has_begun_) {
    at->shard_has_begun_ = true;
    at->range_bits_ = static_cast<uint32_t>(std::bit_width(table_.size() / kTorrentsARange));
    at->range_ = 0;
    at->next_hash_ = 0;
  }
  const uint32_t ranges = uint32_t{1} << at->range_bits_;
  if (!at->large_.empty()) {
    ExportLargePart(at, batch);
  } else {
    const uint64_t cost_max = std::max<uint32_t>(peers_max, 1);
    for (uint64_t cost = 0; at->large_.empty() && cost < cost_max && at->range_ < ranges;) {
      ExportRange(at, cost_max, &cost, batch);
    }
  }
  return !at->large_.empty() || at->range_ < ranges;
}

void Shard::Import(const ImportedPart& part, uint32_t hash, Tick tick, ImportResult* result) {
  const std::lock_guard<ShardLock> guard(lock_);
  SetTick(tick);
  TorrentSlot* slot = table_.Find(part.torrent->info_hash, hash);
  const bool is_new = slot == nullptr;
  if (is_new) slot = table_.Insert(part.torrent->info_hash, hash);
  if (slot == nullptr) {
    result->not_stored += part.ipv4.size() / SwarmBatch::kIpv4Bytes;
    result->not_stored += part.ipv6.size() / SwarmBatch::kIpv6Bytes;
    return;
  }
  const uint32_t downloaded = std::max(slot->downloaded(), part.torrent->downloaded);
  const uint32_t youngest =
      std::min(ImportPeers(part.ipv4, Family::kIpv4, part, slot, hash, result),
               ImportPeers(part.ipv6, Family::kIpv6, part, slot, hash, result));
  slot->set_downloaded(downloaded);
  if (is_new && slot->kind() == SlotKind::kNoPeers) {
    slot->set_empty_since(memory_.tick - TicksEmpty(part, youngest));
  }
  if (IsForgotten(*slot)) table_.Erase(slot);
  table_.Step();
}

// Returns the age of the youngest of those that are over the timeout, as it came.
uint32_t Shard::ImportPeers(absl::Span<const uint8_t> peers, Family family,
                            const ImportedPart& part, TorrentSlot* slot, uint32_t hash,
                            ImportResult* result) {
  uint32_t youngest = kNobody;
  Endpoint endpoint;
  endpoint.family = family;
  const size_t key_bytes = endpoint.compact_bytes();
  Torrent torrent(slot, hash, &memory_);
  for (; !peers.empty(); peers.remove_prefix(key_bytes + 1)) {
    const PeerState state = peers[key_bytes];
    const uint32_t age = part.ages->PeerTicks(state);
    if (age > kTimeoutTicks) {
      ++result->expired;
      youngest = std::min<uint32_t>(youngest, state >> 2);
      continue;
    }
    std::memcpy(endpoint.compact.data(), peers.data(), key_bytes);
    const Announced as = kAnnounced[static_cast<size_t>(StandingOf(state))];
    const Torrent::Listed listed = torrent.Upsert(endpoint, as.role, as.event);
    if (!listed.found) {
      ++result->not_stored;
      continue;
    }
    torrent.SetTick(listed, memory_.tick - age);
    ++result->peers;
  }
  return youngest;
}

}  // namespace septet::tracker
