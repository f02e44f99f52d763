#ifndef SEPTET_BENCH_LOAD_MONOTONIC_CLOCK_H_
#define SEPTET_BENCH_LOAD_MONOTONIC_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace septet::bench {

// Nanoseconds of a clock that does not go back.
inline uint64_t MonotonicNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_MONOTONIC_CLOCK_H_
