// When to sweep the swarm store, and how much at a time.

#ifndef SEPTET_TRACKER_SERVER_SWEEPER_H_
#define SEPTET_TRACKER_SERVER_SWEEPER_H_

#include <cstdint>

#include "tracker/swarm_store.h"

namespace septet::tracker {

// Spreads each pass over the store over about half a tick, in steps of kStepMs, so
// that no request waits for long and the pass is done before the next tick begins.
// Not thread-safe: one worker has it.
class Sweeper {
 public:
  static constexpr int64_t kStepMs = 50;

  // `store` must outlive the sweeper.
  explicit Sweeper(SwarmStore* store) : store_(store) {}

  // Does a step if it is time.
  void OnTimer(int64_t now_ms);

  int64_t NextTimerMs() const { return next_ms_; }

 private:
  uint32_t PeersPerStep() const;

  SwarmStore* const store_;
  int64_t next_ms_ = 0;
  uint32_t peers_per_step_ = 0;  // 0: a new pass begins
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SWEEPER_H_
