// Counts the bytes that a store took from the operating system, and refuses those
// that would pass its cap.

#ifndef SEPTET_TRACKER_SWARM_MEMORY_BUDGET_H_
#define SEPTET_TRACKER_SWARM_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>

namespace septet::tracker {

// Why memory is wanted. To shrink, a store first writes the smaller copy and then gives
// the larger one back, so shrinking may use a reserve that growing may not touch:
// a store at its cap can always get smaller.
enum class Purpose : uint8_t { kGrow, kShrink };

// Thread-safe, lock-free.
class MemoryBudget {
 public:
  // `bytes_max` 0: no cap. `reserve_bytes` of it are kept for Purpose::kShrink.
  MemoryBudget(uint64_t bytes_max, uint64_t reserve_bytes)
      : shrink_limit_(bytes_max == 0 ? UINT64_MAX : bytes_max),
        grow_limit_(bytes_max == 0
                        ? UINT64_MAX
                        : bytes_max - (reserve_bytes < bytes_max ? reserve_bytes : bytes_max)) {}

  bool TryTake(uint64_t bytes, Purpose purpose) {
    const uint64_t limit = purpose == Purpose::kGrow ? grow_limit_ : shrink_limit_;
    uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

  void Return(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  // Growing is, or is about to be, refused: nothing should be kept for later use.
  bool tight() const {
    return used_.load(std::memory_order_relaxed) > grow_limit_ - grow_limit_ / 16;
  }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const uint64_t shrink_limit_;
  const uint64_t grow_limit_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_MEMORY_BUDGET_H_
