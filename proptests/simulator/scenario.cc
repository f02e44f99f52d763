#include "proptests/simulator/scenario.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tracker/random.h"

namespace septet::simulator {

const std::array<absl::string_view, kFaults> kFaultNames = {
    "loss",  "doubling", "delay",   "mangling", "forgery", "reset", "move",
    "clock", "freeze",   "restart", "damage",   "memory",  "lists",
};

FaultSet FaultSet::All() {
  FaultSet set;
  set.bits_ = (uint32_t{1} << kFaults) - 1;
  return set;
}

absl::StatusOr<FaultSet> FaultSet::Parse(absl::string_view text) {
  if (text == "all") return All();
  FaultSet set;
  if (text == "none") return set;
  for (const absl::string_view name : absl::StrSplit(text, ',')) {
    const auto found = std::find(kFaultNames.begin(), kFaultNames.end(), name);
    if (found == kFaultNames.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", name, "\" is no fault; allowed: all, none, ", absl::StrJoin(kFaultNames, ", ")));
    }
    set.Set(static_cast<Fault>(found - kFaultNames.begin()), true);
  }
  return set;
}

void FaultSet::Set(Fault fault, bool on) {
  const uint32_t bit = uint32_t{1} << static_cast<int>(fault);
  bits_ = on ? bits_ | bit : bits_ & ~bit;
}

std::string FaultSet::Text() const {
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < kFaultNames.size(); ++i) {
    if (Has(static_cast<Fault>(i))) names.push_back(kFaultNames[i]);
  }
  if (names.empty()) return "none";
  return names.size() == kFaultNames.size() ? "all" : absl::StrJoin(names, ",");
}

Scenario DrawScenario(uint64_t seed, uint32_t clients_max) {
  tracker::Random random(seed ^ 0x5ce4a210);
  Scenario scenario;
  scenario.seed = seed;
  // Small worlds have more ways in a second than large ones, and are more often of use.
  const std::array<uint32_t, 4> sizes = {3, 20, 200, clients_max};
  scenario.clients = 1 + random.Below(std::min(sizes[random.Below(4)], clients_max));
  const std::array<uint32_t, 4> torrents = {1, 3, 30, scenario.clients};
  scenario.torrents = 1 + random.Below(std::min(torrents[random.Below(4)], scenario.clients));
  scenario.intervals = 3 + random.Below(8);
  // Now and then all at once or none; else each of them in half of the runs.
  const uint32_t kind = random.Below(8);
  for (int i = 0; i < kFaults; ++i) {
    const bool drawn = random.Below(2) == 0;
    scenario.faults.Set(static_cast<Fault>(i), kind == 0 || (kind > 1 && drawn));
  }
  return scenario;
}

std::string FlagsOf(const Scenario& scenario) {
  return absl::StrCat("--seed=", scenario.seed, " --clients=", scenario.clients,
                      " --torrents=", scenario.torrents, " --intervals=", scenario.intervals,
                      " --faults=", scenario.faults.Text());
}

}  // namespace septet::simulator
