// Days of a tracker's life in a second: clients with the habits of the field against the whole
// tracker below its sockets, on virtual time, with all that goes wrong between them.
//
// One scenario gives one run, byte for byte, on any machine. All that is random comes from its
// seed; each client, the network and the tracker have numbers of their own, so that a run with
// fewer clients or faults is like the larger one in what is left of it.
//
// At every step replies must be right as far as somebody can know who saw the requests (referee.h),
// and the store keep its bounds. When the faults are over, every client must be answered, the
// counts be those of who is there, and who has others in its swarm know of some.

#ifndef SEPTET_PROPTESTS_SIMULATOR_SIMULATION_H_
#define SEPTET_PROPTESTS_SIMULATOR_SIMULATION_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "proptests/simulator/referee.h"
#include "proptests/simulator/scenario.h"

namespace septet::simulator {

struct Outcome {
  std::string fault;        // what went wrong first, in words; empty: nothing did
  int64_t ended_ms = 0;     // in virtual time; at the fault, if there was one
  uint64_t trace_hash = 0;  // of all that was sent and answered
  Tally tally;
  std::deque<std::string> last_lines;  // the last things that happened, if they were asked for
};

// Cost: some 10 us for an announce, about 15 of which a client makes. `lines_max`: of last_lines.
Outcome Simulate(const Scenario& scenario, size_t lines_max = 0);

// The smallest scenario found that `fails` as well, by leaving out clients, torrents, faults and
// time as long as one still does. `scenario` must fail. Cost: some dozens of runs, at most 200.
Scenario Shrink(const Scenario& scenario,
                const std::function<bool(const Scenario& scenario)>& fails);

// As above, of scenarios whose Outcome has a fault.
Scenario Shrink(const Scenario& scenario);

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_SIMULATION_H_
