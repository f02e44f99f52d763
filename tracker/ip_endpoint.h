// The endpoint of an address that was read from text or from a header.

#ifndef SEPTET_TRACKER_IP_ENDPOINT_H_
#define SEPTET_TRACKER_IP_ENDPOINT_H_

#include <cstdint>

#include "http/ip_address.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

inline Endpoint MakeEndpoint(const http::IpAddress& address, uint16_t port) {
  return address.is_ipv6 ? MakeIpv6(address.bytes.data(), port)
                         : MakeIpv4(address.bytes.data(), port);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_IP_ENDPOINT_H_
