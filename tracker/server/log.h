// The log: one line for each fault on standard error. There is none for a request:
// what the tracker does when all is well is not worth a line.

#ifndef SEPTET_TRACKER_SERVER_LOG_H_
#define SEPTET_TRACKER_SERVER_LOG_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"

namespace septet::tracker {

// The kinds of fault. Each has its own limit, so that a frequent one does not hide a
// rare one.
enum class Fault : uint8_t {
  kAccept,
  kNoDescriptors,
  kConnectionRefused,
  kProxyNotTrusted,
  kProxyHeader,
  kBuffersExhausted,
  kEpoll,
  kUdpReceive,
  kUdpSend,
  kUdpSendBufferFull,
  kUdpErrorsLimited,
};
inline constexpr size_t kFaultCount = 11;

// Thread-safe.
class Log {
 public:
  // Of one kind of fault, one line comes out in this time; the next one says how many
  // were left out.
  static constexpr int64_t kQuietMs = 10'000;

  // Takes a whole line with its "\n".
  using Sink = std::function<void(absl::string_view line)>;

  // Writes to standard error, each line with one write.
  Log();
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  // `error` is an errno that says why, or 0. `now_ms` is the time of a clock that does
  // not go back; `times`: how often it happened. Cost when the line is left out: two
  // atomic operations.
  void Report(Fault fault, int error, int64_t now_ms, uint64_t times = 1);

  // Writes a line of what the operator or the machine brought about, such as reading a list again,
  // or a state that cannot be saved: it has no limit, since nothing from the network may cause it.
  void Tell(absl::string_view text);

 private:
  struct Limit {
    std::atomic<int64_t> quiet_until_ms{INT64_MIN};
    std::atomic<uint64_t> left_out{0};
  };

  const Sink sink_;
  std::array<Limit, kFaultCount> limits_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_LOG_H_
