// What a simulated run is made from: a few numbers, of which the same give the same run.

#ifndef SEPTET_PROPTESTS_SIMULATOR_SCENARIO_H_
#define SEPTET_PROPTESTS_SIMULATOR_SCENARIO_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace septet::simulator {

// What may go wrong in a run.
enum class Fault : uint8_t {
  kLoss,      // datagrams are lost
  kDoubling,  // arrive twice
  kDelay,     // arrive late, and so in another order
  kMangling,  // arrive with other bytes
  kForgery,   // come from somebody who is not at the address that they name
  kReset,     // connections break at any byte
  kMove,      // clients get another address and say so to nobody
  kClock,     // the wall clock of the tracker is set, forwards or backwards
  kFreeze,    // the tracker gets no time for minutes
  kRestart,   // the tracker ends or crashes, or its machine does, and comes back from its snapshot
  kDamage,    // the snapshot that it comes back from was changed
  kMemory,    // there is less memory than peers
  kLists,     // torrents are denied and allowed again
};
inline constexpr int kFaults = 13;
extern const std::array<absl::string_view, kFaults> kFaultNames;  // as flags have them

// A set of faults. A value.
class FaultSet {
 public:
  static FaultSet All();
  // "loss,restart", "all" or "none". Errors (InvalidArgument) name what is allowed.
  static absl::StatusOr<FaultSet> Parse(absl::string_view text);

  bool Has(Fault fault) const { return (bits_ >> static_cast<int>(fault) & 1) != 0; }
  void Set(Fault fault, bool on);
  std::string Text() const;

  friend bool operator==(const FaultSet&, const FaultSet&) = default;

 private:
  uint32_t bits_ = 0;
};

struct Scenario {
  uint64_t seed = 1;
  uint32_t clients = 100;  // at least 1
  uint32_t torrents = 10;  // at least 1
  // How long faults happen, in announce intervals. A calm follows in which everything has to come
  // right again.
  uint32_t intervals = 6;
  FaultSet faults;

  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// A scenario of which everything is drawn from the seed, of up to `clients_max` clients.
Scenario DrawScenario(uint64_t seed, uint32_t clients_max);

// The flags of //proptests:simulate that run it again.
std::string FlagsOf(const Scenario& scenario);

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_SCENARIO_H_
