// A limit on how often something may happen.

#ifndef SEPTET_TRACKER_TOKEN_BUCKET_H_
#define SEPTET_TRACKER_TOKEN_BUCKET_H_

#include <algorithm>
#include <cstdint>

namespace septet::tracker {

// Lets through `rate` things a second, and at once at most what one second allows. A
// value of a few words, whatever comes. Not thread-safe: one for each thread.
class TokenBucket {
 public:
  // rate 0: nothing passes. It is full at first.
  explicit TokenBucket(uint32_t rate)
      : rate_(rate), thousandths_(uint64_t{rate} * kThousandthsPerToken) {}

  // Whether one more may happen at `now_ms`, of a clock that does not go back (if it
  // does, nothing is filled in until it has caught up).
  bool Take(int64_t now_ms) {
    Fill(now_ms);
    if (thousandths_ < kThousandthsPerToken) {
      ++refused_;
      return false;
    }
    thousandths_ -= kThousandthsPerToken;
    return true;
  }

  // How many did not pass.
  uint64_t refused() const { return refused_; }

 private:
  // In a millisecond a rate of one a second gives a thousandth.
  static constexpr uint64_t kThousandthsPerToken = 1000;
  static constexpr int64_t kFullAfterMs = 1000;

  void Fill(int64_t now_ms) {
    if (now_ms <= filled_at_ms_) return;
    // By subtraction of bounded values only: the first time may be any.
    const bool is_long = filled_at_ms_ < now_ms - kFullAfterMs;
    const auto elapsed_ms = static_cast<uint64_t>(is_long ? kFullAfterMs : now_ms - filled_at_ms_);
    thousandths_ =
        std::min(thousandths_ + elapsed_ms * rate_, uint64_t{rate_} * kThousandthsPerToken);
    filled_at_ms_ = now_ms;
  }

  uint32_t rate_;
  uint64_t thousandths_;
  int64_t filled_at_ms_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_TOKEN_BUCKET_H_
