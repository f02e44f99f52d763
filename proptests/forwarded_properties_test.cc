// Properties of X-Forwarded-For and Forwarded: the hops that were written are found, in
// whatever form and lines, and the client is the one that a walk over the list finds.

#include <arpa/inet.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "http/forwarded.h"
#include "http/ip_address.h"
#include "http/request_head.h"
#include "proptests/http_generators.h"
#include "rapidcheck.h"
#include "tracker/endpoint.h"
#include "tracker/http/client_address.h"
#include "tracker/ip_endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {
namespace {

using http::ForwardedField;
using http::ForwardedHop;
using http::IpAddress;

// 10.0.0.0/8 and fd00::/8 hold half of the addresses that are drawn.
Networks Trusted() { return *Networks::Parse("fd00::/8,10.0.0.0/8"); }

bool IsTrusted(const IpAddress& address) {
  return address.bytes[0] == (address.is_ipv6 ? 0xfd : 10);
}

struct Hop {
  bool is_known = false;
  IpAddress address;
};

IpAddress AnAddress() {
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = *rc::gen::element<uint8_t>(0, 1, 10, 0x7f, 0x80, 0xfd, 0xff);
  if (*rc::gen::arbitrary<bool>()) {
    bytes[0] = *rc::gen::element<uint8_t>(10, 192);
    return http::MakeIpv4Address(bytes.data());
  }
  bytes[0] = *rc::gen::element<uint8_t>(0xfd, 0x20);
  return http::MakeIpv6Address(bytes.data());
}

std::string TextOf(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(address.is_ipv6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof(text));
}

std::string Port() { return std::to_string(*rc::gen::inRange(0, 65536)); }

// One of the ways to write a node.
std::string NodeOf(const Hop& hop) {
  if (!hop.is_known) return *rc::gen::element<std::string>("unknown", "_hidden", "1.2.3", "a.b:80");
  const std::string text = TextOf(hop.address);
  if (!hop.address.is_ipv6) return text + (*rc::gen::arbitrary<bool>() ? "" : ":" + Port());
  if (*rc::gen::arbitrary<bool>()) return text;
  return "[" + text + "]" + (*rc::gen::arbitrary<bool>() ? "" : ":" + Port());
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += (*rc::gen::inRange(0, 8) == 0 ? "\\" : "") + std::string(1, c);
  return quoted + "\"";
}

std::string ElementOf(ForwardedField field, const Hop& hop) {
  const std::string node = NodeOf(hop);
  if (field == ForwardedField::kXForwardedFor) return node;
  std::string element = *rc::gen::element<std::string>("", "proto=https;", "by=_x;",
                                                       "host=\"a,b;for=192.0.2.1\\\"\";", ";");
  element += *rc::gen::element<std::string>("for=", "For=", "FOR=");
  element += *rc::gen::arbitrary<bool>() ? node : Quoted(node);
  return element + *rc::gen::element<std::string>("", ";proto=http", " ; by=\"[::1]:_a\"", ";;");
}

std::string Blank() { return *rc::gen::element<std::string>("", " ", "\t", "  "); }

// The fields of a list, over one line or several.
std::string LinesOf(ForwardedField field, const std::vector<Hop>& hops) {
  const std::string name =
      field == ForwardedField::kXForwardedFor ? "X-Forwarded-For: " : "Forwarded: ";
  std::string lines;
  std::string line = name;
  for (size_t i = 0; i < hops.size(); ++i) {
    line += Blank() + ElementOf(field, hops[i]) + Blank();
    const bool is_split = *rc::gen::inRange(0, 4) == 0 || i + 1 == hops.size();
    if (!is_split || *rc::gen::inRange(0, 4) == 0) line += ",";
    if (*rc::gen::inRange(0, 6) == 0) line += " ,";
    if (!is_split) continue;
    lines += line + "\r\n";
    line = *rc::gen::element<std::string>("", "Host: x\r\n", "X-Forwarded: 1.1.1.1\r\n") + name;
  }
  return lines;
}

std::vector<Hop> SomeHops() {
  std::vector<Hop> hops(*rc::gen::inRange<size_t>(0, 8));
  for (Hop& hop : hops) {
    hop.is_known = *rc::gen::inRange(0, 8) > 0;
    if (hop.is_known) hop.address = AnAddress();
  }
  return hops;
}

// A request, and the bytes that it refers to.
struct Request {
  explicit Request(const std::string& lines) : bytes("GET /a HTTP/1.1\r\n" + lines + "\r\n") {
    http::RequestHeadParser parser;
    RC_ASSERT(parser.Parse(bytes, head.get()) == http::HeadStatus::kComplete);
  }
  const std::string bytes;
  std::unique_ptr<http::RequestHead> head = std::make_unique<http::RequestHead>();
};

ForwardedField AField() {
  return *rc::gen::element(ForwardedField::kXForwardedFor, ForwardedField::kForwarded);
}

TEST(ForwardedProperties, TheHopsThatWereWrittenAreFound) {
  EXPECT_TRUE(rc::check([] {
    const ForwardedField field = AField();
    const std::vector<Hop> hops = SomeHops();
    const Request request(LinesOf(field, hops));
    RC_LOG() << request.bytes;
    http::ForwardedHops found(*request.head, field);
    IpAddress address;
    for (size_t i = hops.size(); i-- > 0;) {
      const ForwardedHop hop = found.Next(&address);
      RC_ASSERT(hop == (hops[i].is_known ? ForwardedHop::kAddress : ForwardedHop::kUnknown));
      RC_ASSERT(!hops[i].is_known || address == hops[i].address);
    }
    RC_ASSERT(found.Next(&address) == ForwardedHop::kEnd);
  }));
}

// Whatever stands on the left, the hops that proxies added behind it are found.
TEST(ForwardedProperties, TheLeftDoesNotChangeTheRight) {
  EXPECT_TRUE(rc::check([] {
    const ForwardedField field = AField();
    std::vector<Hop> hops = SomeHops();
    hops.push_back({true, AnAddress()});
    const std::string left = *http::TextOf(
        "\"\\,;=for_[]:. \t\x80"
        "1",
        0, 30);
    std::string lines = LinesOf(field, hops);
    // Joined to the first line of the list.
    const size_t value = lines.find(": ") + 2;
    lines.insert(value, left + ", ");
    const Request request(lines);
    RC_LOG() << request.bytes;
    http::ForwardedHops found(*request.head, field);
    IpAddress address;
    for (size_t i = hops.size(); i-- > 0;) {
      const ForwardedHop hop = found.Next(&address);
      RC_ASSERT(hop == (hops[i].is_known ? ForwardedHop::kAddress : ForwardedHop::kUnknown));
      RC_ASSERT(!hops[i].is_known || address == hops[i].address);
    }
  }));
}

TEST(ForwardedProperties, TheClientIsTheFirstThatIsNotTrusted) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Hop> hops = SomeHops();
    const IpAddress source = AnAddress();
    Hop expected = {true, source};
    for (size_t i = hops.size(); i-- > 0 && IsTrusted(expected.address) && hops[i].is_known;) {
      expected = hops[i];
    }
    // The same list in both fields is as good as in one.
    std::string lines;
    const bool in_both = *rc::gen::arbitrary<bool>();
    const ForwardedField field = AField();
    for (const ForwardedField each : {ForwardedField::kXForwardedFor, ForwardedField::kForwarded}) {
      if (in_both || each == field) lines += LinesOf(each, hops);
    }
    const Request request(lines);
    RC_LOG() << request.bytes;
    const Endpoint client = ClientOf(MakeEndpoint(source, 0), *request.head, Trusted());
    RC_ASSERT(client == MakeEndpoint(expected.address, 0));
  }));
}

