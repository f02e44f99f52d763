// The file that keeps torrents and peers over a restart: a snapshot (//tracker/snapshot) that is
// replaced as a whole or not at all.

#ifndef SEPTET_TRACKER_SERVER_STATE_FILE_H_
#define SEPTET_TRACKER_SERVER_STATE_FILE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/system_calls.h"
#include "tracker/snapshot/snapshot_time.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Whether a tracker could use the file: it is a file that can be read or is not there, and its
// folder can be written. InvalidArgument says what is wrong. Changes nothing.
absl::Status CheckStateFile(const std::string& path);

// At PATH, with PATH.tmp, which is the next one while it is being written, and PATH.lock, which
// says that a tracker uses them. All can be read and written by their owner alone: they hold the
// addresses of peers. Not thread-safe. Messages of all errors name the file.
//
// Errors when it opens or loads: InvalidArgument if the path or its permissions are wrong,
// Unavailable if the system fails. Both end the start: a tracker that began empty would soon write
// over the state that it could not read.
class StateFile {
 public:
  // Takes the lock; Unavailable if another process has it. `calls` must outlive it.
  static absl::StatusOr<std::unique_ptr<StateFile>> Open(const SystemCalls& calls,
                                                         const std::string& path);

  // Reads what was saved into an empty store, and returns a line that says what became of it;
  // empty if there is no file. DataLoss: what is there is damaged or no state at all; the store
  // then holds a part of it.
  absl::StatusOr<std::string> Load(SwarmStore* store);

  // Gives the file another name, beside its own, which it returns.
  absl::StatusOr<std::string> SetAside();

  // Writes the store while others use it. Once it returns OK the new state is there even if power
  // fails; if it does not, or the process is killed meanwhile, the old one is. Cancelled: soon
  // after *is_cancelled (may be null) is true. Memory: less than a MiB.
  absl::Status Save(SwarmStore* store, const std::atomic<bool>* is_cancelled);

 private:
  StateFile(const SystemCalls& calls, const std::string& path);

  absl::Status Lock();
  SnapshotTime Now() const;
  int64_t NowMs() const;
  absl::Status ReadAll(int fd, SwarmStore* store, std::string* summary) const;
  absl::Status WriteAll(int fd, SwarmStore* store, const std::atomic<bool>* is_cancelled) const;
  absl::Status WriteTemporary(SwarmStore* store, const std::atomic<bool>* is_cancelled) const;
  absl::Status SyncFolder() const;
  absl::Status StartError(absl::string_view what, int error) const;
  absl::Status SaveError(absl::string_view call, int error) const;

  const SystemCalls& calls_;
  const std::string path_;
  const std::string temporary_path_;
  FileDescriptor lock_;
  std::array<uint8_t, 16> boot_id_{};
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_STATE_FILE_H_
