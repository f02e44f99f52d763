#include "bench/comparison/comparison.h"

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

Measurement Of(const std::string& server, uint32_t round, double user_us, double system_us) {
  Measurement m;
  m.server = server;
  m.load = "announce";
  m.round = round;
  m.user_us = user_us;
  m.system_us = system_us;
  m.requests_a_second = 1000 * (round + 1);
  m.errors = 1;
  return m;
}

const ComparedLoad kLoad = {"announce", "floor"};

TEST(Comparison, MedianIsTheMiddle) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({9, 1, 2}), 2);
  EXPECT_EQ(Median({9, 1, 2, 4}), 3);
}

// A round in which the whole machine was slow does not move the ratio.
TEST(Comparison, RatiosAreTakenWithinARound) {
  Comparison comparison;
  comparison.measurements = {Of("floor", 0, 1, 1), Of("tracker", 0, 2, 1),
                             Of("floor", 1, 5, 5), Of("tracker", 1, 9, 6),
                             Of("floor", 2, 1, 1), Of("tracker", 2, 2, 1.2)};
  const auto figures = FiguresOf(comparison, "tracker", kLoad);
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->rounds, 3u);
  EXPECT_DOUBLE_EQ(*figures->to_floor, 1.5);
  EXPECT_DOUBLE_EQ(figures->user_us, 2);
  EXPECT_DOUBLE_EQ(figures->system_us, 1.2);
  EXPECT_DOUBLE_EQ(figures->cpu_us, 3.2);
  EXPECT_DOUBLE_EQ(figures->cpu_us_least, 3);
  EXPECT_DOUBLE_EQ(figures->cpu_us_greatest, 15);
  EXPECT_DOUBLE_EQ(figures->requests_a_second, 2000);
  EXPECT_EQ(figures->errors, 3u);
}

TEST(Comparison, ThereMayBeNoFloorAndNoFigures) {
  Comparison comparison;
  comparison.measurements = {Of("tracker", 0, 2, 1)};
  EXPECT_FALSE(FiguresOf(comparison, "tracker", kLoad)->to_floor.has_value());
  EXPECT_FALSE(FiguresOf(comparison, "floor", kLoad).has_value());
  EXPECT_FALSE(FiguresOf(comparison, "tracker", {"scrape", "floor"}).has_value());
}

}  // namespace
}  // namespace septet::bench
