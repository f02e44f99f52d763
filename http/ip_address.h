// IP addresses as text, with and without a port: what proxies write into header fields
// and clients into queries. Nothing is resolved and nothing is allocated.

#ifndef SEPTET_HTTP_IP_ADDRESS_H_
#define SEPTET_HTTP_IP_ADDRESS_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace septet::http {

// A value. IPv4-mapped IPv6 (::ffff:a.b.c.d) is IPv4: who makes one calls MakeIpv6Address.
struct IpAddress {
  // In network order; of IPv4 the first 4 count, the rest are zero.
  std::array<uint8_t, 16> bytes{};
  bool is_ipv6 = false;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// `bytes`: 4 of them, and 16, in network order.
IpAddress MakeIpv4Address(const uint8_t* bytes);
IpAddress MakeIpv6Address(const uint8_t* bytes);

// "192.0.2.1" (four decimal numbers without leading zeros) or "2001:db8::1" (RFC 4291,
// 2.2; no zone). None: it is something else, a host name for one.
absl::optional<IpAddress> ParseIpAddress(absl::string_view text);

// Decimal, of 1 to 5 digits, up to 65535.
absl::optional<uint16_t> ParsePort(absl::string_view text);

struct IpAddressAndPort {
  IpAddress address;
  absl::optional<uint16_t> port;
};

// An address as above, "192.0.2.1:80", "[2001:db8::1]" or "[2001:db8::1]:80". Without
// brackets every colon of IPv6 belongs to the address.
absl::optional<IpAddressAndPort> ParseIpAddressAndPort(absl::string_view text);

}  // namespace septet::http

#endif  // SEPTET_HTTP_IP_ADDRESS_H_
