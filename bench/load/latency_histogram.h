// How long requests took: a count for each of many ranges of durations, in a fixed number
// of bytes whatever comes.

#ifndef SEPTET_BENCH_LOAD_LATENCY_HISTOGRAM_H_
#define SEPTET_BENCH_LOAD_LATENCY_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace septet::bench {

// A value of about 18 KB. Durations are in nanoseconds; those below 128 are exact, a longer
// one is known to 1/64 of itself, and over 2^40 (18 minutes) only that it was. Not
// thread-safe: one a thread, and Merge.
class LatencyHistogram {
 public:
  void Add(uint64_t ns);
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t max_ns() const { return max_ns_; }

  // The duration that the share `quantile` (0 to 1) of all did not exceed: of 100 requests,
  // 0.99 gives the second longest. Rounded up to the end of its range, never over max_ns().
  // 0 if nothing was added.
  uint64_t QuantileNs(double quantile) const;

 private:
  // Each doubling of the duration is cut into so many ranges.
  static constexpr int kRangeBits = 6;
  static constexpr int kDoublingsMax = 40 - kRangeBits;
  static constexpr size_t kRanges = (size_t{kDoublingsMax} + 1) << kRangeBits;

  static size_t RangeOf(uint64_t ns);
  static uint64_t EndOf(size_t range);

  std::array<uint64_t, kRanges> counts_{};
  uint64_t count_ = 0;
  uint64_t max_ns_ = 0;
};

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_LATENCY_HISTOGRAM_H_
