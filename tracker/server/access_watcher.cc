#include "tracker/server/access_watcher.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace septet::tracker {
namespace {

// A file that was written counts when it is closed; one that is made may be a link, which
// nobody closes.
constexpr uint32_t kFolderEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                   IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                   IN_ONLYDIR;

}  // namespace

absl::StatusOr<std::unique_ptr<AccessWatcher>> AccessWatcher::Start(const AccessOptions& options,
                                                                    AccessControl* control,
                                                                    Log* log,
                                                                    const SystemCalls& calls) {
  FileDescriptor wake_up(calls, calls.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_up.is_open()) {
    return absl::UnavailableError(absl::StrCat("eventfd: ", strerrordesc_np(errno)));
  }
  FileDescriptor inotify;
  if (!options.torrents_dir.empty()) {
    inotify = FileDescriptor(calls, inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  }
  std::unique_ptr<AccessWatcher> watcher(
      new AccessWatcher(options, control, log, calls, std::move(wake_up), std::move(inotify)));
  // Watched before it is read, so that no change falls between.
  watcher->WatchFolder();
  AccessLists::Messages messages;
  const absl::Status status = watcher->lists_.Load(watcher->NowMs(), /*final=*/false, &messages);
  if (!status.ok()) return status;
  watcher->Tell(messages);
  try {
    watcher->thread_ = std::thread([raw = watcher.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return absl::UnavailableError(
        absl::StrCat("the thread that watches the lists cannot be started: ", error.what()));
  }
  return watcher;
}

AccessWatcher::AccessWatcher(const AccessOptions& options, AccessControl* control, Log* log,
                             const SystemCalls& calls, FileDescriptor wake_up,
                             FileDescriptor inotify)
    : torrents_dir_(options.torrents_dir),
      calls_(calls),
      log_(log),
      lists_(options, control),
      wake_up_(std::move(wake_up)),
      inotify_(std::move(inotify)) {}

AccessWatcher::~AccessWatcher() {
  if (!thread_.joinable()) return;
  stop_is_asked_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = calls_.write(wake_up_.get(), &one, sizeof(one));
  thread_.join();
}

void AccessWatcher::Reload() {
  reload_is_asked_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  // It fails only if the counter is full, and then the thread wakes up anyway.
  [[maybe_unused]] const ssize_t written = calls_.write(wake_up_.get(), &one, sizeof(one));
}

int64_t AccessWatcher::NowMs() const {
  timespec time = {};
  calls_.clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000} + time.tv_nsec / 1'000'000;
}

void AccessWatcher::Tell(const AccessLists::Messages& messages) {
  for (const std::string& message : messages) log_->Tell(message);
}

// Again and again: it does nothing for a folder that is watched, and finds one that took the
// place of another.
void AccessWatcher::WatchFolder() {
  if (inotify_.is_open()) inotify_add_watch(inotify_.get(), torrents_dir_.c_str(), kFolderEvents);
}

void AccessWatcher::Run() {
  const bool has_folder = !torrents_dir_.empty();
  int64_t scanned_ms = NowMs();
  while (!stop_is_asked_.load(std::memory_order_acquire)) {
    if (has_folder) {
      const int64_t pause_ms = lists_.unsettled() ? TorrentFolder::kSettleMs / 2 : kRescanMs;
      rescan_ms_ = std::min(rescan_ms_, scanned_ms + pause_ms);
    }
    Wait(rescan_ms_);
    const bool reloads = reload_is_asked_.exchange(false, std::memory_order_acq_rel);
    const int64_t now_ms = NowMs();
    if (!reloads && now_ms < rescan_ms_) continue;
    rescan_ms_ = INT64_MAX;
    first_event_ms_ = INT64_MAX;
    WatchFolder();
    AccessLists::Messages messages;
    reloads ? lists_.Reload(now_ms, &messages) : lists_.Rescan(now_ms, &messages);
    Tell(messages);
    scanned_ms = NowMs();
  }
}

// Until something happens, or it is time.
void AccessWatcher::Wait(int64_t until_ms) {
  std::array<pollfd, 2> waited = {pollfd{wake_up_.get(), POLLIN, 0},
                                  pollfd{inotify_.is_open() ? inotify_.get() : -1, POLLIN, 0}};
  const int64_t left_ms = until_ms == INT64_MAX ? -1 : std::max<int64_t>(0, until_ms - NowMs());
  const int timeout_ms = static_cast<int>(std::min<int64_t>(left_ms, INT32_MAX));
  if (poll(waited.data(), waited.size(), timeout_ms) <= 0) return;
  if (waited[0].revents != 0) TakeWakeUp();
  if (waited[1].revents != 0) TakeFolderEvents();
}

void AccessWatcher::TakeWakeUp() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t received = calls_.read(wake_up_.get(), &count, sizeof(count));
}

// What happened does not matter: the folder is compared with what is known of it, which is
// right also where the kernel dropped events.
void AccessWatcher::TakeFolderEvents() {
  alignas(inotify_event) std::array<char, 16 * 1024> events;
  while (calls_.read(inotify_.get(), events.data(), events.size()) > 0) {
  }
  const int64_t now_ms = NowMs();
  first_event_ms_ = std::min(first_event_ms_, now_ms);
  rescan_ms_ = std::min(now_ms + kQuietMs, first_event_ms_ + kQuietMaxMs);
}

}  // namespace septet::tracker
