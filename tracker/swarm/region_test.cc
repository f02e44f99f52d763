#include "tracker/swarm/region.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tracker/swarm/memory_budget.h"

namespace septet::tracker {
namespace {

constexpr size_t kReserve = size_t{1} << 24;

TEST(MemoryBudget, RefusesWhatWouldPassTheCap) {
  MemoryBudget budget(100, 30);
  EXPECT_FALSE(budget.TryTake(71, Purpose::kGrow));
  EXPECT_TRUE(budget.TryTake(70, Purpose::kGrow));
  EXPECT_FALSE(budget.TryTake(1, Purpose::kGrow));
  EXPECT_TRUE(budget.tight());
  // The reserve is for getting smaller.
  EXPECT_TRUE(budget.TryTake(30, Purpose::kShrink));
  EXPECT_FALSE(budget.TryTake(1, Purpose::kShrink));
  EXPECT_EQ(budget.used(), 100u);
  budget.Return(60);
  EXPECT_TRUE(budget.TryTake(30, Purpose::kGrow));
  EXPECT_FALSE(budget.TryTake(UINT64_MAX, Purpose::kShrink));
}

TEST(MemoryBudget, WithoutACapRefusesNothing) {
  MemoryBudget budget(0, 30);
  EXPECT_TRUE(budget.TryTake(uint64_t{1} << 60, Purpose::kGrow));
  EXPECT_FALSE(budget.tight());
}

TEST(Region, CountsEachPageOnceWhateverIsDone) {
  MemoryBudget budget(0, 0);
  Reservation reservation;
  ASSERT_TRUE(reservation.Reserve(1, kReserve));
  {
    Region region;
    region.Init(&reservation, &budget);
    const auto expect_bytes = [&](size_t bytes) {
      EXPECT_EQ(region.bytes(), bytes);
      EXPECT_EQ(budget.used(), bytes);
    };
    expect_bytes(0);
    ASSERT_TRUE(region.Extend(1, Purpose::kGrow));
    expect_bytes(kPageBytes);
    ASSERT_TRUE(region.Extend(kPageBytes, Purpose::kGrow));
    expect_bytes(kPageBytes);
    ASSERT_TRUE(region.Extend(10 * kPageBytes + 1, Purpose::kGrow));
    expect_bytes(11 * kPageBytes);
    region.TruncateTo(9 * kPageBytes + 1);
    expect_bytes(10 * kPageBytes);
    region.TruncateTo(20 * kPageBytes);
    expect_bytes(10 * kPageBytes);
    region.DropBefore(2 * kPageBytes + 1);
    expect_bytes(8 * kPageBytes);
    region.DropBefore(kPageBytes);
    expect_bytes(8 * kPageBytes);
    region.TruncateTo(0);
    expect_bytes(0);
    region.Clear();
    expect_bytes(0);
    ASSERT_TRUE(region.Extend(3 * kPageBytes, Purpose::kGrow));
    expect_bytes(3 * kPageBytes);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Region, WhatWasGivenBackReadsAsZero) {
  MemoryBudget budget(0, 0);
  Reservation reservation;
  ASSERT_TRUE(reservation.Reserve(1, kReserve));
  Region region;
  region.Init(&reservation, &budget);
  ASSERT_TRUE(region.Extend(2 * kPageBytes, Purpose::kGrow));
  region.data()[0] = region.data()[kPageBytes] = 'x';
  region.TruncateTo(kPageBytes);
  ASSERT_TRUE(region.Extend(2 * kPageBytes, Purpose::kGrow));
  EXPECT_EQ(region.data()[0], 'x');
  EXPECT_EQ(region.data()[kPageBytes], 0);
}

TEST(Region, RefusesPastTheCapAndPastItsAddresses) {
  MemoryBudget budget(3 * kPageBytes, 0);
  Reservation reservation;
  ASSERT_TRUE(reservation.Reserve(2, kReserve));
  Region region;
  region.Init(&reservation, &budget);
  EXPECT_FALSE(region.Extend(4 * kPageBytes, Purpose::kGrow));
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_TRUE(region.Extend(3 * kPageBytes, Purpose::kGrow));
  MemoryBudget no_cap(0, 0);
  Region small;
  small.Init(&reservation, &no_cap);
  EXPECT_FALSE(small.Extend(kReserve + 1, Purpose::kGrow));
  EXPECT_TRUE(small.Extend(kReserve, Purpose::kGrow));
}

TEST(Region, ThoseOfOneReservationDoNotMeet) {
  MemoryBudget budget(0, 0);
  Reservation reservation;
  ASSERT_TRUE(reservation.Reserve(2, 2 * kPageBytes));
  Region regions[2];
  for (Region& region : regions) {
    region.Init(&reservation, &budget);
    ASSERT_TRUE(region.Extend(2 * kPageBytes, Purpose::kGrow));
    EXPECT_FALSE(region.Extend(2 * kPageBytes + 1, Purpose::kGrow));
    for (size_t i = 0; i < 2 * kPageBytes; ++i) region.data()[i] = &region == regions ? 'a' : 'b';
  }
  for (size_t i = 0; i < 2 * kPageBytes; ++i) {
    ASSERT_EQ(regions[0].data()[i], 'a');
    ASSERT_EQ(regions[1].data()[i], 'b');
  }
}

TEST(Region, ARefusedReservationSaysSo) {
  Reservation reservation;
  EXPECT_FALSE(reservation.Reserve(1 << 16, size_t{1} << 40));  // more than any processor has
}

TEST(Region, TakesFewerAddressesWhereTheyAreScarce) {
  EXPECT_EQ(ReservableBytes(1, kReserve), kReserve);
  // More than any processor has.
  EXPECT_LT(ReservableBytes(1 << 16, size_t{1} << 40), size_t{1} << 40);
}

}  // namespace
}  // namespace septet::tracker
