// Simulated runs: some that are always the same, and some that nobody has seen before. A run that
// fails is made smaller and said with the command that repeats it.

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/simulator/report.h"
#include "proptests/simulator/scenario.h"
#include "proptests/simulator/simulation.h"

namespace septet::simulator {
namespace {

Outcome RunWell(const Scenario& scenario) {
  const Outcome outcome = Simulate(scenario);
  EXPECT_EQ(outcome.fault, "") << ReportOf(scenario, 20);
  return outcome;
}

TEST(Simulator, SeedsThatAreAlwaysTheSame) {
  RunningTotal total;
  for (uint64_t seed = 1; seed <= 12; ++seed) total.Add(RunWell(DrawScenario(seed, 40)));
  // That nothing was found means nothing where nothing happened.
  EXPECT_GT(total.tally.announces, 1000u);
  EXPECT_GT(total.tally.scrapes, 100u);
  EXPECT_GT(total.tally.peers_told, 1000u);
  EXPECT_GT(total.tally.downloads, 10u);
  EXPECT_GT(total.tally.expired, 10u);
  EXPECT_GT(total.tally.refused_ids, 10u);
  EXPECT_GT(total.tally.lent_ids, 10u);
  EXPECT_GT(total.tally.denied, 10u);
  EXPECT_GT(total.tally.not_stored, 10u);
  EXPECT_GT(total.tally.connections_broken, 10u);
  EXPECT_GT(total.tally.restored_peers, 10u);
  EXPECT_GT(total.tally.damages_found, 1u);
}

TEST(Simulator, SeedsThatNobodyHasSeen) {
  const uint64_t first = std::random_device()();
  for (uint64_t seed = first; seed < first + 4; ++seed) RunWell(DrawScenario(seed, 40));
}

TEST(Simulator, ThousandsOfClientsAndAllThatGoesWrong) {
  Scenario scenario;
  scenario.clients = 1000;
  scenario.torrents = 100;
  scenario.intervals = 3;
  scenario.faults = FaultSet::All();
  const Outcome outcome = RunWell(scenario);
  EXPECT_GT(outcome.tally.announces, 1000u);
}

TEST(Simulator, OneScenarioIsOneRun) {
  Scenario scenario;
  scenario.clients = 20;
  scenario.intervals = 3;
  scenario.faults = FaultSet::All();
  const uint64_t trace = Simulate(scenario).trace_hash;
  EXPECT_EQ(Simulate(scenario, /*lines_max=*/100).trace_hash, trace);
  scenario.seed = 2;
  EXPECT_NE(Simulate(scenario).trace_hash, trace);
}

TEST(Shrink, LeavesWhatTheFaultNeeds) {
  Scenario scenario;
  scenario.clients = 900;
  scenario.torrents = 40;
  scenario.intervals = 10;
  scenario.faults = FaultSet::All();
  const Scenario smallest = Shrink(scenario, [](const Scenario& next) {
    return next.clients >= 3 && next.faults.Has(Fault::kRestart) && next.intervals >= 2;
  });
  EXPECT_EQ(FlagsOf(smallest), "--seed=1 --clients=3 --torrents=1 --intervals=2 --faults=restart");
}

TEST(FaultSet, ReadsWhatItSays) {
  for (const char* const text : {"none", "all", "loss", "doubling,memory,lists"}) {
    EXPECT_EQ(FaultSet::Parse(text)->Text(), text);
  }
}

TEST(FaultSet, SaysWhatIsAllowed) {
  const auto parsed = FaultSet::Parse("loss,rain");
  EXPECT_EQ(parsed.status().message(),
            "\"rain\" is no fault; allowed: all, none, loss, doubling, delay, mangling, forgery, "
            "reset, move, clock, freeze, restart, damage, memory, lists");
}

}  // namespace
}  // namespace septet::simulator
