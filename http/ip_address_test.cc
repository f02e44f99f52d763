#include "http/ip_address.h"

#include <arpa/inet.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

std::string TextOf(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN];
  const int family = address.is_ipv6 ? AF_INET6 : AF_INET;
  return inet_ntop(family, address.bytes.data(), text, sizeof(text));
}

TEST(IpAddressTest, ParsesBothFamilies) {
  const struct {
    absl::string_view text;
    absl::string_view address;
  } kCases[] = {
      {"192.0.2.1", "192.0.2.1"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"2001:DB8::1", "2001:db8::1"},
      {"2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"},
      {"64:ff9b::192.0.2.1", "64:ff9b::c000:201"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::FFFF:c000:201", "192.0.2.1"},
      {"0000:0000:0000:0000:0000:ffff:255.255.255.255", "255.255.255.255"},
      {"::fffe:192.0.2.1", "::fffe:c000:201"},
  };
  for (const auto& test : kCases) {
    const auto address = ParseIpAddress(test.text);
    ASSERT_TRUE(address.has_value()) << test.text;
    EXPECT_EQ(TextOf(*address), test.address) << test.text;
  }
}

TEST(IpAddressTest, TheBytesBehindIpv4AreZero) {
  const uint8_t bytes[4] = {192, 0, 2, 1};
  EXPECT_EQ(*ParseIpAddress("::ffff:192.0.2.1"), MakeIpv4Address(bytes));
}

TEST(IpAddressTest, NothingElseIsAnAddress) {
  const absl::string_view kCases[] = {
      "",
      "localhost",
      "1",
      "1.2.3",
      "1.2.3.4.5",
      "1.2.3.256",
      "01.2.3.4",
      "0x1.2.3.4",
      " 1.2.3.4",
      "1.2.3.4 ",
      "1.2.3.4/8",
      "1.2.3.4:80",
      "[::1]",
      "fe80::1%eth0",
      ":",
      ":::",
      "1::2::3",
      "12345::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "::1.2.3.4.5",
      "00000000000000000000000000000000000000000000001.2.3.4",
      absl::string_view("1.2.3.4\0", 8),
      absl::string_view("1.2.3.4\0.5", 10),
  };
  for (const absl::string_view text : kCases) {
    EXPECT_FALSE(ParseIpAddress(text).has_value()) << text;
  }
}

TEST(IpAddressTest, AnAddressMayHaveAPort) {
  const struct {
    absl::string_view text;
    absl::string_view expected;
  } kCases[] = {
      {"192.0.2.1", "192.0.2.1"},
      {"192.0.2.1:0", "192.0.2.1 0"},
      {"192.0.2.1:65535", "192.0.2.1 65535"},
      {"2001:db8::1", "2001:db8::1"},
      {"2001:db8::1:80", "2001:db8::1:80"},
      {"::1", "::1"},
      {"[2001:db8::1]", "2001:db8::1"},
      {"[2001:db8::1]:80", "2001:db8::1 80"},
      {"[::ffff:192.0.2.1]:80", "192.0.2.1 80"},
  };
  for (const auto& test : kCases) {
    const auto parsed = ParseIpAddressAndPort(test.text);
    ASSERT_TRUE(parsed.has_value()) << test.text;
    std::string text = TextOf(parsed->address);
    if (parsed->port.has_value()) absl::StrAppend(&text, " ", *parsed->port);
    EXPECT_EQ(text, test.expected) << test.text;
  }
  for (const absl::string_view text :
       {"", ":80", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:65536", "192.0.2.1:000080",
        "192.0.2.1:80:80", "[192.0.2.1]:80", "[192.0.2.1]", "[2001:db8::1", "2001:db8::1]:80",
        "[2001:db8::1]80", "[2001:db8::1]x80", "[2001:db8::1]:", "[]", "[", "[]:80",
        "[[::1]]:80"}) {
    EXPECT_FALSE(ParseIpAddressAndPort(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace septet::http
