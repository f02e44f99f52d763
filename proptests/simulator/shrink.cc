#include <vector>

#include "proptests/simulator/simulation.h"

namespace septet::simulator {
namespace {

// Each a little less than `scenario`, the boldest first.
std::vector<Scenario> Smaller(const Scenario& scenario) {
  std::vector<Scenario> smaller;
  const auto add = [&](auto change) {
    Scenario next = scenario;
    change(&next);
    if (!(next == scenario)) smaller.push_back(next);
  };
  add([](Scenario* s) { s->clients = (s->clients + 3) / 4; });
  add([](Scenario* s) { s->clients = (s->clients + 1) / 2; });
  add([](Scenario* s) { s->torrents = (s->torrents + 3) / 4; });
  add([](Scenario* s) { s->torrents = (s->torrents + 1) / 2; });
  for (int i = 0; i < kFaults; ++i) {
    add([i](Scenario* s) { s->faults.Set(static_cast<Fault>(i), false); });
  }
  add([](Scenario* s) { s->intervals = (s->intervals + 1) / 2; });
  add([](Scenario* s) { s->intervals -= s->intervals > 1 ? 1 : 0; });
  add([](Scenario* s) { s->clients -= s->clients > 1 ? 1 : 0; });
  add([](Scenario* s) { s->torrents -= s->torrents > 1 ? 1 : 0; });
  return smaller;
}

}  // namespace

Scenario Shrink(const Scenario& scenario,
                const std::function<bool(const Scenario& scenario)>& fails) {
  constexpr int kRunsMax = 200;
  Scenario smallest = scenario;
  int runs = 0;
  for (bool found = true; found && runs < kRunsMax;) {
    found = false;
    for (const Scenario& next : Smaller(smallest)) {
      ++runs;
      found = fails(next);
      if (found) smallest = next;
      if (found || runs >= kRunsMax) break;
    }
  }
  return smallest;
}

Scenario Shrink(const Scenario& scenario) {
  return Shrink(scenario, [](const Scenario& next) { return !Simulate(next).fault.empty(); });
}

}  // namespace septet::simulator
