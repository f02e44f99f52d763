// Runs a load against a tracker on this machine, and says what came of it.

#ifndef SEPTET_BENCH_LOAD_LOAD_RUN_H_
#define SEPTET_BENCH_LOAD_LOAD_RUN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "bench/load/load_result.h"
#include "bench/load/swarm_population.h"
#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

enum class LoadProtocol : uint8_t { kUdp, kHttpKeepAlive, kHttpClose };

// Where the tracker is. For IPv6 peers the endpoints of IPv6.
struct LoadTarget {
  LoadProtocol protocol = LoadProtocol::kUdp;
  tracker::Endpoint ipv4;
  absl::optional<tracker::Endpoint> ipv6;
};

struct LoadOptions {
  bool scrape = false;   // else announces
  uint32_t window = 32;  // requests under way at most
  double rate = 0;       // requests a second that are due (open loop); 0: closed loop
  double seconds = 5;    // in which requests are sent
  uint32_t numwant = 50;
  // Some peers start, complete and stop, as in the field; else all only report.
  bool mixed_events = false;
  double timeout_s = 1;
  bool knows_hashes = true;  // false: a null server
  uint64_t seed = 1;
};

// The torrents of a population: those of bench/swarm_shape.h, so that programs agree on
// them.
std::vector<tracker::InfoHash> HashesOf(const SwarmPopulation& population);

// Sends requests of peers drawn from the population, and awaits the replies. Errors: the
// tracker cannot be reached; what goes wrong later is in the result.
absl::StatusOr<LoadResult> RunLoad(const LoadTarget& target, const LoadOptions& options,
                                   const SwarmPopulation& population,
                                   const std::vector<tracker::InfoHash>& hashes);

// Announces every peer once (started, none wanted), so that swarms grow side by side. What
// was lost is in the result: such peers may be missing.
absl::StatusOr<LoadResult> LoadPopulation(const LoadTarget& target,
                                          const SwarmPopulation& population,
                                          const std::vector<tracker::InfoHash>& hashes);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_LOAD_RUN_H_
