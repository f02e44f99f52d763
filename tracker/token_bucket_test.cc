#include "tracker/token_bucket.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

uint32_t TakeAll(TokenBucket& bucket, int64_t now_ms, uint32_t tries) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < tries; ++i) taken += bucket.Take(now_ms) ? 1 : 0;
  return taken;
}

TEST(TokenBucketTest, ASecondsWorthPassesAtOnce) {
  TokenBucket bucket(10);
  EXPECT_EQ(TakeAll(bucket, 5, 100), 10u);
  EXPECT_EQ(bucket.refused(), 90u);
}

TEST(TokenBucketTest, ItFillsWithTimeAndNotOver) {
  TokenBucket bucket(10);
  TakeAll(bucket, 0, 100);
  EXPECT_EQ(TakeAll(bucket, 99, 100), 0u);
  EXPECT_EQ(TakeAll(bucket, 100, 100), 1u);
  EXPECT_EQ(TakeAll(bucket, 650, 100), 5u);
  EXPECT_EQ(TakeAll(bucket, 3'600'000, 100), 10u);
}

TEST(TokenBucketTest, SmallStepsOfTimeAreNotLost) {
  TokenBucket bucket(1);
  TakeAll(bucket, 0, 1);
  uint32_t taken = 0;
  for (int64_t now_ms = 1; now_ms <= 60'000; ++now_ms) taken += TakeAll(bucket, now_ms, 1);
  EXPECT_EQ(taken, 60u);
}

TEST(TokenBucketTest, ARateOfZeroLetsNothingThrough) {
  TokenBucket bucket(0);
  EXPECT_EQ(TakeAll(bucket, 1'000'000, 10), 0u);
}

TEST(TokenBucketTest, ExtremesDoNotOverflow) {
  TokenBucket bucket(std::numeric_limits<uint32_t>::max());
  EXPECT_TRUE(bucket.Take(std::numeric_limits<int64_t>::max()));
  EXPECT_TRUE(bucket.Take(0));  // a clock that was set back
  EXPECT_EQ(bucket.refused(), 0u);
}

}  // namespace
}  // namespace septet::tracker
