// Endpoints as the kernel's socket addresses and back.

#ifndef SEPTET_TRACKER_SERVER_SOCKET_ADDRESS_H_
#define SEPTET_TRACKER_SERVER_SOCKET_ADDRESS_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include "tracker/endpoint.h"

namespace septet::tracker {

// Room for either family, and no more.
union SocketAddress {
  sockaddr any;
  sockaddr_in ipv4;
  sockaddr_in6 ipv6;
};

// Fills *address and returns its size.
socklen_t ToSocketAddress(const Endpoint& endpoint, SocketAddress* address);

// `address` came from the kernel and is of either family.
Endpoint FromSocketAddress(const SocketAddress& address);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SOCKET_ADDRESS_H_
