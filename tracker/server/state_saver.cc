#include "tracker/server/state_saver.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace septet::tracker {

StateSaver::StateSaver(std::unique_ptr<StateFile> file, SwarmStore* store, Log* log,
                       int64_t interval_ms)
    : file_(std::move(file)), store_(store), log_(log), interval_ms_(interval_ms) {}

StateSaver::~StateSaver() { Stop(); }

absl::Status StateSaver::Start() {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& error) {
    return absl::UnavailableError(
        absl::StrCat("the thread that saves the state cannot be started: ", error.what()));
  }
  return absl::OkStatus();
}

void StateSaver::Run() {
  const auto interval = std::chrono::milliseconds(interval_ms_);
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_up_.wait_for(lock, interval, [this] { return stop_is_asked_.load(); });
    }
    if (stop_is_asked_.load()) return;
    Save(&stop_is_asked_);
  }
}

void StateSaver::Save(const std::atomic<bool>* is_cancelled) {
  const absl::Status status = file_->Save(store_, is_cancelled);
  if (!status.ok() && !absl::IsCancelled(status)) log_->Tell(status.message());
}

void StateSaver::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_is_asked_.store(true);
  }
  wake_up_.notify_one();
  thread_.join();
  Save(nullptr);
}

}  // namespace septet::tracker
