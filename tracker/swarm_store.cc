#include "tracker/swarm_store.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "tracker/swarm/imported_part.h"
#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/memory_budget.h"
#include "tracker/swarm/peer_state.h"
#include "tracker/swarm/region.h"
#include "tracker/swarm/shard.h"

namespace septet::tracker {
namespace {

// While one copy of everything is made smaller, each class of blocks may need a page that
// it does not fill, and the table of torrents the pages at the border of a move.
constexpr uint64_t kReserveBytesAShard = (uint64_t{kBlockClasses} + 24) * kPageBytes;

// Addresses for each kind of block of each shard: the most memory that it can take, far
// above what a machine has for it.
constexpr size_t kRegionReserveBytes = size_t{1} << 32;

// In microseconds: of a short timeout, a tick of whole milliseconds would make a longer
// one.
int64_t TickUs(int64_t peer_timeout_ms) {
  return std::max<int64_t>(1, (peer_timeout_ms * 1000 + kTimeoutTicks - 1) / kTimeoutTicks);
}

uint32_t RetentionTicks(const StoreOptions& options, int64_t tick_us) {
  const int64_t ticks = (options.downloaded_retention_ms * 1000 + tick_us - 1) / tick_us;
  return static_cast<uint32_t>(std::clamp<int64_t>(ticks, 0, INT32_MAX));
}

}  // namespace

class SwarmStore::Impl {
 public:
  explicit Impl(const StoreOptions& options)
      : tick_us_(TickUs(options.peer_timeout_ms)),
        hash_(options.hash_key),
        budget_(options.bytes_max, kReserveBytesAShard * options.shards),
        shards_(options.shards) {
    budget_.TryTake(fixed_bytes(), Purpose::kShrink);
    const size_t reserve_bytes =
        ReservableBytes(shards_.size() * Shard::kRegions, kRegionReserveBytes);
    for (Shard& shard : shards_) {
      if (reserve_bytes == 0 ||
          !shard.Init(&hash_, &budget_, reserve_bytes, RetentionTicks(options, tick_us_))) {
        throw std::bad_alloc();
      }
    }
  }
  ~Impl() {
    // The shards give back what they have; the budget must still be there.
    shards_ = std::vector<Shard>();
  }

  uint64_t Hash(const InfoHash& info_hash) const { return hash_.OfInfoHash(info_hash); }
  // By the upper half of the hash; the lower one places the torrent within the shard.
  Shard& ShardOf(uint64_t hash) { return shards_[(hash >> 32) & (shards_.size() - 1)]; }
  Tick TickAt(int64_t now_ms) const {
    return now_ms <= 0 ? 0 : static_cast<Tick>(now_ms) * 1000 / static_cast<Tick>(tick_us_);
  }
  int64_t tick_ms() const { return (tick_us_ + 999) / 1000; }
  int64_t tick_us() const { return tick_us_; }
  std::vector<Shard>& shards() { return shards_; }
  uint64_t fixed_bytes() const { return shards_.size() * sizeof(Shard); }

  bool Sweep(Tick tick, uint32_t budget) {
    const size_t first = next_swept_.load(std::memory_order_relaxed);
    for (size_t i = 0; i < shards_.size(); ++i) {
      const size_t number = (first + i) % shards_.size();
      if (!shards_[number].Sweep(tick, &budget)) {
        next_swept_.store(number, std::memory_order_relaxed);
        return false;
      }
    }
    return true;
  }

  StoreUsage Usage() const {
    StoreUsage usage;
    usage.bytes_fixed = fixed_bytes();
    usage.bytes_total = fixed_bytes();
    for (const Shard& shard : shards_) shard.AddUsageTo(&usage);
    return usage;
  }

