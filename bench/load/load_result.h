// What came of a load, and how it is told.

#ifndef SEPTET_BENCH_LOAD_LOAD_RESULT_H_
#define SEPTET_BENCH_LOAD_LOAD_RESULT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "bench/load/latency_histogram.h"

namespace septet::bench {

struct LoadResult {
  uint64_t sent = 0;
  uint64_t replies = 0;  // that were right
  uint64_t lost = 0;     // no reply within the time allowed
  uint64_t strays = 0;   // packets that answer nothing, or came too late
  uint64_t peers_told = 0;
  // What was wrong, and how often.
  std::map<std::string, uint64_t> faults;
  LatencyHistogram latency;
  double seconds = 0;

  void AddFault(absl::string_view fault) { ++faults[std::string(fault)]; }
  uint64_t faulty() const;
  uint64_t errors() const { return lost + faulty(); }
  double rate() const { return seconds > 0 ? static_cast<double>(replies) / seconds : 0; }
  double QuantileUs(double quantile) const {
    return static_cast<double>(latency.QuantileNs(quantile)) / 1000;
  }
};

// A few lines; the faults with their counts at the end.
std::string ToText(const LoadResult& result);

// One object on one line. Keys with units: "requests_per_second", "p50_us", ...
std::string ToJson(const LoadResult& result);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_LOAD_RESULT_H_
