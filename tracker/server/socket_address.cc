#include "tracker/server/socket_address.h"

#include <arpa/inet.h>

#include <cstring>

namespace septet::tracker {

socklen_t ToSocketAddress(const Endpoint& endpoint, SocketAddress* address) {
  *address = SocketAddress{.ipv6 = {}};
  if (endpoint.family == Family::kIpv4) {
    address->ipv4.sin_family = AF_INET;
    address->ipv4.sin_port = htons(endpoint.port());
    std::memcpy(&address->ipv4.sin_addr, endpoint.compact.data(), sizeof(in_addr));
    return sizeof(sockaddr_in);
  }
  address->ipv6.sin6_family = AF_INET6;
  address->ipv6.sin6_port = htons(endpoint.port());
  std::memcpy(&address->ipv6.sin6_addr, endpoint.compact.data(), sizeof(in6_addr));
  return sizeof(sockaddr_in6);
}

Endpoint FromSocketAddress(const SocketAddress& address) {
  if (address.any.sa_family == AF_INET) {
    return MakeIpv4(reinterpret_cast<const uint8_t*>(&address.ipv4.sin_addr),
                    ntohs(address.ipv4.sin_port));
  }
  return MakeIpv6(address.ipv6.sin6_addr.s6_addr, ntohs(address.ipv6.sin6_port));
}

}  // namespace septet::tracker
