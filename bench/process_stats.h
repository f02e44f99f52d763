// What a process has used, as Linux accounts for it.

#ifndef SEPTET_BENCH_PROCESS_STATS_H_
#define SEPTET_BENCH_PROCESS_STATS_H_

#include <sys/types.h>

#include <cstdint>

namespace septet::bench {

struct ProcessStats {
  uint64_t resident_bytes = 0;
  // From /proc/PID/stat, in steps of a clock tick (10 ms). Their sum is exact to that; how it
  // is parted between the two is sampled, on a kernel without full accounting.
  double user_s = 0;
  double system_s = 0;
  // How often its threads waited: for work, or for a lock that another had.
  uint64_t voluntary_switches = 0;

  double cpu_s() const { return user_s + system_s; }
};

// All zeros if there is no such process.
ProcessStats StatsOf(pid_t pid);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_PROCESS_STATS_H_
