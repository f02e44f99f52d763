// Properties of the header of the PROXY protocol: what was written is found, under any
// cut, and what is broken stays so.

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/ip_address.h"
#include "http/proxy_protocol.h"
#include "rapidcheck.h"

namespace septet::http {
namespace {

using Status = ProxyHeaderStatus;

struct HeaderCase {
  std::string bytes;
  bool has_source = false;
  IpAddress source;
  uint16_t port = 0;
};

std::array<uint8_t, 16> SixteenBytes() {
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = *rc::gen::arbitrary<uint8_t>();
  if (*rc::gen::inRange(0, 8) == 0) {
    std::fill(bytes.begin(), bytes.end() - 6, 0);
    bytes[10] = bytes[11] = 0xff;
  }
  return bytes;
}

HeaderCase Version1() {
  HeaderCase header;
  if (*rc::gen::inRange(0, 4) == 0) {
    header.bytes = "PROXY UNKNOWN" + *rc::gen::element<std::string>("", " ", " a b\n") + "\r\n";
    return header;
  }
  const bool is_ipv6 = *rc::gen::arbitrary<bool>();
  header.bytes = is_ipv6 ? "PROXY TCP6" : "PROXY TCP4";
  header.has_source = true;
  for (int i = 0; i < 2; ++i) {
    const auto address = SixteenBytes();
    char text[INET6_ADDRSTRLEN];
    inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, address.data(), text, sizeof(text));
    header.bytes += " " + std::string(text);
    if (i > 0) continue;
    header.source = is_ipv6 ? MakeIpv6Address(address.data()) : MakeIpv4Address(address.data());
  }
  header.port = *rc::gen::arbitrary<uint16_t>();
  header.bytes += " " + std::to_string(header.port) + " " +
                  std::to_string(*rc::gen::arbitrary<uint16_t>()) + "\r\n";
  return header;
}

HeaderCase Version2() {
  HeaderCase header;
  const bool is_local = *rc::gen::inRange(0, 4) == 0;
  const auto family = *rc::gen::inRange(0, 4);
  const auto transport = *rc::gen::element(0, 1, 1, 1, 2);
  std::string rest;
  const size_t address_bytes = std::array<size_t, 4>{0, 4, 16, 108}[static_cast<size_t>(family)];
  const auto source = SixteenBytes();
  rest.assign(source.begin(), source.end());
  rest.resize(2 * address_bytes, 'x');
  header.port = *rc::gen::arbitrary<uint16_t>();
  if (family == 1 || family == 2) {
    rest += {static_cast<char>(header.port >> 8), static_cast<char>(header.port), 'p', 'q'};
  }
  rest += *rc::gen::element<std::string>("", std::string("\x04\0\x01x", 4), std::string(300, 't'));
  header.has_source = !is_local && transport == 1 && (family == 1 || family == 2);
  header.source = family == 2 ? MakeIpv6Address(source.data()) : MakeIpv4Address(source.data());
  header.bytes = std::string("\r\n\r\n\0\r\nQUIT\n", 12) + (is_local ? '\x20' : '\x21') +
                 static_cast<char>(family << 4 | transport) + static_cast<char>(rest.size() >> 8) +
                 static_cast<char>(rest.size()) + rest;
  return header;
}

HeaderCase AHeader() { return *rc::gen::arbitrary<bool>() ? Version1() : Version2(); }

// In memory of exactly its size.
Status Parse(const std::string& bytes, size_t size, ProxyHeader* header) {
  const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  return ParseProxyHeader(absl::string_view(exact.data(), exact.size()), header);
}

TEST(ProxyProtocolProperties, WhatWasWrittenIsFoundUnderAnyCut) {
  EXPECT_TRUE(rc::check([] {
    const HeaderCase expected = AHeader();
    const std::string bytes = expected.bytes + *rc::gen::string<std::string>();
    ProxyHeader header;
    for (size_t size = 0; size <= bytes.size(); ++size) {
      const Status status = Parse(bytes, size, &header);
      const bool is_whole = size >= expected.bytes.size();
      RC_ASSERT(status == (is_whole ? Status::kComplete : Status::kIncomplete));
      if (!is_whole) continue;
      RC_ASSERT(header.header_bytes == expected.bytes.size());
      RC_ASSERT(header.has_source == expected.has_source);
      if (!header.has_source) continue;
      RC_ASSERT(header.source == expected.source);
      RC_ASSERT(header.source_port == expected.port);
    }
  }));
}

TEST(ProxyProtocolProperties, WhatIsDecidedStaysSo) {
  EXPECT_TRUE(rc::check([] {
    std::string bytes = AHeader().bytes;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      bytes[*rc::gen::inRange<size_t>(0, bytes.size())] =
          *rc::gen::element('\r', '\n', ' ', '0', 'x', '\x11', '\x21', '\0', '\xff');
    }
    if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size() + 1));
    bytes += *rc::gen::string<std::string>();
    ProxyHeader whole;
    const Status status = Parse(bytes, bytes.size(), &whole);
    for (size_t size = 0; size < bytes.size(); ++size) {
      ProxyHeader header;
      const Status before = Parse(bytes, size, &header);
      if (before == Status::kIncomplete) continue;
      RC_ASSERT(before == status);
      RC_ASSERT(header.header_bytes == whole.header_bytes || status == Status::kBroken);
    }
    if (status == Status::kComplete) {
      RC_ASSERT(Parse(bytes, whole.header_bytes - 1, &whole) == Status::kIncomplete);
    }
  }));
}

}  // namespace
}  // namespace septet::http
