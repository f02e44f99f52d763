// An IP address and a port: where a peer listens, or a request came from.

#ifndef SEPTET_TRACKER_ENDPOINT_H_
#define SEPTET_TRACKER_ENDPOINT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace septet::tracker {

enum class Family : uint8_t { kIpv4, kIpv6 };

// Bytes of a peer in compact form: address and port in network order (BEP 7, 23).
inline constexpr size_t kCompactIpv4Bytes = 6;
inline constexpr size_t kCompactIpv6Bytes = 18;

// A value. The bytes are the compact form, which is what the wire and the store
// use: kCompactIpv4Bytes or kCompactIpv6Bytes of them count, the rest are zero.
struct Endpoint {
  std::array<uint8_t, kCompactIpv6Bytes> compact{};
  Family family = Family::kIpv4;

  size_t compact_bytes() const {
    return family == Family::kIpv4 ? kCompactIpv4Bytes : kCompactIpv6Bytes;
  }
  size_t address_bytes() const { return compact_bytes() - 2; }
  uint16_t port() const {
    return static_cast<uint16_t>(compact[address_bytes()] << 8 | compact[address_bytes() + 1]);
  }
  void set_port(uint16_t port) {
    compact[address_bytes()] = static_cast<uint8_t>(port >> 8);
    compact[address_bytes() + 1] = static_cast<uint8_t>(port);
  }

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// `address`: 4 bytes in network order.
inline Endpoint MakeIpv4(const uint8_t* address, uint16_t port) {
  Endpoint endpoint;
  std::memcpy(endpoint.compact.data(), address, 4);
  endpoint.set_port(port);
  return endpoint;
}

// `address`: 16 bytes in network order. An IPv4-mapped address (::ffff:a.b.c.d)
// becomes IPv4, so that a peer is the same whichever socket it came through.
inline Endpoint MakeIpv6(const uint8_t* address, uint16_t port) {
  constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(address, kMapped, sizeof(kMapped)) == 0) return MakeIpv4(address + 12, port);
  Endpoint endpoint;
  endpoint.family = Family::kIpv6;
  std::memcpy(endpoint.compact.data(), address, 16);
  endpoint.set_port(port);
  return endpoint;
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ENDPOINT_H_
