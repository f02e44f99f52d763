#include "http/forwarded.h"

#include <arpa/inet.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

constexpr ForwardedField kXff = ForwardedField::kXForwardedFor;
constexpr ForwardedField kRfc = ForwardedField::kForwarded;

// The hops of a head with these lines, in the order they are reported; "?" is an
// unknown one.
std::string HopsOf(ForwardedField field, const std::vector<std::string>& lines) {
  std::string bytes = "GET /announce HTTP/1.1\r\n";
  for (const std::string& line : lines) absl::StrAppend(&bytes, line, "\r\n");
  bytes += "\r\n";
  RequestHeadParser parser;
  const auto head = std::make_unique<RequestHead>();
  EXPECT_EQ(parser.Parse(bytes, head.get()), HeadStatus::kComplete) << bytes;
  ForwardedHops hops(*head, field);
  std::string text;
  IpAddress address;
  for (ForwardedHop hop = hops.Next(&address); hop != ForwardedHop::kEnd;
       hop = hops.Next(&address)) {
    char buffer[INET6_ADDRSTRLEN] = "?";
    if (hop == ForwardedHop::kAddress) {
      inet_ntop(address.is_ipv6 ? AF_INET6 : AF_INET, address.bytes.data(), buffer, sizeof(buffer));
    }
    absl::StrAppend(&text, text.empty() ? "" : " ", buffer);
  }
  EXPECT_EQ(hops.Next(&address), ForwardedHop::kEnd);
  return text;
}

std::string Xff(absl::string_view value) {
  return HopsOf(kXff, {absl::StrCat("X-Forwarded-For: ", value)});
}

std::string Rfc(absl::string_view value) {
  return HopsOf(kRfc, {absl::StrCat("Forwarded: ", value)});
}

