// A folder of a test's own, with .torrent files whose info-hashes are known from another
// program.

#ifndef SEPTET_TRACKER_ACCESS_TEST_FOLDER_H_
#define SEPTET_TRACKER_ACCESS_TEST_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace septet::tracker {

// Info-hashes by Python: hashlib.sha1(info).hexdigest(), hashlib.sha256(info).hexdigest()[:40].
struct TestTorrent {
  absl::string_view bytes;
  absl::string_view info_hash;
};
inline constexpr TestTorrent kTorrentA = {
    "d4:infod6:lengthi1e4:name1:a12:piece lengthi16384e6:pieces20:aaaaaaaaaaaaaaaaaaaaee",
    "4de9b0e9855b349178fb7a42f37dc0f2fac3018d"};
inline constexpr TestTorrent kTorrentB = {
    "d4:infod6:lengthi1e4:name1:b12:piece lengthi16384e6:pieces20:bbbbbbbbbbbbbbbbbbbbee",
    "3fb29a070ac434c9aab5d0f4cbe1e390c284e72f"};
// Version 2; of its SHA-256, what is announced.
inline constexpr TestTorrent kTorrentV2 = {
    "d4:infod9:file treed1:cd0:d6:lengthi0eeee12:meta versioni2e4:name1:c12:piece "
    "lengthi16384eee",
    "c056a71376ba2ba787e8a7929d2b953117689a62"};

// Made new, and removed with all that is in it.
class TestFolder {
 public:
  explicit TestFolder(absl::string_view name)
      : path_(absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string path(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

  std::string Write(absl::string_view name, absl::string_view bytes) const {
    const std::string file = path(name);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  void Remove(absl::string_view name) const { std::filesystem::remove(path(name)); }

 private:
  const std::string path_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_TEST_FOLDER_H_
