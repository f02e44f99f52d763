// Peers of one torrent that come into a store, and what their ages mean to it.

#ifndef SEPTET_TRACKER_SWARM_IMPORTED_PART_H_
#define SEPTET_TRACKER_SWARM_IMPORTED_PART_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "tracker/random.h"
#include "tracker/swarm/peer_state.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// From the ages of an export to those here: other ticks, which begin at other moments, and the
// time that has passed since. Where the ticks are the same ones, an age stays exact.
class ImportedAges {
 public:
  ImportedAges(const SwarmAges& ages, int64_t elapsed_ms, int64_t now_ms, int64_t tick_us)
      : ages_(ages),
        elapsed_us_(std::clamp<int64_t>(elapsed_ms, 0, kElapsedMsMax) * 1000),
        since_tick_us_(std::max<int64_t>(now_ms, 0) * 1000 % tick_us),
        tick_us_(tick_us) {
    for (uint32_t ticks = 0; ticks < peer_ticks_.size(); ++ticks) {
      peer_ticks_[ticks] =
          static_cast<uint8_t>(std::min<uint32_t>(TicksFor(ticks), kTimeoutTicks + 1));
    }
  }

  // Of a peer that came with this age; above kTimeoutTicks: it is over the timeout.
  uint32_t PeerTicks(PeerState state) const { return peer_ticks_[state >> 2]; }

  // At most INT32_MAX.
  uint32_t TicksFor(uint32_t ticks) const {
    const uint128 age_us = static_cast<uint128>(ticks) * static_cast<uint64_t>(ages_.tick_us) +
                           static_cast<uint64_t>(elapsed_us_ + kShiftUs + ages_.newest_us);
    const uint128 since_us = static_cast<uint64_t>(since_tick_us_ + kShiftUs);
    if (age_us <= since_us) return 0;
    // In the current tick, or in which of those before it: they are counted from 1.
    const uint128 before_us = age_us - since_us;
    const uint128 here = (before_us - 1) / static_cast<uint64_t>(tick_us_) + 1;
    return here > INT32_MAX ? INT32_MAX : static_cast<uint32_t>(here);
  }

 private:
  // A hundred years: more of it changes nothing.
  static constexpr int64_t kElapsedMsMax = int64_t{36'525} * 24 * 60 * 60 * 1000;
  // Keeps what is below zero above it.
  static constexpr int64_t kShiftUs = int64_t{1} << 50;

  SwarmAges ages_;
  int64_t elapsed_us_;
  int64_t since_tick_us_;  // since the current tick began
  int64_t tick_us_;
  std::array<uint8_t, 64> peer_ticks_;
};

struct ImportedPart {
  const SwarmBatch::Torrent* torrent;
  const ImportedAges* ages;
  absl::Span<const uint8_t> ipv4;  // as in SwarmBatch
  absl::Span<const uint8_t> ipv6;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_IMPORTED_PART_H_
