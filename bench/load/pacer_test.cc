#include "bench/load/pacer.h"

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

TEST(Pacer, AClosedLoopIsDueAtOnce) {
  Pacer pacer(0, 1000);
  EXPECT_EQ(pacer.NextDueNs(1234), 1234u);
  pacer.Take();
  EXPECT_EQ(pacer.NextDueNs(1234), 1234u);
}

TEST(Pacer, AnOpenLoopKeepsItsTimesWhateverTheClockSays) {
  Pacer pacer(1000, 5'000'000);
  EXPECT_EQ(pacer.NextDueNs(0), 5'000'000u);
  pacer.Take();
  // The server stalled for a second: what was due then counts from then.
  EXPECT_EQ(pacer.NextDueNs(1'000'000'000), 6'000'000u);
  pacer.Take();
  EXPECT_EQ(pacer.NextDueNs(1'000'000'000), 7'000'000u);
}

// Three a second: no rounding adds up.
TEST(Pacer, TheRateIsKeptOverALongRun) {
  Pacer pacer(3, 0);
  for (int i = 0; i < 3'000'000; ++i) pacer.Take();
  EXPECT_EQ(pacer.NextDueNs(0), 1'000'000'000'000'000u);
}

}  // namespace
}  // namespace septet::bench