 private:
  const int64_t tick_us_;
  const KeyedHash hash_;
  MemoryBudget budget_;
  std::vector<Shard> shards_;
  std::atomic<size_t> next_swept_{0};
};

SwarmStore::SwarmStore(const StoreOptions& options) {
  if (options.bytes_max != 0 && options.bytes_max < MinBytesMax(options.shards)) {
    throw std::bad_alloc();
  }
  impl_ = std::make_unique<Impl>(options);
}

SwarmStore::~SwarmStore() = default;

uint64_t SwarmStore::MinBytesMax(uint32_t shards) {
  // The first tables, and a page for each class of blocks.
  constexpr uint64_t kFirstBytesAShard = sizeof(Shard) + (uint64_t{kBlockClasses} + 8) * kPageBytes;
  return shards * (kReserveBytesAShard + kFirstBytesAShard);
}

AnnounceResult SwarmStore::Announce(const AnnounceRequest& request, int64_t now_ms, Random& random,
                                    const PeerOutput& out) {
  const uint64_t hash = impl_->Hash(request.info_hash);
  return impl_->ShardOf(hash).Announce(request, static_cast<uint32_t>(hash), impl_->TickAt(now_ms),
                                       random, out);
}

SwarmCounts SwarmStore::Scrape(const InfoHash& info_hash) const {
  const uint64_t hash = impl_->Hash(info_hash);
  return impl_->ShardOf(hash).Scrape(info_hash, static_cast<uint32_t>(hash));
}

void SwarmStore::Prefetch(const InfoHash& info_hash) const {
  const uint64_t hash = impl_->Hash(info_hash);
  impl_->ShardOf(hash).Prefetch(static_cast<uint32_t>(hash));
}

bool SwarmStore::ListTorrents(TorrentCursor* at, uint32_t torrents_max,
                              std::vector<ListedTorrent>* torrents) const {
  const std::vector<Shard>& shards = impl_->shards();
  if (at->shard_ == shards.size()) return false;
  if (!shards[at->shard_].ListTorrents(&at->next_hash_, torrents_max, torrents)) {
    ++at->shard_;
    at->next_hash_ = 0;
  }
  return true;
}

bool SwarmStore::Sweep(int64_t now_ms, uint32_t peers_max) {
  return impl_->Sweep(impl_->TickAt(now_ms), peers_max);
}

SwarmExport SwarmStore::BeginExport(int64_t now_ms) const {
  const int64_t tick_us = impl_->tick_us();
  SwarmExport at;
  at.begin_tick_ = impl_->TickAt(now_ms);
  // A peer of this tick announced in the middle of it, more or less.
  const int64_t since_tick_us =
      std::max<int64_t>(now_ms, 0) * 1000 - static_cast<int64_t>(at.begin_tick_) * tick_us;
  at.ages_ = {tick_us, since_tick_us - tick_us / 2};
  return at;
}

bool SwarmStore::Export(SwarmExport* at, int64_t now_ms, uint32_t peers_max, SwarmBatch* batch) {
  std::vector<Shard>& shards = impl_->shards();
  if (at->shard_ == shards.size()) return false;
  if (!shards[at->shard_].Export(at, impl_->TickAt(now_ms), peers_max, batch)) {
    ++at->shard_;
    at->shard_has_begun_ = false;
  }
  return true;
}

ImportResult SwarmStore::Import(const SwarmBatch& batch, const SwarmAges& ages, int64_t elapsed_ms,
                                int64_t now_ms) {
  const ImportedAges imported_ages(ages, elapsed_ms, now_ms, impl_->tick_us());
  const Tick tick = impl_->TickAt(now_ms);
  ImportResult result;
  absl::Span<const uint8_t> ipv4 = batch.ipv4;
  absl::Span<const uint8_t> ipv6 = batch.ipv6;
  for (const SwarmBatch::Torrent& torrent : batch.torrents) {
    const uint64_t hash = impl_->Hash(torrent.info_hash);
    uint32_t ipv4_left = torrent.ipv4_peers;
    uint32_t ipv6_left = torrent.ipv6_peers;
    do {
      const uint32_t ipv4_peers = std::min(ipv4_left, kImportedAtOnce);
      const uint32_t ipv6_peers = std::min(ipv6_left, kImportedAtOnce - ipv4_peers);
      const ImportedPart part = {&torrent, &imported_ages,
                                 ipv4.subspan(0, ipv4_peers * SwarmBatch::kIpv4Bytes),
                                 ipv6.subspan(0, ipv6_peers * SwarmBatch::kIpv6Bytes)};
      impl_->ShardOf(hash).Import(part, static_cast<uint32_t>(hash), tick, &result);
      ipv4.remove_prefix(part.ipv4.size());
      ipv6.remove_prefix(part.ipv6.size());
      ipv4_left -= ipv4_peers;
      ipv6_left -= ipv6_peers;
    } while (ipv4_left + ipv6_left > 0);
  }
  return result;
}

int64_t SwarmStore::tick_ms() const { return impl_->tick_ms(); }

StoreUsage SwarmStore::Usage() const { return impl_->Usage(); }

}  // namespace septet::tracker
