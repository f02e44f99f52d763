// What happens to a datagram on its way.

#ifndef SEPTET_PROPTESTS_SIMULATOR_NETWORK_H_
#define SEPTET_PROPTESTS_SIMULATOR_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proptests/simulator/scenario.h"
#include "tracker/random.h"

namespace septet::simulator {

struct Arrival {
  int64_t delay_ms = 0;
  std::string packet;
};

// Never, once, or twice; sooner or later; as it was sent, or not. What has no bytes never arrives.
// The faults that count are kLoss, kDoubling, kDelay and kMangling.
inline std::vector<Arrival> Carry(const std::string& packet, const FaultSet& faults,
                                  tracker::Random& random) {
  // Each kind has its numbers drawn whether it happens or not: to leave one out changes nothing
  // of the others.
  const bool is_lost = random.Below(100) < 10;
  const bool is_doubled = random.Below(100) < 10;
  const bool is_late = random.Below(100) < 10;
  const bool is_mangled = random.Below(100) < 5;
  const int64_t late_ms = random.Below(60'000);
  if (packet.empty() || (is_lost && faults.Has(Fault::kLoss))) return {};
  Arrival arrival{5 + random.Below(200), packet};
  if (is_late && faults.Has(Fault::kDelay)) arrival.delay_ms += late_ms;
  std::vector<Arrival> arrivals(is_doubled && faults.Has(Fault::kDoubling) ? 2 : 1, arrival);
  if (arrivals.size() == 2) arrivals[1].delay_ms += random.Below(2'000);
  if (is_mangled && faults.Has(Fault::kMangling)) {
    std::string& bytes = arrivals[0].packet;
    const auto size = static_cast<uint32_t>(bytes.size());
    if (random.Below(4) == 0) {
      bytes.resize(random.Below(size));
    } else {
      for (uint32_t i = 1 + random.Below(3); i > 0; --i) {
        bytes[random.Below(size)] = static_cast<char>(random.Next());
      }
    }
  }
  return arrivals;
}

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_NETWORK_H_
