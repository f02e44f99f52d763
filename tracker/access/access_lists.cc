#include "tracker/access/access_lists.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tracker/access/hash_list.h"
#include "tracker/access/read_file.h"

namespace septet::tracker {
namespace {

constexpr char kAllowList[] = "allow_list";
constexpr char kDenyList[] = "deny_list";
constexpr char kTorrentsDir[] = "torrents_dir";

// A folder may hold any number of broken files; a log should not.
constexpr size_t kComplaintsMax = 10;

std::string Named(const char* flag, const std::string& path) {
  return absl::StrCat("--", flag, "=", path, ": ");
}

size_t SizeOf(const AccessRules::Set& set) { return set == nullptr ? 0 : set->size(); }

std::string KeepsOld(const absl::Status& status) {
  return absl::StrCat(status.message(), "; what it held before stays in force");
}

}  // namespace

AccessLists::AccessLists(const AccessOptions& options, AccessControl* control)
    : options_(options), control_(control) {
  rules_.allows_all = options.allow_list.empty() && options.torrents_dir.empty();
  if (!options.torrents_dir.empty()) folder_.emplace(options.torrents_dir);
}

absl::Status AccessLists::ReadList(const char* flag, const std::string& path,
                                   AccessRules::Set* set) {
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> text = ReadFile(path, kHashListBytesMax);
  absl::StatusOr<std::vector<InfoHash>> parsed =
      text.ok() ? ParseHashList(*text) : absl::StatusOr<std::vector<InfoHash>>(text.status());
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(Named(flag, path), parsed.status().message()));
  }
  *set = std::make_shared<const InfoHashSet>(*std::move(parsed));
  return absl::OkStatus();
}

absl::Status AccessLists::ScanFolder(int64_t now_ms, bool final, bool* changed,
                                     Messages* messages) {
  if (!folder_.has_value()) return absl::OkStatus();
  TorrentFolder::Changes changes;
  const absl::Status status = folder_->Scan(now_ms, final, &changes);
  const std::string name = Named(kTorrentsDir, options_.torrents_dir);
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(name, status.message()));
  const size_t shown = std::min(changes.complaints.size(), kComplaintsMax);
  for (size_t i = 0; i < shown; ++i) {
    messages->push_back(absl::StrCat(name, changes.complaints[i]));
  }
  if (shown < changes.complaints.size()) {
    messages->push_back(absl::StrCat(name, "and ", changes.complaints.size() - shown,
                                     " other files that are no torrents"));
  }
  unsettled_ = changes.unsettled;
  if (!changes.any) return absl::OkStatus();
  std::vector<InfoHash> hashes;
  folder_->AppendTo(&hashes);
  rules_.folder = std::make_shared<const InfoHashSet>(std::move(hashes));
  *changed = true;
  return absl::OkStatus();
}

std::string AccessLists::Summary() const {
  std::string text = "lists are read:";
  if (!options_.allow_list.empty()) {
    absl::StrAppend(&text, " ", SizeOf(rules_.allow_list), " in --", kAllowList, ";");
  }
  if (!options_.deny_list.empty()) {
    absl::StrAppend(&text, " ", SizeOf(rules_.deny_list), " in --", kDenyList, ";");
  }
  if (folder_.has_value()) {
    absl::StrAppend(&text, " ", folder_->files(), " files in --", kTorrentsDir, ";");
  }
  text.pop_back();
  return text;
}

absl::Status AccessLists::Load(int64_t now_ms, bool final, Messages* messages) {
  bool changed = false;
  absl::Status status = ReadList(kAllowList, options_.allow_list, &rules_.allow_list);
  if (status.ok()) status = ReadList(kDenyList, options_.deny_list, &rules_.deny_list);
  if (status.ok()) status = ScanFolder(now_ms, final, &changed, messages);
  if (status.ok()) control_->Replace(rules_);
  return status;
}

void AccessLists::Reload(int64_t now_ms, Messages* messages) {
  for (const absl::Status& status : {ReadList(kAllowList, options_.allow_list, &rules_.allow_list),
                                     ReadList(kDenyList, options_.deny_list, &rules_.deny_list)}) {
    if (!status.ok()) messages->push_back(KeepsOld(status));
  }
  bool changed = false;
  folder_fault_.clear();
  ReportFolder(ScanFolder(now_ms, /*final=*/false, &changed, messages), messages);
  control_->Replace(rules_);
  messages->push_back(Summary());
}

void AccessLists::Rescan(int64_t now_ms, Messages* messages) {
  bool changed = false;
  ReportFolder(ScanFolder(now_ms, /*final=*/false, &changed, messages), messages);
  if (changed) control_->Replace(rules_);
}

// Once for each fault: the folder is looked at again and again.
void AccessLists::ReportFolder(const absl::Status& status, Messages* messages) {
  if (status.ok()) {
    folder_fault_.clear();
  } else if (folder_fault_ != status.message()) {
    folder_fault_ = std::string(status.message());
    messages->push_back(KeepsOld(status));
  }
}

absl::Status CheckAccessLists(const AccessOptions& options) {
  AccessControl control;
  AccessLists::Messages messages;
  return AccessLists(options, &control).Load(0, /*final=*/true, &messages);
}

}  // namespace septet::tracker
