#include "tracker/udp/connection_id.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

constexpr int64_t kValidityMs = 120'000;
constexpr SipHashKey kKey = {1, 2, 3};
constexpr uint8_t kAddress[16] = {10, 0, 0, 1};

TEST(ConnectionIds, HoldForTheValidityAndLessThanHalfAsLongAgain) {
  const ConnectionIds ids(kKey, kValidityMs);
  const Endpoint source = MakeIpv4(kAddress, 1000);
  // From every phase of the clock.
  for (int64_t made = 1'700'000'000'000; made < 1'700'000'120'000; made += 777) {
    const uint64_t id = ids.Make(source, made);
    EXPECT_TRUE(ids.IsValid(id, source, made));
    EXPECT_TRUE(ids.IsValid(id, source, made + kValidityMs));
    EXPECT_FALSE(ids.IsValid(id, source, made + kValidityMs * 3 / 2));
    // By a clock that is behind, or was set back.
    EXPECT_TRUE(ids.IsValid(id, source, made - kValidityMs / 2));
    EXPECT_FALSE(ids.IsValid(id, source, made - kValidityMs));
  }
}

TEST(ConnectionIds, AreOfAnAddressNotOfAPort) {
  const ConnectionIds ids(kKey, kValidityMs);
  const uint64_t id = ids.Make(MakeIpv4(kAddress, 1000), 0);
  EXPECT_TRUE(ids.IsValid(id, MakeIpv4(kAddress, 2000), 0));
  constexpr uint8_t kOther[4] = {10, 0, 0, 2};
  EXPECT_FALSE(ids.IsValid(id, MakeIpv4(kOther, 1000), 0));
  EXPECT_FALSE(ids.IsValid(id, MakeIpv6(kAddress, 1000), 0));
}

TEST(ConnectionIds, AreSharedByThoseWhoShareTheKey) {
  const Endpoint source = MakeIpv6(kAddress, 1000);
  const uint64_t id = ConnectionIds(kKey, kValidityMs).Make(source, 5);
  EXPECT_TRUE(ConnectionIds(kKey, kValidityMs).IsValid(id, source, 6));
  EXPECT_FALSE(ConnectionIds(SipHashKey{9}, kValidityMs).IsValid(id, source, 6));
}

// Trackers that share a key may be of different releases: an id is SipHash-2-4 of the
// address and the number of the period, 8 bytes little-endian. These are from OpenSSL.
TEST(ConnectionIds, AreTheSameInEveryRelease) {
  const ConnectionIds ids(kKey, kValidityMs);
  constexpr int64_t kWallMs = 1'700'000'000'000;  // in period 28333333
  EXPECT_EQ(ids.Make(MakeIpv4(kAddress, 1000), kWallMs), 0x90d032c38490df14u);
  constexpr uint8_t kIpv6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(ids.Make(MakeIpv6(kIpv6, 1000), kWallMs), 0x9385c5e2f958e2acu);
}

TEST(ConnectionIds, EveryBitOfAnIdCounts) {
  const ConnectionIds ids(kKey, kValidityMs);
  const Endpoint source = MakeIpv4(kAddress, 1000);
  const uint64_t id = ids.Make(source, 0);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(ids.IsValid(id ^ uint64_t{1} << bit, source, 0)) << bit;
  }
}

}  // namespace
}  // namespace septet::tracker
