// An endpoint as the socket calls want it.

#ifndef SEPTET_BENCH_LOAD_SOCKET_NAME_H_
#define SEPTET_BENCH_LOAD_SOCKET_NAME_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "tracker/endpoint.h"

namespace septet::bench {

struct SocketName {
  union {
    sockaddr any;
    sockaddr_in ipv4;
    sockaddr_in6 ipv6;
  };
  socklen_t size = 0;

  explicit SocketName(const tracker::Endpoint& endpoint) {
    std::memset(&ipv6, 0, sizeof(ipv6));
    if (endpoint.family == tracker::Family::kIpv4) {
      ipv4.sin_family = AF_INET;
      ipv4.sin_port = htons(endpoint.port());
      std::memcpy(&ipv4.sin_addr, endpoint.compact.data(), 4);
      size = sizeof(ipv4);
    } else {
      ipv6.sin6_family = AF_INET6;
      ipv6.sin6_port = htons(endpoint.port());
      std::memcpy(&ipv6.sin6_addr, endpoint.compact.data(), 16);
      size = sizeof(ipv6);
    }
  }
};

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_SOCKET_NAME_H_
