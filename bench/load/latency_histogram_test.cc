#include "bench/load/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

TEST(LatencyHistogram, OfNothingIsZero) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.QuantileNs(0.5), 0u);
  EXPECT_EQ(histogram.max_ns(), 0u);
}

TEST(LatencyHistogram, ShortDurationsAreExact) {
  LatencyHistogram histogram;
  for (uint64_t ns = 1; ns <= 100; ++ns) histogram.Add(ns);
  EXPECT_EQ(histogram.QuantileNs(0.01), 1u);
  EXPECT_EQ(histogram.QuantileNs(0.5), 50u);
  EXPECT_EQ(histogram.QuantileNs(0.99), 99u);
  EXPECT_EQ(histogram.QuantileNs(1), 100u);
}

// Against the definition: the sorted durations, at the rank.
TEST(LatencyHistogram, QuantilesAreWithinASixtyFourthOfTheSortedDurations) {
  LatencyHistogram histogram;
  std::vector<uint64_t> durations;
  uint64_t ns = 3;
  for (int i = 0; i < 5000; ++i) {
    ns = (ns * 6364136223846793005 + 1442695040888963407) >> 1;
    // All magnitudes from nanoseconds to minutes.
    durations.push_back(ns >> (25 + i % 38));
    histogram.Add(durations.back());
  }
  std::sort(durations.begin(), durations.end());
  for (const double quantile : {0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(quantile * 5000));
    const auto exact = static_cast<double>(durations[rank - 1]);
    const auto given = static_cast<double>(histogram.QuantileNs(quantile));
    EXPECT_GE(given, exact) << quantile;
    EXPECT_LE(given, exact * (1 + 1.0 / 64)) << quantile;
  }
}

TEST(LatencyHistogram, NoQuantileIsOverTheLongest) {
  LatencyHistogram histogram;
  histogram.Add(1'000'001);
  EXPECT_EQ(histogram.QuantileNs(0.5), 1'000'001u);
}

TEST(LatencyHistogram, WhatIsLongerThanTheLastRangeCountsStill) {
  LatencyHistogram histogram;
  histogram.Add(UINT64_MAX);
  histogram.Add(5);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.QuantileNs(0.5), 5u);
  EXPECT_EQ(histogram.QuantileNs(1), UINT64_MAX);
}

TEST(LatencyHistogram, MergedIsAsIfAllWereAddedToOne) {
  LatencyHistogram one;
  LatencyHistogram other;
  LatencyHistogram all;
  for (uint64_t i = 1; i <= 1000; ++i) {
    const uint64_t ns = i * i * 1000;
    (i % 3 == 0 ? one : other).Add(ns);
    all.Add(ns);
  }
  one.Merge(other);
  EXPECT_EQ(one.count(), 1000u);
  EXPECT_EQ(one.max_ns(), 1'000'000'000u);
  for (const double quantile : {0.1, 0.5, 0.9, 0.999}) {
    EXPECT_EQ(one.QuantileNs(quantile), all.QuantileNs(quantile));
  }
}

}  // namespace
}  // namespace septet::bench