TEST(XForwardedForTest, IsReadFromTheRight) {
  EXPECT_EQ(Xff("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(Xff("203.0.113.7, 192.0.2.1,198.51.100.9"), "198.51.100.9 192.0.2.1 203.0.113.7");
  EXPECT_EQ(Xff("2001:db8::1, ::ffff:192.0.2.1"), "192.0.2.1 2001:db8::1");
}

TEST(XForwardedForTest, TakesWhatProxiesWrite) {
  // With the port of the client, as some load balancers do.
  EXPECT_EQ(Xff("192.0.2.1:50000"), "192.0.2.1");
  EXPECT_EQ(Xff("[2001:db8::1]:50000, [2001:db8::2]"), "2001:db8::2 2001:db8::1");
  EXPECT_EQ(Xff(" \t192.0.2.1\t , \t192.0.2.2 \t"), "192.0.2.2 192.0.2.1");
  EXPECT_EQ(Xff("unknown, 192.0.2.2"), "192.0.2.2 ?");
}

TEST(XForwardedForTest, EmptyElementsAreSkipped) {
  for (const absl::string_view value : {"", ",", " , ,\t,"}) EXPECT_EQ(Xff(value), "");
  EXPECT_EQ(Xff(",192.0.2.1, ,,192.0.2.2,"), "192.0.2.2 192.0.2.1");
}

TEST(XForwardedForTest, BrokenElementsAreUnknown) {
  EXPECT_EQ(Xff("192.0.2.1, tracker.example"), "? 192.0.2.1");
  EXPECT_EQ(Xff("192.0.2.1 192.0.2.2"), "?");
  EXPECT_EQ(Xff("192.0.2.1;192.0.2.2"), "?");
  EXPECT_EQ(Xff("\"192.0.2.1\""), "?");
  EXPECT_EQ(Xff("192.0.2.256, 1.2.3, fe80::1%eth0, for=192.0.2.1"), "? ? ? ?");
}

TEST(XForwardedForTest, LinesAreOneList) {
  const std::vector<std::string> lines = {"X-Forwarded-For: 192.0.2.1,",
                                          "Host: x",
                                          "x-forwarded-for:192.0.2.2, 192.0.2.3",
                                          "X-FORWARDED-FOR:",
                                          "X-Forwarded: 1.1.1.1",
                                          "X-Forwarded-For-2: 1.1.1.1",
                                          "Forwarded: for=198.51.100.17",
                                          "X-Forwarded-For: 192.0.2.4"};
  EXPECT_EQ(HopsOf(kXff, lines), "192.0.2.4 192.0.2.3 192.0.2.2 192.0.2.1");
  EXPECT_EQ(HopsOf(kRfc, lines), "198.51.100.17");
  EXPECT_EQ(HopsOf(kXff, {"Host: x"}), "");
}

// The examples of RFC 7239.
TEST(ForwardedTest, TheExamplesOfTheRfc) {
  EXPECT_EQ(Rfc("for=\"_gazonk\""), "?");
  EXPECT_EQ(Rfc("For=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17");
  EXPECT_EQ(Rfc("for=192.0.2.60;proto=http;by=203.0.113.43"), "192.0.2.60");
  EXPECT_EQ(Rfc("for=192.0.2.43, for=198.51.100.17"), "198.51.100.17 192.0.2.43");
  EXPECT_EQ(Rfc("for=_hidden, for=_SEVKISEK"), "? ?");
  EXPECT_EQ(Rfc("for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown"),
            "? 2001:db8:cafe::17 192.0.2.43");
  EXPECT_EQ(Rfc("for=\"192.0.2.43:47011\""), "192.0.2.43");
  EXPECT_EQ(HopsOf(kRfc, {"Forwarded: for=192.0.2.43",
                          "Forwarded: for=\"[2001:db8:cafe::17]\", for=unknown"}),
            "? 2001:db8:cafe::17 192.0.2.43");
}

TEST(ForwardedTest, TakesWhatProxiesWrite) {
  // Without the quotes that the grammar demands.
  EXPECT_EQ(Rfc("for=192.0.2.43:47011"), "192.0.2.43");
  EXPECT_EQ(Rfc("for=[2001:db8::1]:80;proto=https"), "2001:db8::1");
  EXPECT_EQ(Rfc("for=\"2001:db8::1\""), "2001:db8::1");
  EXPECT_EQ(Rfc("FOR=192.0.2.43 ; proto=http"), "192.0.2.43");
  EXPECT_EQ(Rfc("proto=http;host=\"a,b;for=192.0.2.1\";for=192.0.2.43;"), "192.0.2.43");
  EXPECT_EQ(Rfc(";;for=192.0.2.43;;"), "192.0.2.43");
  EXPECT_EQ(Rfc("for=\"192.0.2.43:_port.A-1\", for=\"[2001:db8::1]:_x\""),
            "2001:db8::1 192.0.2.43");
}

TEST(ForwardedTest, EscapesAreResolved) {
  EXPECT_EQ(Rfc(R"(for="\[2001:db8::\1\]")"), "2001:db8::1");
  EXPECT_EQ(Rfc(R"(for=192.0.2.1;host="a\"b", for=192.0.2.2)"), "192.0.2.2 192.0.2.1");
  EXPECT_EQ(Rfc(R"(for=192.0.2.1;host="a\\", for=192.0.2.2)"), "192.0.2.2 192.0.2.1");
  EXPECT_EQ(Rfc(R"(for=192.0.2.1;host="\\\",", for=192.0.2.2)"), "192.0.2.2 192.0.2.1");
}

TEST(ForwardedTest, EmptyElementsAreSkipped) {
  for (const absl::string_view value : {"", ",", " , ,\t,"}) EXPECT_EQ(Rfc(value), "");
  EXPECT_EQ(Rfc(",for=192.0.2.1, ,,for=192.0.2.2,"), "192.0.2.2 192.0.2.1");
}

TEST(ForwardedTest, ElementsWithoutAnAddressAreUnknown) {
  for (const absl::string_view value : {"proto=http",
                                        ";",
                                        "192.0.2.1",
                                        "for",
                                        "for=",
                                        "for=\"\"",
                                        "for=\"192.0.2.1",
                                        "for=192.0.2.1\"",
                                        "for=\"192.0.2.1\"x",
                                        "for=192.0.2.1 x",
                                        "for =192.0.2.1",
                                        "for= 192.0.2.1",
                                        "=192.0.2.1",
                                        "xfor=192.0.2.1",
                                        "for=192.0.2.1;for=192.0.2.1",
                                        "for=192.0.2.1;x",
                                        "for=192.0.2.1;x=\"",
                                        "for=\"192.0.2.1\\\"",
                                        "for=tracker.example",
                                        "for=UNKNOWN",
                                        "for=192.0.2.1:_",
                                        "for=\"192.0.2.1:_a/b\"",
                                        "for=2001:db8::_x",
                                        "for=2001:db8::1:_x"}) {
    EXPECT_EQ(Rfc(value), "?") << value;
  }
  EXPECT_EQ(Rfc(absl::StrCat("for=\"", std::string(1000, '1'), "\"")), "?");
  EXPECT_EQ(Rfc(absl::StrCat("for=", std::string(1000, '1'))), "?");
  EXPECT_EQ(Rfc(absl::StrCat("x=\"", std::string(1000, '1'), "\";for=192.0.2.1")), "192.0.2.1");
}

// Whoever wrote the left part cannot hide what a proxy added behind it.
TEST(ForwardedTest, QuotesLeftOpenDoNotReachToTheRight) {
  EXPECT_EQ(Rfc("for=\"198.51.100.17, for=192.0.2.1"), "192.0.2.1 ?");
  EXPECT_EQ(Rfc("for=\"198.51.100.17, for=\"[2001:db8::1]:80\""), "2001:db8::1 ?");
  EXPECT_EQ(Rfc("for=198.51.100.17\\, for=\"192.0.2.1\""), "192.0.2.1 ?");
  EXPECT_EQ(HopsOf(kRfc, {"Forwarded: for=\"198.51.100.17", "Forwarded: for=192.0.2.1"}),
            "192.0.2.1 ?");
}

TEST(ForwardedTest, TheLongestListIsReadToItsEnd) {
  std::string value = "192.0.2.7";
  for (int i = 0; i < 1000; ++i) value += ",192.0.2.1";
  const std::string hops = Xff(value);
  EXPECT_EQ(hops.size(), 1001 * 10 - 1u);
  EXPECT_EQ(hops.substr(hops.size() - 20), " 192.0.2.1 192.0.2.7");
}

}  // namespace
}  // namespace septet::http