// Two lists that differ: the client or the source, never what only one of them says.
TEST(ForwardedProperties, AClaimThatOnlyOneFieldMakesIsNotBelieved) {
  EXPECT_TRUE(rc::check([] {
    const IpAddress source = AnAddress();
    const std::string one = LinesOf(ForwardedField::kXForwardedFor, SomeHops());
    const std::string other = LinesOf(ForwardedField::kForwarded, SomeHops());
    const auto client_by = [&source](const std::string& lines) {
      return ClientOf(MakeEndpoint(source, 0), *Request(lines).head, Trusted());
    };
    RC_PRE(!one.empty() && !other.empty());
    const Endpoint both = client_by(one + other);
    RC_ASSERT(both == MakeEndpoint(source, 0) ||
              (both == client_by(one) && both == client_by(other)));
  }));
}

// Membership by arithmetic on the bits.
TEST(NetworksProperties, AnAddressIsInANetworkIfItsFirstBitsAre) {
  EXPECT_TRUE(rc::check([] {
    const auto bit = [](const IpAddress& address, uint32_t i) {
      return address.bytes[i / 8] >> (7 - i % 8) & 1;
    };
    struct Network {
      IpAddress address;
      uint32_t bits;
    };
    std::vector<Network> networks(*rc::gen::inRange<size_t>(1, 6));
    std::string text;
    for (Network& network : networks) {
      network.address = AnAddress();
      const uint32_t address_bits = network.address.is_ipv6 ? 128 : 32;
      network.bits = *rc::gen::inRange<uint32_t>(0, address_bits + 1);
      for (uint32_t i = network.bits; i < address_bits; ++i) {
        network.address.bytes[i / 8] &= static_cast<uint8_t>(~(0x80 >> i % 8));
      }
      text +=
          (text.empty() ? "" : ",") + TextOf(network.address) + "/" + std::to_string(network.bits);
    }
    const absl::StatusOr<Networks> parsed = Networks::Parse(text);
    RC_LOG() << text << "\n";
    RC_ASSERT(parsed.ok());
    for (int round = 0; round < 20; ++round) {
      IpAddress address = *rc::gen::arbitrary<bool>()
                              ? AnAddress()
                              : networks[*rc::gen::inRange<size_t>(0, networks.size())].address;
      address.bytes[*rc::gen::inRange(0, address.is_ipv6 ? 16 : 4)] ^=
          *rc::gen::element<uint8_t>(0, 0, 1, 0x80, 0x10);
      bool expected = false;
      for (const Network& network : networks) {
        bool is_in = network.address.is_ipv6 == address.is_ipv6;
        for (uint32_t i = 0; is_in && i < network.bits; ++i) {
          is_in = bit(network.address, i) == bit(address, i);
        }
        expected |= is_in;
      }
      RC_LOG() << TextOf(address) << "\n";
      RC_ASSERT(parsed->Contains(MakeEndpoint(address, 1)) == expected);
    }
  }));
}

}  // namespace
}  // namespace septet::tracker
