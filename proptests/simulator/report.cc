#include "proptests/simulator/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace septet::simulator {
namespace {

constexpr int64_t kHourMs = 60 * 60 * 1000;

struct Row {
  const char* name;
  uint64_t Tally::* number;
};
constexpr Row kRows[] = {
    {"announces", &Tally::announces},
    {"scrapes", &Tally::scrapes},
    {"peers told", &Tally::peers_told},
    {"downloads", &Tally::downloads},
    {"peers expired", &Tally::expired},
    {"connection ids refused", &Tally::refused_ids},
    {"  given to another address", &Tally::lent_ids},
    {"announces denied", &Tally::denied},
    {"peers without memory", &Tally::not_stored},
    {"connections broken", &Tally::connections_broken},
    {"restarts", &Tally::restarts},
    {"  peers restored", &Tally::restored_peers},
    {"  damages found", &Tally::damages_found},
};

}  // namespace

std::string LineOf(const Scenario& scenario, const Outcome& outcome) {
  return absl::StrFormat("%s: %d h, %d announces, trace %016x%s%s", FlagsOf(scenario),
                         outcome.ended_ms / kHourMs, outcome.tally.announces, outcome.trace_hash,
                         outcome.fault.empty() ? "" : ": ", outcome.fault);
}

std::string ReportOf(const Scenario& scenario, size_t lines) {
  const Outcome first = Simulate(scenario);
  const Scenario smallest = Shrink(scenario);
  const Outcome outcome = Simulate(smallest, lines);
  std::string text = absl::StrCat(
      "FAILED: ", first.fault, "\n  with ", FlagsOf(scenario), "\nsmaller: ", outcome.fault,
      "\n  after ", outcome.ended_ms, " ms of virtual time, ", outcome.tally.announces,
      " announces. To repeat it:\n  bazel run -c opt //proptests:simulate -- --verbose ",
      FlagsOf(smallest), "\n");
  for (const std::string& line : outcome.last_lines) absl::StrAppend(&text, "  ", line, "\n");
  return text;
}

void RunningTotal::Add(const Outcome& outcome) {
  ++runs;
  simulated_ms += outcome.ended_ms;
  for (const Row& row : kRows) tally.*row.number += outcome.tally.*row.number;
}

std::string RunningTotal::Text() const {
  std::string text = absl::StrFormat("%d runs, %d hours of virtual time, no fault\n", runs,
                                     simulated_ms / kHourMs);
  for (const Row& row : kRows) {
    absl::StrAppendFormat(&text, "  %-28s%12d\n", row.name, tally.*row.number);
  }
  return text;
}

}  // namespace septet::simulator
