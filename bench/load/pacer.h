// When the next request ought to go out.

#ifndef SEPTET_BENCH_LOAD_PACER_H_
#define SEPTET_BENCH_LOAD_PACER_H_

#include <cstdint>

namespace septet::bench {

// Closed loop (rate 0): a request is due as soon as there is a place for it. Open loop:
// request i is due at start + i / rate, whatever became of those before it. Its latency
// counts from then, so that a server that stalls is not excused from the requests that
// it kept from being sent ("coordinated omission"). Not thread-safe.
class Pacer {
 public:
  // `rate`: requests a second, or 0.
  Pacer(double rate, uint64_t start_ns) : rate_(rate), start_ns_(start_ns) {}

  // When the next request is due; in a closed loop at once.
  uint64_t NextDueNs(uint64_t now_ns) const {
    if (rate_ <= 0) return now_ns;
    return start_ns_ + static_cast<uint64_t>(static_cast<double>(taken_) * 1e9 / rate_);
  }
  void Take() { ++taken_; }

 private:
  const double rate_;
  const uint64_t start_ns_;
  uint64_t taken_ = 0;
};

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_PACER_H_
