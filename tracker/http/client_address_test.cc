#include "tracker/http/client_address.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/ip_address.h"
#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/endpoint_text.h"
#include "tracker/ip_endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {
namespace {

// The client of a request from port 7000 of `source`, where 10.0.0.0/8 and fd00::/8 are
// trusted.
std::string Client(absl::string_view source, const std::vector<std::string>& lines) {
  std::string bytes = "GET /announce HTTP/1.1\r\n";
  for (const std::string& line : lines) absl::StrAppend(&bytes, line, "\r\n");
  bytes += "\r\n";
  http::RequestHeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  EXPECT_EQ(parser.Parse(bytes, head.get()), http::HeadStatus::kComplete) << bytes;
  const Networks trusted = *Networks::Parse("10.0.0.0/8,fd00::/8");
  return EndpointText(ClientOf(MakeEndpoint(*http::ParseIpAddress(source), 7000), *head, trusted));
}

TEST(ClientAddressTest, WithoutFieldsItIsTheSource) {
  EXPECT_EQ(Client("192.0.2.1", {}), "192.0.2.1:7000");
  EXPECT_EQ(Client("10.0.0.1", {}), "10.0.0.1:7000");
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For:", "Forwarded: ,"}), "10.0.0.1:7000");
}

TEST(ClientAddressTest, NobodyElseIsBelieved) {
  EXPECT_EQ(Client("192.0.2.1", {"X-Forwarded-For: 198.51.100.1"}), "192.0.2.1:7000");
  EXPECT_EQ(Client("2001:db8::1", {"Forwarded: for=198.51.100.1"}), "[2001:db8::1]:7000");
}

TEST(ClientAddressTest, ATrustedProxyNamesItsClient) {
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 198.51.100.1"}), "198.51.100.1:0");
  EXPECT_EQ(Client("fd00::1", {"Forwarded: for=\"[2001:db8::1]:80\""}), "[2001:db8::1]:0");
  // The family of the proxy does not matter.
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 2001:db8::1"}), "[2001:db8::1]:0");
  EXPECT_EQ(Client("::ffff:10.0.0.1", {"X-Forwarded-For: ::ffff:198.51.100.1"}), "198.51.100.1:0");
}

TEST(ClientAddressTest, TrustedHopsAreSkippedAndNoOthers) {
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 198.51.100.1, 10.0.0.3, fd00::2"}),
            "198.51.100.1:0");
  // The client sent the first one itself.
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 198.51.100.1"}),
            "198.51.100.1:0");
  EXPECT_EQ(Client("10.0.0.1", {"Forwarded: for=10.0.0.9, for=198.51.100.1, for=10.0.0.2"}),
            "198.51.100.1:0");
}

TEST(ClientAddressTest, AClientInATrustedNetworkIsTheFurthestHop) {
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 10.0.0.7, 10.0.0.2"}), "10.0.0.7:0");
}

TEST(ClientAddressTest, WhereNoAddressIsNamedTheLastProxyStands) {
  for (const absl::string_view hop : {"unknown", "_hidden", "tracker.example", "1.2.3"}) {
    const std::string list = absl::StrCat("X-Forwarded-For: 198.51.100.1, ", hop);
    EXPECT_EQ(Client("10.0.0.1", {list}), "10.0.0.1:7000") << hop;
    EXPECT_EQ(Client("10.0.0.1", {absl::StrCat(list, ", 10.0.0.2")}), "10.0.0.2:0") << hop;
  }
  EXPECT_EQ(Client("10.0.0.1", {"Forwarded: for=198.51.100.1, for=unknown, for=10.0.0.2"}),
            "10.0.0.2:0");
  EXPECT_EQ(Client("10.0.0.1", {"Forwarded: for=198.51.100.1, proto=https"}), "10.0.0.1:7000");
  EXPECT_EQ(Client("10.0.0.1", {"Forwarded: for=\"198.51.100.1"}), "10.0.0.1:7000");
}

TEST(ClientAddressTest, TwoFieldsHaveToAgree) {
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.1"}),
            "198.51.100.1:0");
  EXPECT_EQ(
      Client("10.0.0.1", {"Forwarded: for=198.51.100.1", "X-Forwarded-For: 198.51.100.1,10.0.0.2"}),
      "198.51.100.1:0");
  // Either may be what the client sent.
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 203.0.113.9", "Forwarded: for=198.51.100.1"}),
            "10.0.0.1:7000");
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: unknown", "Forwarded: for=198.51.100.1"}),
            "10.0.0.1:7000");
  // One without hops says nothing.
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: ,", "Forwarded: for=198.51.100.1"}),
            "198.51.100.1:0");
  EXPECT_EQ(Client("10.0.0.1", {"X-Forwarded-For: 198.51.100.1", "Forwarded:"}), "198.51.100.1:0");
}

}  // namespace
}  // namespace septet::tracker
