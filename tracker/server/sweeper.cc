#include "tracker/server/sweeper.h"

#include <algorithm>

namespace septet::tracker {
namespace {

constexpr uint64_t kPeersPerStepMin = 4096;

// How long the sweeper rests after a pass, at most: a peer may be overdue by so much
// more.
constexpr int64_t kRestMsMax = 1000;

}  // namespace

uint32_t Sweeper::PeersPerStep() const {
  const StoreUsage usage = store_->Usage();
  const uint64_t entries = usage.torrents + usage.ipv4_peers + usage.ipv6_peers;
  const int64_t steps = std::max<int64_t>(store_->tick_ms() / (2 * kStepMs), 1);
  const uint64_t share = entries / static_cast<uint64_t>(steps);
  return static_cast<uint32_t>(std::clamp<uint64_t>(share, kPeersPerStepMin, UINT32_MAX));
}

void Sweeper::OnTimer(int64_t now_ms) {
  if (now_ms < next_ms_) return;
  if (peers_per_step_ == 0) peers_per_step_ = PeersPerStep();
  const bool is_done = store_->Sweep(now_ms, peers_per_step_);
  if (!is_done) {
    next_ms_ = now_ms + kStepMs;
    return;
  }
  peers_per_step_ = 0;
  next_ms_ = now_ms + std::clamp<int64_t>(store_->tick_ms() / 4, 1, kRestMsMax);
}

}  // namespace septet::tracker
