// Opens the sockets of the server.

#ifndef SEPTET_TRACKER_SERVER_LISTENING_SOCKET_H_
#define SEPTET_TRACKER_SERVER_LISTENING_SOCKET_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/listen_address.h"

namespace septet::tracker {

struct ListenOptions {
  // Several sockets, one for each worker, share the address (SO_REUSEPORT) and the
  // kernel spreads connections and packets over them.
  bool shared = false;
  int udp_receive_buffer_bytes = 0;  // 0: the kernel's default
  // Of HTTP connections, which inherit it, in each direction. 0: the kernel's default.
  int http_socket_buffer_bytes = 0;
};

struct ListeningSocket {
  FileDescriptor fd;
  // Where it is bound: has the port that the kernel chose for port 0.
  ListenAddress address;
  // A UDP socket of all addresses: the kernel tells with each packet to which of them
  // it was sent, so that the reply can leave from there.
  bool tells_destination = false;
};

// Opens, binds and (HTTP) listens; the socket does not block and is not inherited by
// child processes. A socket of IPv6 takes IPv6 only. Accepted connections inherit
// TCP_NODELAY and the sizes of their buffers. Errors name the address and what the kernel said;
// Unimplemented: this host has no such family.
absl::StatusOr<ListeningSocket> OpenListeningSocket(const SystemCalls& calls,
                                                    const ListenAddress& address,
                                                    const ListenOptions& options);

// Whether a socket of its own could be bound: with SO_REUSEPORT a second server of
// the same user would otherwise start and take half of the requests, unseen.
absl::Status CheckAddressIsFree(const SystemCalls& calls, const ListenAddress& address);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_LISTENING_SOCKET_H_
