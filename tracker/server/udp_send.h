// Gives UDP messages to the kernel, many at a time.

#ifndef SEPTET_TRACKER_SERVER_UDP_SEND_H_
#define SEPTET_TRACKER_SERVER_UDP_SEND_H_

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "tracker/server/log.h"
#include "tracker/server/system_calls.h"

namespace septet::tracker {

struct UdpSendResult {
  // From the front of the messages: sent, or skipped for a fault of their own.
  size_t done = 0;
  // Why the rest was not taken: EAGAIN (the buffer of the socket is full, and epoll tells
  // when it is not), ENOBUFS or ENOMEM (nothing tells). 0: there is no rest.
  int error = 0;
};

// Sends `messages` from `fd`, without blocking. A message that the kernel refuses for a
// reason of its own (EPERM: a packet filter; ENETUNREACH, EINVAL, EMSGSIZE ...) is
// reported to `log` and skipped: it does not cost the others. Cost: one system call, and
// one more for each such message.
UdpSendResult SendMessages(const SystemCalls& calls, int fd, absl::Span<mmsghdr> messages, Log* log,
                           int64_t now_ms);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_UDP_SEND_H_
