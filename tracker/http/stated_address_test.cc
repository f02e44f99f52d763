#include "tracker/http/stated_address.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/ip_address.h"
#include "http/query.h"
#include "tracker/endpoint_text.h"
#include "tracker/ip_endpoint.h"

namespace septet::tracker {
namespace {

// The peer of an announce with port=6881 and these parameters.
std::string Peer(absl::string_view source, absl::string_view parameters) {
  http::AnnounceQuery query;
  const http::QueryError error = http::ParseAnnounceQuery(
      absl::StrCat("info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=bbbbbbbbbbbbbbbbbbbb&port=6881",
                   parameters),
      &query);
  EXPECT_EQ(error.reason, "");
  return EndpointText(StatedPeer(query, MakeEndpoint(*http::ParseIpAddress(source), 50000)));
}

TEST(StatedAddressTest, WithoutParametersItIsTheSource) {
  EXPECT_EQ(Peer("192.0.2.1", ""), "192.0.2.1:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=&ipv4=&ipv6="), "[2001:db8::1]:6881");
}

TEST(StatedAddressTest, TheFamilyOfTheSourceCounts) {
  EXPECT_EQ(Peer("192.0.2.1", "&ip=198.51.100.1"), "198.51.100.1:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ipv4=198.51.100.1"), "198.51.100.1:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=2001:db8::2"), "[2001:db8::2]:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ipv6=2001%3Adb8%3A%3A2"), "[2001:db8::2]:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ip=::ffff:198.51.100.1"), "198.51.100.1:6881");
  // Some clients send the address of their other family along.
  EXPECT_EQ(Peer("192.0.2.1", "&ip=2001:db8::2"), "192.0.2.1:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=198.51.100.1"), "[2001:db8::1]:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ipv6=2001:db8::2"), "192.0.2.1:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ipv4=198.51.100.1"), "[2001:db8::1]:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ipv6=198.51.100.1"), "192.0.2.1:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ipv4=2001:db8::2"), "192.0.2.1:6881");
}

TEST(StatedAddressTest, TheParameterOfTheFamilyComesFirst) {
  EXPECT_EQ(Peer("192.0.2.1", "&ip=198.51.100.1&ipv4=198.51.100.2&ipv6=2001:db8::2"),
            "198.51.100.2:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=2001:db8::3&ipv4=198.51.100.2&ipv6=2001:db8::2"),
            "[2001:db8::2]:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ipv4=broken&ip=198.51.100.1"), "198.51.100.1:6881");
}

TEST(StatedAddressTest, AnEndpointHasItsOwnPort) {
  EXPECT_EQ(Peer("192.0.2.1", "&ipv4=198.51.100.1:7000"), "198.51.100.1:7000");
  EXPECT_EQ(Peer("2001:db8::1", "&ipv6=[2001:db8::2]:7000"), "[2001:db8::2]:7000");
  EXPECT_EQ(Peer("2001:db8::1", "&ipv6=[2001:db8::2]"), "[2001:db8::2]:6881");
}

TEST(StatedAddressTest, WhatNoPeerCanHaveIsIgnored) {
  for (const absl::string_view value :
       {"localhost", "peer.example", "198.51.100", "198.51.100.256", "198.51.100.1:0",
        "198.51.100.1:65536", "198.51.100.1:", "198.51.100.1/32", "%zz", "%00", "0.0.0.0",
        "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"}) {
    EXPECT_EQ(Peer("192.0.2.1", absl::StrCat("&ip=", value)), "192.0.2.1:6881") << value;
  }
  for (const absl::string_view value :
       {"::", "ff02::1", "fe80::1%25eth0", "[2001:db8::2", "::1::"}) {
    EXPECT_EQ(Peer("2001:db8::1", absl::StrCat("&ipv6=", value)), "[2001:db8::1]:6881") << value;
  }
  EXPECT_EQ(Peer("192.0.2.1", absl::StrCat("&ip=", std::string(1000, '1'))), "192.0.2.1:6881");
  // The borders of what is ignored.
  EXPECT_EQ(Peer("192.0.2.1", "&ip=1.0.0.0"), "1.0.0.0:6881");
  EXPECT_EQ(Peer("192.0.2.1", "&ip=223.255.255.255"), "223.255.255.255:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=::1"), "[::1]:6881");
  EXPECT_EQ(Peer("2001:db8::1", "&ip=fe80::1"), "[fe80::1]:6881");
}

}  // namespace
}  // namespace septet::tracker
