// The lock of a shard.

#ifndef SEPTET_TRACKER_SWARM_SHARD_LOCK_H_
#define SEPTET_TRACKER_SWARM_SHARD_LOCK_H_

#include <atomic>
#include <cstdint>

namespace septet::tracker {

// A mutex of four bytes that costs one atomic exchange to take and one to give back, in
// line. It is held for a fraction of a microsecond, so who finds it taken looks again a
// few times before he sleeps in the kernel (after Drepper, "Futexes are tricky"). Not
// recursive, not fair. For std::lock_guard.
class ShardLock {
 public:
  void lock() {
    uint32_t expected = kFree;
    if (!state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) Wait();
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  enum : uint32_t { kFree, kTaken, kAwaited };
  static constexpr int kLooks = 100;

  void Wait() {
    for (int i = 0; i < kLooks; ++i) {
      uint32_t expected = kFree;
      if (state_.load(std::memory_order_relaxed) == kFree &&
          state_.compare_exchange_weak(expected, kTaken, std::memory_order_acquire)) {
        return;
      }
    }
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) state_.wait(kAwaited);
  }

  std::atomic<uint32_t> state_{kFree};
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_SHARD_LOCK_H_
