#include "bench/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace septet::bench {

size_t LatencyHistogram::RangeOf(uint64_t ns) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(ns)) - (kRangeBits + 1));
  const size_t range =
      (static_cast<size_t>(shift) << kRangeBits) + static_cast<size_t>(ns >> shift);
  return std::min(range, kRanges - 1);
}

// The longest duration of the range.
uint64_t LatencyHistogram::EndOf(size_t range) {
  constexpr size_t kPerDoubling = size_t{1} << kRangeBits;
  if (range < 2 * kPerDoubling) return range;
  const size_t shift = range / kPerDoubling - 1;
  const uint64_t begin = (range % kPerDoubling + kPerDoubling) << shift;
  return begin + (uint64_t{1} << shift) - 1;
}

void LatencyHistogram::Add(uint64_t ns) {
  ++counts_[RangeOf(ns)];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t i = 0; i < kRanges; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

uint64_t LatencyHistogram::QuantileNs(double quantile) const {
  const double exact = std::ceil(quantile * static_cast<double>(count_));
  const auto rank = std::max<uint64_t>(1, static_cast<uint64_t>(exact));
  uint64_t seen = 0;
  for (size_t i = 0; i < kRanges; ++i) {
    seen += counts_[i];
    // The last range has no end of its own.
    if (seen >= rank) return i + 1 == kRanges ? max_ns_ : std::min(EndOf(i), max_ns_);
  }
  return max_ns_;
}

}  // namespace septet::bench
