// The servers of a comparison, started and ready to be loaded.

#ifndef SEPTET_BENCH_COMPARISON_CANDIDATES_H_
#define SEPTET_BENCH_COMPARISON_CANDIDATES_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "bench/comparison/comparison.h"
#include "bench/comparison/server_process.h"
#include "bench/tracker_process.h"
#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

// A server and what can be asked of it.
struct Candidate {
  ComparedServer server;
  pid_t pid = -1;
  absl::optional<tracker::Endpoint> udp;
  absl::optional<tracker::Endpoint> http_keep_alive;
  absl::optional<tracker::Endpoint> http_close;
  bool is_null = false;  // stores nothing, knows no info-hash

  // One of them owns the process.
  std::unique_ptr<ServerProcess> process;
  std::unique_ptr<TrackerProcess> opentracker;
};

// The names of the null servers, which the loads refer to.
inline constexpr char kNullUdp[] = "null, batched";
inline constexpr char kNullUdpOneByOne[] = "null, one by one";
inline constexpr char kNullHttpClose[] = "null, closing";
inline constexpr char kNullHttpKeepAlive[] = "null, keep-alive";

// Another tracker. Which of the addresses are empty, it is not asked there.
struct OtherTracker {
  std::string name;
  std::string command;  // of the shell
  std::string udp;      // ADDR:PORT
  std::string http;
  bool keeps_alive = false;
};

// Programs beside this one in the output folder of the build. Errors say what did not start.
absl::StatusOr<Candidate> StartSeptet(uint32_t workers);
absl::StatusOr<std::vector<Candidate>> StartNullServers();
// NotFound: it is not installed.
absl::StatusOr<Candidate> StartOpentracker(const std::vector<tracker::InfoHash>& hashes);
absl::StatusOr<Candidate> StartOther(const OtherTracker& other);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_CANDIDATES_H_
