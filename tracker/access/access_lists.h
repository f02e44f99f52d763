// The files that say which torrents are served: read at the start, and again when the
// operator asks or the folder changes.

#ifndef SEPTET_TRACKER_ACCESS_ACCESS_LISTS_H_
#define SEPTET_TRACKER_ACCESS_ACCESS_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "tracker/access/access_control.h"
#include "tracker/access/torrent_folder.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Paths; empty: there is none. Allowed are the torrents of the list and of the folder
// together.
struct AccessOptions {
  std::string allow_list;
  std::string deny_list;
  std::string torrents_dir;

  bool any() const { return !allow_list.empty() || !deny_list.empty() || !torrents_dir.empty(); }
};

// A list is no larger than this: some 26 million info-hashes.
inline constexpr size_t kHashListBytesMax = size_t{1} << 30;

// Not thread-safe, but for the AccessControl that it changes. Reading takes file I/O and
// memory for the text of one list at a time.
class AccessLists {
 public:
  // What is to be said to the operator: lines that begin with the flag they are about.
  using Messages = std::vector<std::string>;

  // `control` must outlive it. Nobody else may replace its rules.
  AccessLists(const AccessOptions& options, AccessControl* control);

  // Reads all for the first time. InvalidArgument names the flag, the file and the line;
  // then nothing is in force. A broken .torrent file is no error but a message.
  absl::Status Load(int64_t now_ms, bool final, Messages* messages);

  // Reads all again. What is broken stays in force as it was, and a message says why; the
  // last message sums up.
  void Reload(int64_t now_ms, Messages* messages);

  // Looks for changes of the folder alone.
  void Rescan(int64_t now_ms, Messages* messages);

  // Files of the folder may be half copied: Rescan soon.
  bool unsettled() const { return unsettled_; }

 private:
  absl::Status ReadList(const char* flag, const std::string& path, AccessRules::Set* set);
  absl::Status ScanFolder(int64_t now_ms, bool final, bool* changed, Messages* messages);
  void ReportFolder(const absl::Status& status, Messages* messages);
  std::string Summary() const;

  const AccessOptions options_;
  AccessControl* const control_;
  AccessRules rules_;
  absl::optional<TorrentFolder> folder_;
  bool unsettled_ = false;
  std::string folder_fault_;  // what was last said to be wrong with the folder itself
};

// Whether Load would succeed, for a check of the configuration.
absl::Status CheckAccessLists(const AccessOptions& options);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_ACCESS_LISTS_H_
