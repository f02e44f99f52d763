#include "tracker/networks.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/ip_address.h"
#include "tracker/endpoint.h"
#include "tracker/ip_endpoint.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

Endpoint At(absl::string_view address, uint16_t port = 6881) {
  return MakeEndpoint(http::ParseIpAddress(address).value(), port);
}

Networks Parsed(absl::string_view text) {
  const auto networks = Networks::Parse(text);
  EXPECT_TRUE(networks.ok()) << text << ": " << networks.status();
  return networks.ok() ? *networks : Networks();
}

TEST(NetworksTest, NoneHoldsNothing) {
  for (const absl::string_view text : {"", "none", "  ", " none "}) {
    const Networks networks = Parsed(text);
    EXPECT_TRUE(networks.empty()) << text;
    EXPECT_FALSE(networks.Contains(At("0.0.0.0")));
    EXPECT_FALSE(networks.Contains(At("::")));
  }
  EXPECT_TRUE(Networks().empty());
  EXPECT_FALSE(Parsed("192.0.2.1").empty());
  EXPECT_FALSE(Parsed("::1").empty());
}

TEST(NetworksTest, HoldsItsAddressesAndNoOthers) {
  const struct {
    absl::string_view text;
    absl::string_view in[4];
    absl::string_view out[4];
  } kCases[] = {
      {"192.0.2.1", {"192.0.2.1", "::ffff:192.0.2.1"}, {"192.0.2.0", "192.0.2.2", "c000:201::"}},
      {"192.0.2.1/32", {"192.0.2.1"}, {"192.0.2.0", "192.0.2.2"}},
      {"10.0.0.0/8",
       {"10.0.0.0", "10.255.255.255", "10.1.2.3"},
       {"9.255.255.255", "11.0.0.0", "a00::"}},
      {"192.0.2.128/25", {"192.0.2.128", "192.0.2.255"}, {"192.0.2.127", "192.0.3.0"}},
      {"172.16.0.0/12",
       {"172.16.0.0", "172.31.255.255"},
       {"172.15.255.255", "172.32.0.0", "172.0.0.0"}},
      {"0.0.0.0/0", {"0.0.0.0", "255.255.255.255"}, {"::", "::1", "2001:db8::1"}},
      {"128.0.0.0/1", {"128.0.0.0", "255.255.255.255"}, {"127.255.255.255"}},
      {"2001:db8::/32",
       {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
       {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "32.1.13.184"}},
      {"2001:db8::1", {"2001:db8::1"}, {"2001:db8::", "2001:db8::2"}},
      {"2001:db8::8/127", {"2001:db8::8", "2001:db8::9"}, {"2001:db8::7", "2001:db8::a"}},
      // IPv4-mapped addresses are IPv4, so that this is IPv6 alone.
      {"::/0", {"::", "ffff:ffff::"}, {"192.0.2.1", "::ffff:192.0.2.1"}},
      {"::ffff:10.0.0.0/104", {"10.0.0.0", "10.255.255.255"}, {"11.0.0.0", "9.255.255.255"}},
      {"::ffff:0.0.0.0/96", {"0.0.0.0", "255.255.255.255"}, {"::"}},
      {"::ffff:192.0.2.1", {"192.0.2.1"}, {"192.0.2.0"}},
      // Several, in any order, beside and inside one another.
      {" 192.0.2.1 , 10.0.0.0/8,\t10.1.0.0/16,10.0.0.0/16 ,2001:db8::/32",
       {"192.0.2.1", "10.0.0.0", "10.200.0.0", "2001:db8::1"},
       {"192.0.2.2", "9.255.255.255", "11.0.0.0", "2001:db9::"}},
      {"10.0.0.2,10.0.0.0,10.0.0.4",
       {"10.0.0.0", "10.0.0.2", "10.0.0.4"},
       {"10.0.0.1", "10.0.0.3", "10.0.0.5"}},
  };
  for (const auto& test : kCases) {
    const Networks networks = Parsed(test.text);
    for (const absl::string_view address : test.in) {
      if (address.empty()) continue;
      EXPECT_TRUE(networks.Contains(At(address))) << test.text << " " << address;
      EXPECT_TRUE(networks.Contains(At(address, 0))) << test.text << " " << address;
    }
    for (const absl::string_view address : test.out) {
      if (address.empty()) continue;
      EXPECT_FALSE(networks.Contains(At(address))) << test.text << " " << address;
      EXPECT_FALSE(networks.Contains(At(address, 65535))) << test.text << " " << address;
    }
  }
}

TEST(NetworksTest, NamesWhatIsWrong) {
  const struct {
    absl::string_view text;
    absl::string_view part;
    absl::string_view what;
  } kCases[] = {
      {",", "''", "empty"},
      {"10.0.0.0/8,", "''", "empty"},
      {"10.0.0.0/8,,127.0.0.1", "''", "empty"},
      {"localhost", "'localhost'", "address is wrong"},
      {"none,10.0.0.0/8", "'none'", "address is wrong"},
      {"None", "'None'", "address is wrong"},
      {"10.0.0.0/8 127.0.0.1", "'10.0.0.0/8 127.0.0.1'", "0 to 32"},
      {"10.0.0", "'10.0.0'", "address is wrong"},
      {"10/8", "'10/8'", "address is wrong"},
      {"/8", "'/8'", "address is wrong"},
      {"[::1]", "'[::1]'", "address is wrong"},
      {"192.0.2.1:80", "'192.0.2.1:80'", "address is wrong"},
      {"127.0.0.1,10.0.0.0/33", "'10.0.0.0/33'", "0 to 32"},
      {"10.0.0.0/", "'10.0.0.0/'", "0 to 32"},
      {"10.0.0.0/-1", "'10.0.0.0/-1'", "0 to 32"},
      {"10.0.0.0/+8", "'10.0.0.0/+8'", "0 to 32"},
      {"10.0.0.0/8/8", "'10.0.0.0/8/8'", "0 to 32"},
      {"10.0.0.0/255.0.0.0", "'10.0.0.0/255.0.0.0'", "0 to 32"},
      {"10.0.0.0/0008", "'10.0.0.0/0008'", "0 to 32"},
      {"2001:db8::/129", "'2001:db8::/129'", "0 to 128"},
      {"::ffff:10.0.0.0/8", "'::ffff:10.0.0.0/8'", "96 to 128"},
      {"10.0.0.1/8", "'10.0.0.1/8'", "write 10.0.0.0/8 or 10.0.0.1"},
      {"192.0.2.129/25", "'192.0.2.129/25'", "write 192.0.2.128/25 or 192.0.2.129"},
      {"0.0.0.1/0", "'0.0.0.1/0'", "write 0.0.0.0/0 or 0.0.0.1"},
      {"2001:db8::1/32", "'2001:db8::1/32'", "write 2001:db8::/32 or 2001:db8::1"},
      {"::ffff:10.0.0.1/104", "'::ffff:10.0.0.1/104'", "write 10.0.0.0/8 or 10.0.0.1"},
  };
  for (const auto& test : kCases) {
    const auto networks = Networks::Parse(test.text);
    ASSERT_FALSE(networks.ok()) << test.text;
    EXPECT_TRUE(absl::IsInvalidArgument(networks.status()));
    const std::string message(networks.status().message());
    EXPECT_THAT(message, HasSubstr(std::string(test.part)));
    EXPECT_THAT(message, HasSubstr(std::string(test.what)));
    EXPECT_THAT(message, HasSubstr("allowed: none, or a list of"));
  }
}

}  // namespace
}  // namespace septet::tracker
