// Keeps the lists of served torrents up to date while the server runs.

#ifndef SEPTET_TRACKER_SERVER_ACCESS_WATCHER_H_
#define SEPTET_TRACKER_SERVER_ACCESS_WATCHER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "tracker/access/access_control.h"
#include "tracker/access/access_lists.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/log.h"
#include "tracker/server/system_calls.h"

namespace septet::tracker {

// A thread that reads the lists again when it is asked to, and the folder of .torrent files
// when inotify(7) tells of a change there. Where inotify cannot see (a network file system),
// or the folder was replaced by another, the folder is looked at every kRescanMs anyway.
//
// All that is slow about lists happens in this thread: no announce waits for a file.
class AccessWatcher {
 public:
  static constexpr int64_t kRescanMs = 60'000;

  // Changes come in flocks: the folder is read when there was none for kQuietMs, or
  // kQuietMaxMs after the first.
  static constexpr int64_t kQuietMs = 100;
  static constexpr int64_t kQuietMaxMs = 1000;

  // Reads the lists and starts the thread, with the caller's signal mask. `control`, `log`
  // and `calls` must outlive it. InvalidArgument names the list that cannot be read;
  // Unavailable what the system refuses.
  static absl::StatusOr<std::unique_ptr<AccessWatcher>> Start(const AccessOptions& options,
                                                              AccessControl* control, Log* log,
                                                              const SystemCalls& calls);

  // Ends the thread.
  ~AccessWatcher();

  // Has all lists read again; returns at once. Thread-safe.
  void Reload();

 private:
  AccessWatcher(const AccessOptions& options, AccessControl* control, Log* log,
                const SystemCalls& calls, FileDescriptor wake_up, FileDescriptor inotify);

  void Run();
  void Wait(int64_t until_ms);
  void TakeWakeUp();
  void TakeFolderEvents();
  void WatchFolder();
  void Tell(const AccessLists::Messages& messages);
  int64_t NowMs() const;

  const std::string torrents_dir_;
  const SystemCalls& calls_;
  Log* const log_;
  AccessLists lists_;
  FileDescriptor wake_up_;
  FileDescriptor inotify_;  // not open: there is no folder, or the system refuses

  std::atomic<bool> stop_is_asked_{false};
  std::atomic<bool> reload_is_asked_{false};
  int64_t first_event_ms_ = INT64_MAX;  // of those not looked at yet
  int64_t rescan_ms_ = INT64_MAX;
  std::thread thread_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_ACCESS_WATCHER_H_
