// When the state is saved: every so often, by a thread of its own, and at the stop.

#ifndef SEPTET_TRACKER_SERVER_STATE_SAVER_H_
#define SEPTET_TRACKER_SERVER_STATE_SAVER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "tracker/server/log.h"
#include "tracker/server/state_file.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// A state that cannot be saved is a line of the log, and the next time it is tried again. Start
// and Stop are for one thread at a time.
class StateSaver {
 public:
  // `store` and `log` must outlive it.
  StateSaver(std::unique_ptr<StateFile> file, SwarmStore* store, Log* log, int64_t interval_ms);
  ~StateSaver();

  // Unavailable: there is no thread to be had.
  absl::Status Start();

  // Ends the thread and what it writes, and saves the store as it is now, if it was started. Later
  // calls do nothing.
  void Stop();

 private:
  void Run();
  void Save(const std::atomic<bool>* is_cancelled);

  const std::unique_ptr<StateFile> file_;
  SwarmStore* const store_;
  Log* const log_;
  const int64_t interval_ms_;
  std::atomic<bool> stop_is_asked_{false};
  std::mutex mutex_;  // of wake_up_ alone
  std::condition_variable wake_up_;
  std::thread thread_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_STATE_SAVER_H_
