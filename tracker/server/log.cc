#include "tracker/server/log.h"

#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace septet::tracker {
namespace {

constexpr std::array<absl::string_view, kFaultCount> kTexts = {
    "HTTP connections cannot be accepted",
    "no file descriptor is left for an HTTP connection: the oldest idle one is closed",
    "HTTP connection refused: --max_connections or --max_connections_per_address is reached",
    "connection to proxy+http closed: it does not come from --trusted_proxies",
    "connection to proxy+http closed: its PROXY protocol header is missing or broken",
    "HTTP connection closed: --http_buffer_memory is in use",
    "epoll failed",
    "UDP packets cannot be received",
    "UDP reply cannot be sent",
    "UDP reply dropped: the kernel has no room for it",
    "UDP error for a connection id that is not valid not sent: --udp_error_rate is reached",
};

void WriteToStandardError(absl::string_view line) {
  // A log that cannot be written must not stop the tracker.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

Log::Log() : Log(WriteToStandardError) {}

void Log::Tell(absl::string_view text) { sink_(absl::StrCat("septet: ", text, "\n")); }

void Log::Report(Fault fault, int error, int64_t now_ms, uint64_t times) {
  const size_t index = static_cast<size_t>(fault);
  Limit& limit = limits_[index];
  int64_t quiet_until_ms = limit.quiet_until_ms.load(std::memory_order_relaxed);
  if (now_ms < quiet_until_ms ||
      !limit.quiet_until_ms.compare_exchange_strong(quiet_until_ms, now_ms + kQuietMs)) {
    limit.left_out.fetch_add(times, std::memory_order_relaxed);
    return;
  }
  const uint64_t left_out = limit.left_out.exchange(0, std::memory_order_relaxed) + times - 1;
  std::string line = absl::StrCat("septet: ", kTexts[index]);
  if (const char* why = error == 0 ? nullptr : strerrordesc_np(error)) {
    absl::StrAppend(&line, ": ", why);
  }
  if (left_out > 0) absl::StrAppend(&line, " (and ", left_out, " times before)");
  line += '\n';
  sink_(line);
}

}  // namespace septet::tracker
