// A folder of .torrent files as an access list.

#ifndef SEPTET_TRACKER_ACCESS_TORRENT_FOLDER_H_
#define SEPTET_TRACKER_ACCESS_TORRENT_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Knows the info-hashes of the files NAME.torrent in one folder (not in folders below), of
// version 1, version 2 (the 20 bytes that are announced, BEP 52) and hybrids. Hidden files
// are skipped: programs that copy with care give their unfinished ones such names.
//
// A file that cannot be read as a torrent may be half copied: it is looked at again until it
// has stayed as it is for kSettleMs, and complained of once. Until then a file that was good
// before counts as it was.
//
// Not thread-safe.
class TorrentFolder {
 public:
  static constexpr int64_t kSettleMs = 2000;

  explicit TorrentFolder(std::string path) : path_(std::move(path)) {}

  struct Changes {
    bool any = false;                     // the info-hashes are others than before
    bool unsettled = false;               // scan again within kSettleMs
    std::vector<std::string> complaints;  // "x.torrent: byte 17: ...", a line each
  };

  // Reads what is new or has changed since the last scan, by size and time of change, and
  // forgets what is gone. `now_ms`: of a clock that does not go back; `final`: nobody scans
  // again, so that broken files are complained of at once. An error is about the folder
  // itself and leaves all as it was.
  absl::Status Scan(int64_t now_ms, bool final, Changes* changes);

  void AppendTo(std::vector<InfoHash>* hashes) const;

  size_t files() const { return files_.size(); }  // broken ones too

 private:
  // What tells one content from another without reading it.
  struct Stamp {
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t size = 0;
    int64_t changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct File {
    Stamp stamp;
    std::vector<InfoHash> hashes;  // one, or two of a hybrid
    bool is_broken = false;
    bool is_reported = false;
    int64_t broken_since_ms = 0;
    uint64_t scan = 0;  // in which it was last seen
  };

  void Look(const std::string& name, const Stamp& stamp, int64_t now_ms, bool final,
            Changes* changes);
  void TakeBroken(const std::string& name, absl::string_view why, int64_t now_ms, bool final,
                  File* file, Changes* changes);

  const std::string path_;
  absl::flat_hash_map<std::string, File> files_;  // by name
  uint64_t scan_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_TORRENT_FOLDER_H_
