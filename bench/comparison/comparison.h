// The figures of a comparison, and what follows from them.

#ifndef SEPTET_BENCH_COMPARISON_COMPARISON_H_
#define SEPTET_BENCH_COMPARISON_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace septet::bench {

// One server under one load in one round.
struct Measurement {
  std::string server;
  std::string load;
  uint32_t round = 0;
  double requests_a_second = 0;
  // CPU time of the server, microseconds a request.
  double user_us = 0;
  double system_us = 0;
  // Voluntary context switches of the server, a request.
  double switches = 0;
  // Latency in the closed loop.
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  uint64_t errors = 0;

  double cpu_us() const { return user_us + system_us; }
};

struct ComparedServer {
  std::string name;
  std::string version;
  absl::optional<double> bytes_a_peer;  // none: it stores nothing
};

// What is asked, and the server beside which all are seen under this load.
struct ComparedLoad {
  std::string name;
  std::string floor;
};

struct Machine {
  std::string date;
  std::string cpu;
  uint32_t cores = 0;
  std::string kernel;
  std::string distribution;
  std::string compiler;
  std::string load_average;  // before: over about 0.5 the machine was not quiet
};

struct Comparison {
  Machine machine;
  std::string settings;  // in words
  std::vector<ComparedServer> servers;
  std::vector<ComparedLoad> loads;
  std::vector<Measurement> measurements;
};

// The medians over the rounds of one server under one load.
struct Figures {
  uint32_t rounds = 0;
  double requests_a_second = 0;
  double user_us = 0;
  double system_us = 0;
  double cpu_us = 0;
  // The least and the greatest of all rounds.
  double cpu_us_least = 0;
  double cpu_us_greatest = 0;
  double switches = 0;
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  uint64_t errors = 0;  // of all rounds together
  // The median of the ratios of CPU time, each to the floor of the same round; none if there is
  // no floor.
  absl::optional<double> to_floor;
};

// None: the server was not put under that load.
absl::optional<Figures> FiguresOf(const Comparison& comparison, absl::string_view server,
                                  const ComparedLoad& load);

// The middle one, or the mean of the two; 0 of nothing.
double Median(std::vector<double> values);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_COMPARISON_H_
