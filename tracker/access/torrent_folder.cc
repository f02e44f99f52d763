#include "tracker/access/torrent_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bencode/metainfo.h"
#include "tracker/access/read_file.h"

namespace septet::tracker {
namespace {

bool IsTorrentName(absl::string_view name) {
  return !absl::StartsWith(name, ".") && absl::EndsWithIgnoreCase(name, ".torrent");
}

absl::StatusOr<std::vector<InfoHash>> HashesOf(absl::string_view bytes) {
  const absl::StatusOr<bencode::Metainfo> metainfo = bencode::ReadMetainfo(bytes);
  if (!metainfo.ok()) return metainfo.status();
  std::vector<InfoHash> hashes;
  if (metainfo->info_hash_v1.has_value()) hashes.push_back(*metainfo->info_hash_v1);
  if (metainfo->info_hash_v2.has_value()) {
    hashes.push_back(bencode::Truncate(*metainfo->info_hash_v2));
  }
  return hashes;
}

absl::StatusOr<std::vector<InfoHash>> ReadHashes(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadFile(path, bencode::kMetainfoBytesMax);
  if (!bytes.ok()) return bytes.status();
  return HashesOf(*bytes);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

absl::Status TorrentFolder::Scan(int64_t now_ms, bool final, Changes* changes) {
  *changes = Changes{};
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path_.c_str()));
  if (folder == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("cannot be read: ", strerrordesc_np(errno)));
  }
  ++scan_;
  for (errno = 0; const dirent* entry = readdir(folder.get()); errno = 0) {
    struct stat status;
    // A file that is gone by now is none; a name that leads elsewhere is followed.
    if (!IsTorrentName(entry->d_name) ||
        fstatat(dirfd(folder.get()), entry->d_name, &status, 0) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    const Stamp stamp = {status.st_dev, status.st_ino, status.st_size,
                         status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
    Look(entry->d_name, stamp, now_ms, final, changes);
  }
  if (errno != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot be read: ", strerrordesc_np(errno)));
  }
  absl::erase_if(files_, [&](const auto& named) {
    const bool is_gone = named.second.scan != scan_;
    changes->any |= is_gone && !named.second.hashes.empty();
    return is_gone;
  });
  return absl::OkStatus();
}

void TorrentFolder::Look(const std::string& name, const Stamp& stamp, int64_t now_ms, bool final,
                         Changes* changes) {
  const auto [at, is_new] = files_.try_emplace(name);
  File& file = at->second;
  file.scan = scan_;
  const bool is_same = !is_new && file.stamp == stamp;
  if (is_same && (!file.is_broken || file.is_reported)) return;
  if (!is_same) {
    file.broken_since_ms = now_ms;
    file.is_broken = false;
    file.is_reported = false;
  }
  // Taken before the bytes are read: what is written meanwhile changes it again.
  file.stamp = stamp;
  absl::StatusOr<std::vector<InfoHash>> hashes = ReadHashes(absl::StrCat(path_, "/", name));
  if (!hashes.ok())
    return TakeBroken(name, hashes.status().message(), now_ms, final, &file, changes);
  file.is_broken = false;
  changes->any |= file.hashes != *hashes;
  file.hashes = *std::move(hashes);
}

void TorrentFolder::TakeBroken(const std::string& name, absl::string_view why, int64_t now_ms,
                               bool final, File* file, Changes* changes) {
  file->is_broken = true;
  if (!final && now_ms < file->broken_since_ms + kSettleMs) {
    changes->unsettled = true;
    return;
  }
  file->is_reported = true;
  changes->any |= !file->hashes.empty();
  file->hashes.clear();
  changes->complaints.push_back(absl::StrCat(absl::CHexEscape(name), ": ", why));
}

void TorrentFolder::AppendTo(std::vector<InfoHash>* hashes) const {
  for (const auto& [name, file] : files_) {
    hashes->insert(hashes->end(), file.hashes.begin(), file.hashes.end());
  }
}

}  // namespace septet::tracker
