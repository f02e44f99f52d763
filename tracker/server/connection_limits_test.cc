#include "tracker/server/connection_limits.h"

#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {
namespace {

using Verdict = ConnectionLimits::Verdict;

Endpoint Ipv4(uint8_t last, uint16_t port = 1) {
  const uint8_t bytes[] = {192, 0, 2, last};
  return MakeIpv4(bytes, port);
}

// 2001:db8:0:NETWORK::HOST
Endpoint Ipv6(uint8_t network, uint8_t host) {
  const uint8_t bytes[16] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host};
  return MakeIpv6(bytes, 1);
}

TEST(ConnectionLimitsTest, LimitsAllConnections) {
  ConnectionLimits limits(2, 0);
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kTooMany);
  EXPECT_EQ(limits.connections(), 2u);
  limits.Release(Ipv4(1));
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
}

TEST(ConnectionLimitsTest, LimitsAnIpv4AddressWhateverThePort) {
  ConnectionLimits limits(100, 2);
  EXPECT_EQ(limits.Admit(Ipv4(1, 1000)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(1, 1001)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(1, 1002)), Verdict::kTooManyFromAddress);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
  EXPECT_EQ(limits.connections(), 3u);
  limits.Release(Ipv4(1, 1001));
  EXPECT_EQ(limits.Admit(Ipv4(1, 1003)), Verdict::kAdmitted);
}

TEST(ConnectionLimitsTest, TheLimitOfAnAddressIsToldFirst) {
  ConnectionLimits limits(2, 1);
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kTooManyFromAddress);
  EXPECT_EQ(limits.Admit(Ipv4(3)), Verdict::kTooMany);
  // What was refused is not counted.
  limits.Release(Ipv4(1));
  EXPECT_EQ(limits.Admit(Ipv4(3)), Verdict::kAdmitted);
}

TEST(ConnectionLimitsTest, LimitsAnIpv6NetworkOf64Bits) {
  ConnectionLimits limits(100, 1);
  EXPECT_EQ(limits.Admit(Ipv6(1, 1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv6(1, 2)), Verdict::kTooManyFromAddress);
  EXPECT_EQ(limits.Admit(Ipv6(2, 1)), Verdict::kAdmitted);
}

TEST(ConnectionLimitsTest, FamiliesAreApart) {
  ConnectionLimits limits(100, 1);
  const uint8_t like_ipv4[16] = {192, 0, 2, 1};
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(MakeIpv6(like_ipv4, 1)), Verdict::kAdmitted);
}

TEST(ConnectionLimitsTest, ExemptAddressesCountInAllOnly) {
  ConnectionLimits limits(4, 1, *Networks::Parse("192.0.2.1"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kTooMany);
  for (int i = 0; i < 3; ++i) limits.Release(Ipv4(1));
  EXPECT_EQ(limits.connections(), 1u);
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kTooManyFromAddress);
}

TEST(ConnectionLimitsTest, AConnectionCountsWhereItIsReassignedTo) {
  ConnectionLimits limits(100, 1, *Networks::Parse("192.0.2.1"));
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_EQ(limits.Admit(Ipv4(1)), Verdict::kAdmitted);
  EXPECT_TRUE(limits.Reassign(Ipv4(1), Ipv4(2)));
  EXPECT_FALSE(limits.Reassign(Ipv4(1), Ipv4(2)));
  EXPECT_EQ(limits.connections(), 2u);
  limits.Release(Ipv4(1));
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kTooManyFromAddress);
  limits.Release(Ipv4(2));
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
  EXPECT_EQ(limits.connections(), 1u);
  EXPECT_TRUE(limits.Reassign(Ipv4(2), Ipv4(3)));
  EXPECT_EQ(limits.Admit(Ipv4(2)), Verdict::kAdmitted);
}

}  // namespace
}  // namespace septet::tracker
