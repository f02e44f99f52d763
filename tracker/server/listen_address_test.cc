#include "tracker/server/listen_address.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

std::string Join(const std::vector<ListenAddress>& addresses) {
  return absl::StrJoin(addresses, " ", [](std::string* out, const ListenAddress& address) {
    out->append(ToString(address));
  });
}

TEST(ListenAddressTest, ParsesWhatOperatorsWrite) {
  const struct {
    absl::string_view text;
    absl::string_view addresses;
  } kCases[] = {
      {"0.0.0.0:6969", "http://0.0.0.0:6969 udp://0.0.0.0:6969"},
      {"[::]:6969", "http://[::]:6969 udp://[::]:6969"},
      {"http://127.0.0.1:80", "http://127.0.0.1:80"},
      {"udp://[2001:db8::1]:1", "udp://[2001:db8::1]:1"},
      {"127.0.0.1:65535", "http://127.0.0.1:65535 udp://127.0.0.1:65535"},
      {"http://127.0.0.1:6969,udp://127.0.0.1:6970", "http://127.0.0.1:6969 udp://127.0.0.1:6970"},
      {" 127.0.0.1:1 , [::1]:2 ",
       "http://127.0.0.1:1 udp://127.0.0.1:1 http://[::1]:2 udp://[::1]:2"},
      {"127.0.0.1:0,127.0.0.1:0",
       "http://127.0.0.1:0 udp://127.0.0.1:0 http://127.0.0.1:0 udp://127.0.0.1:0"},
      {"[2001:0db8:0:0::0001]:6969", "http://[2001:db8::1]:6969 udp://[2001:db8::1]:6969"},
      {"http://[::ffff:192.0.2.1]:6969", "http://192.0.2.1:6969"},
      {"proxy+http://127.0.0.1:80,127.0.0.1:81",
       "proxy+http://127.0.0.1:80 http://127.0.0.1:81 udp://127.0.0.1:81"},
      {"proxy+http://[::1]:0", "proxy+http://[::1]:0"},
  };
  for (const auto& test : kCases) {
    const auto addresses = ParseListenAddresses(test.text);
    ASSERT_TRUE(addresses.ok()) << test.text << ": " << addresses.status();
    EXPECT_EQ(Join(*addresses), test.addresses) << test.text;
  }
}

TEST(ListenAddressTest, KeepsTheParts) {
  const auto addresses = ParseListenAddresses("udp://192.0.2.7:6881");
  ASSERT_TRUE(addresses.ok());
  ASSERT_EQ(addresses->size(), 1u);
  const uint8_t bytes[] = {192, 0, 2, 7};
  EXPECT_EQ(addresses->front().transport, Transport::kUdp);
  EXPECT_EQ(addresses->front().endpoint, MakeIpv4(bytes, 6881));
}

TEST(ListenAddressTest, NamesWhatIsWrong) {
  const struct {
    absl::string_view text;
    absl::string_view part;
    absl::string_view what;
  } kCases[] = {
      {"", "''", "empty"},
      {"127.0.0.1:1,", "''", "empty"},
      {"127.0.0.1", "'127.0.0.1'", "port is missing"},
      {"[::1]", "'[::1]'", "port is missing"},
      {"6969", "'6969'", "port is missing"},
      {"127.0.0.1:", "'127.0.0.1:'", "port is wrong"},
      {"127.0.0.1:65536", "'127.0.0.1:65536'", "port is wrong"},
      {"127.0.0.1:-1", "'127.0.0.1:-1'", "port is wrong"},
      {"127.0.0.1:+1", "'127.0.0.1:+1'", "port is wrong"},
      {"127.0.0.1:6969x", "'127.0.0.1:6969x'", "port is wrong"},
      {"127.0.0.1:000001", "'127.0.0.1:000001'", "port is wrong"},
      {"127.0.0.1:1,localhost:6969", "'localhost:6969'", "address is wrong"},
      {":6969", "':6969'", "address is wrong"},
      {"::1:6969", "'::1:6969'", "address is wrong"},
      {"[::1:6969", "'[::1:6969'", "address is wrong"},
      {"[127.0.0.1]:6969", "'[127.0.0.1]:6969'", "address is wrong"},
      {"300.0.0.1:6969", "'300.0.0.1:6969'", "address is wrong"},
      {"https://127.0.0.1:6969", "'https://127.0.0.1:6969'", "address is wrong"},
      {"http://127.0.0.1:6969/announce", "'http://127.0.0.1:6969/announce'", "port is wrong"},
      {"proxy+udp://127.0.0.1:6969", "'proxy+udp://127.0.0.1:6969'", "proxy+http://ADDR:PORT"},
      {"proxy://127.0.0.1:6969", "'proxy://127.0.0.1:6969'", "proxy+http://ADDR:PORT"},
      {"127.0.0.1:1,proxy+http://127.0.0.1:1", "'proxy+http://127.0.0.1:1'", "listed twice"},
      {"127.0.0.1:1,http://127.0.0.1:1", "'http://127.0.0.1:1'", "listed twice"},
  };
  for (const auto& test : kCases) {
    const auto addresses = ParseListenAddresses(test.text);
    ASSERT_FALSE(addresses.ok()) << test.text;
    EXPECT_TRUE(absl::IsInvalidArgument(addresses.status()));
    EXPECT_THAT(std::string(addresses.status().message()), HasSubstr(std::string(test.part)));
    EXPECT_THAT(std::string(addresses.status().message()), HasSubstr(std::string(test.what)));
  }
}

}  // namespace
}  // namespace septet::tracker
