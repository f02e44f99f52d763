#include "tracker/server/listening_socket.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tracker/server/socket_address.h"

namespace septet::tracker {
namespace {

// The kernel cuts it to net.core.somaxconn.
constexpr int kListenBacklog = 4096;

absl::Status ListenError(const ListenAddress& address, int error) {
  const std::string text =
      absl::StrCat("cannot listen on ", ToString(address), ": ", strerrordesc_np(error));
  return error == EAFNOSUPPORT ? absl::UnimplementedError(text) : absl::UnavailableError(text);
}

bool IsWildcard(const Endpoint& endpoint) {
  return std::all_of(endpoint.compact.begin(),
                     endpoint.compact.begin() + static_cast<ptrdiff_t>(endpoint.address_bytes()),
                     [](uint8_t byte) { return byte == 0; });
}

struct Option {
  bool applies;
  int level;
  int name;
  int value;
};

// Returns 0 or an errno.
int SetOptions(const SystemCalls& calls, int fd, const Option* options, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Option& option = options[i];
    if (!option.applies) continue;
    if (calls.setsockopt(fd, option.level, option.name, &option.value, sizeof(option.value)) != 0) {
      return errno;
    }
  }
  return 0;
}

// A bound socket, not yet listening.
absl::StatusOr<ListeningSocket> Bind(const SystemCalls& calls, const ListenAddress& address,
                                     const ListenOptions& options) {
  const bool is_http = address.transport == Transport::kHttp;
  const bool is_ipv6 = address.endpoint.family == Family::kIpv6;
  const int type = (is_http ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;

  ListeningSocket socket;
  socket.address = address;
  socket.tells_destination = !is_http && IsWildcard(address.endpoint);
  socket.fd = FileDescriptor(calls, calls.socket(is_ipv6 ? AF_INET6 : AF_INET, type, 0));
  if (!socket.fd.is_open()) return ListenError(address, errno);

  const int buffer_bytes = options.udp_receive_buffer_bytes;
  const int http_bytes = options.http_socket_buffer_bytes;
  const Option settings[] = {
      {is_ipv6, IPPROTO_IPV6, IPV6_V6ONLY, 1},
      // A restart must not wait for the connections of the process before.
      {is_http, SOL_SOCKET, SO_REUSEADDR, 1},
      {options.shared, SOL_SOCKET, SO_REUSEPORT, 1},
      {is_http, IPPROTO_TCP, TCP_NODELAY, 1},
      {!is_http && buffer_bytes > 0, SOL_SOCKET, SO_RCVBUF, buffer_bytes},
      {is_http && http_bytes > 0, SOL_SOCKET, SO_RCVBUF, http_bytes},
      {is_http && http_bytes > 0, SOL_SOCKET, SO_SNDBUF, http_bytes},
      {socket.tells_destination && !is_ipv6, IPPROTO_IP, IP_PKTINFO, 1},
      {socket.tells_destination && is_ipv6, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1},
  };
  if (const int error = SetOptions(calls, socket.fd.get(), settings, std::size(settings))) {
    return ListenError(address, error);
  }
  SocketAddress name;
  const socklen_t size = ToSocketAddress(address.endpoint, &name);
  if (calls.bind(socket.fd.get(), &name.any, size) != 0) return ListenError(address, errno);
  return socket;
}

}  // namespace

absl::StatusOr<ListeningSocket> OpenListeningSocket(const SystemCalls& calls,
                                                    const ListenAddress& address,
                                                    const ListenOptions& options) {
  absl::StatusOr<ListeningSocket> socket = Bind(calls, address, options);
  if (!socket.ok()) return socket;
  const int fd = socket->fd.get();
  if (address.transport == Transport::kHttp && calls.listen(fd, kListenBacklog) != 0) {
    return ListenError(address, errno);
  }
  SocketAddress name;
  socklen_t size = sizeof(name);
  if (calls.getsockname(fd, &name.any, &size) != 0) return ListenError(address, errno);
  socket->address.endpoint = FromSocketAddress(name);
  return socket;
}

absl::Status CheckAddressIsFree(const SystemCalls& calls, const ListenAddress& address) {
  return Bind(calls, address, ListenOptions{}).status();
}

}  // namespace septet::tracker
