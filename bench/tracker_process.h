// A tracker in a process of its own, for benchmarks: started, measured from outside, ended.

#ifndef SEPTET_BENCH_TRACKER_PROCESS_H_
#define SEPTET_BENCH_TRACKER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "bench/process_stats.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

// Not thread-safe.
class TrackerProcess {
 public:
  // This program again, as a Septet server on free ports of 127.0.0.1 and ::1: see
  // ServeIfAsked. `workers` event loops.
  static absl::StatusOr<std::unique_ptr<TrackerProcess>> StartSeptet(uint32_t workers);

  // Debian's opentracker on a free port, for the torrents given. NotFound if it is not
  // installed.
  static absl::StatusOr<std::unique_ptr<TrackerProcess>> StartOpentracker(
      const std::vector<tracker::InfoHash>& torrents);

  // Ends it.
  ~TrackerProcess();

  pid_t pid() const { return pid_; }
  uint16_t udp_port() const { return udp_port_; }
  uint16_t udp6_port() const { return udp6_port_; }  // 0: none
  uint16_t http_port() const { return http_port_; }
  ProcessStats stats() const { return StatsOf(pid_); }

  // What the store says of itself; none of another tracker.
  absl::optional<tracker::StoreUsage> Usage();

 private:
  TrackerProcess() = default;
  std::string ReadLine();

  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  uint16_t udp_port_ = 0;
  uint16_t udp6_port_ = 0;
  uint16_t http_port_ = 0;
  std::string folder_;  // of files that the process reads
};

// For the first line of main: if this process was started by StartSeptet, serves until
// its standard input ends, and exits.
void ServeIfAsked(int argc, char** argv);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_TRACKER_PROCESS_H_
