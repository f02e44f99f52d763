#include "bench/process_stats.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

rusage Usage() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// The kernel tells the same through getrusage, another way to it.
TEST(ProcessStats, TimeIsThatOfGetrusage) {
  volatile uint64_t sum = 0;
  while (Seconds(Usage().ru_utime) + Seconds(Usage().ru_stime) < 0.2) {
    for (int i = 0; i < 100'000; ++i) sum = sum + 1;
  }
  const rusage before = Usage();
  const ProcessStats stats = StatsOf(getpid());
  const rusage after = Usage();
  constexpr double kTwoTicks = 0.02;
  EXPECT_GE(stats.cpu_s(), Seconds(before.ru_utime) + Seconds(before.ru_stime) - kTwoTicks);
  EXPECT_LE(stats.cpu_s(), Seconds(after.ru_utime) + Seconds(after.ru_stime) + kTwoTicks);
}

TEST(ProcessStats, MemoryThatIsTouchedIsResident) {
  constexpr size_t kBytes = 64 << 20;
  const uint64_t before = StatsOf(getpid()).resident_bytes;
  // Of the kernel, and volatile: a compiler may drop memory of malloc that nobody reads.
  void* const mapped =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  volatile char* const bytes = static_cast<char*>(mapped);
  constexpr size_t kPageBytes = 4096;
  for (size_t i = 0; i < kBytes; i += kPageBytes) bytes[i] = 1;
  const uint64_t after = StatsOf(getpid()).resident_bytes;
  EXPECT_GE(after - before, kBytes * 9 / 10);
  munmap(mapped, kBytes);
}

TEST(ProcessStats, AWaitIsASwitch) {
  const uint64_t before = StatsOf(getpid()).voluntary_switches;
  for (int i = 0; i < 10; ++i) usleep(1000);
  EXPECT_GE(StatsOf(getpid()).voluntary_switches, before + 10);
}

TEST(ProcessStats, OfNoProcessAreZero) {
  EXPECT_EQ(StatsOf(-1).resident_bytes, 0u);
  EXPECT_EQ(StatsOf(-1).cpu_s(), 0);
}

}  // namespace
}  // namespace septet::bench
