// What a person reads of simulated runs.

#ifndef SEPTET_PROPTESTS_SIMULATOR_REPORT_H_
#define SEPTET_PROPTESTS_SIMULATOR_REPORT_H_

#include <cstdint>
#include <string>

#include "proptests/simulator/scenario.h"
#include "proptests/simulator/simulation.h"

namespace septet::simulator {

// One run in a line.
std::string LineOf(const Scenario& scenario, const Outcome& outcome);

// Of a scenario that fails: the fault, the smallest scenario found that fails too, its fault and
// the command that repeats it; then the last `lines` things that happened in it.
std::string ReportOf(const Scenario& scenario, size_t lines);

// What many runs met.
struct RunningTotal {
  uint64_t runs = 0;
  int64_t simulated_ms = 0;
  Tally tally;

  void Add(const Outcome& outcome);
  std::string Text() const;
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_REPORT_H_
