// Runs simulations one after the other, each with a seed of its own, until one fails:
//
//   bazel run -c opt //proptests:simulate -- --seconds=60
//
// A failing run is made smaller, and said with the command that repeats it. Exit status 1.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "proptests/simulator/report.h"
#include "proptests/simulator/scenario.h"
#include "proptests/simulator/simulation.h"

ABSL_FLAG(uint64_t, seed, 0, "of the first run; each next one is one more. 0: a fresh one");
ABSL_FLAG(int64_t, seconds, 0, "for how long new runs begin; 0: for ever");
ABSL_FLAG(uint32_t, runs, 0, "how many runs at most; 0: any number");
ABSL_FLAG(uint32_t, clients_max, 3000, "clients in a run at most");
ABSL_FLAG(uint32_t, clients, 0, "clients, instead of a number from the seed");
ABSL_FLAG(uint32_t, torrents, 0, "torrents, instead of a number from the seed");
ABSL_FLAG(uint32_t, intervals, 0,
          "announce intervals with faults, instead of a number from the seed");
ABSL_FLAG(std::string, faults, "",
          "what goes wrong, as in loss,restart; all; none. Empty: from the seed");
ABSL_FLAG(bool, verbose, false,
          "a line for each run; of a failing one the last things that happened");

namespace septet::simulator {
namespace {

Scenario ScenarioOfFlags(uint64_t seed, const FaultSet* faults) {
  Scenario scenario = DrawScenario(seed, std::max(absl::GetFlag(FLAGS_clients_max), 1u));
  const auto replace = [](uint32_t given, uint32_t* value) {
    *value = given != 0 ? given : *value;
  };
  replace(absl::GetFlag(FLAGS_clients), &scenario.clients);
  replace(absl::GetFlag(FLAGS_torrents), &scenario.torrents);
  replace(absl::GetFlag(FLAGS_intervals), &scenario.intervals);
  if (faults != nullptr) scenario.faults = *faults;
  return scenario;
}

int Run() {
  FaultSet faults;
  const std::string faults_text = absl::GetFlag(FLAGS_faults);
  if (!faults_text.empty()) {
    const auto parsed = FaultSet::Parse(faults_text);
    if (!parsed.ok()) {
      std::fprintf(stderr, "--faults: %s\n", std::string(parsed.status().message()).c_str());
      return 2;
    }
    faults = *parsed;
  }
  uint64_t seed = absl::GetFlag(FLAGS_seed);
  const bool is_one_run = seed != 0 && absl::GetFlag(FLAGS_clients) != 0;
  if (seed == 0) seed = std::random_device()();
  uint32_t runs_max = absl::GetFlag(FLAGS_runs);
  if (is_one_run && runs_max == 0) runs_max = 1;
  const int64_t seconds = absl::GetFlag(FLAGS_seconds);
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return seconds != 0 &&
           std::chrono::steady_clock::now() - begin >= std::chrono::seconds(seconds);
  };
  RunningTotal total;
  for (; (runs_max == 0 || total.runs < runs_max) && !is_over(); ++seed) {
    const Scenario scenario = ScenarioOfFlags(seed, faults_text.empty() ? nullptr : &faults);
    const Outcome outcome = Simulate(scenario);
    total.Add(outcome);
    if (absl::GetFlag(FLAGS_verbose)) std::printf("%s\n", LineOf(scenario, outcome).c_str());
    if (outcome.fault.empty()) continue;
    std::printf("%s", ReportOf(scenario, absl::GetFlag(FLAGS_verbose) ? 60 : 0).c_str());
    return 1;
  }
  std::printf("%s", total.Text().c_str());
  return 0;
}

}  // namespace
}  // namespace septet::simulator

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("simulates trackers and their clients until a run fails");
  absl::ParseCommandLine(argc, argv);
  return septet::simulator::Run();
}
