// UDP replies that wait because the kernel has no room for them.
//
// A reply that is dropped costs its client a retry after 15 seconds (BEP 15), and the
// tracker the same work again. So the rest of a batch is kept, and nothing more is read
// from the socket until it is sent: the backlog is one batch at most, and requests that
// come faster than replies can leave wait, or are dropped, in the queue of the kernel,
// where they cost no work yet.
//
// It ends: after kKeptMs what could not be sent is dropped, because by then a link is
// down rather than busy.

#ifndef SEPTET_TRACKER_SERVER_UDP_BACKLOG_H_
#define SEPTET_TRACKER_SERVER_UDP_BACKLOG_H_

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tracker/server/log.h"
#include "tracker/server/socket_address.h"
#include "tracker/server/system_calls.h"
#include "tracker/udp/packet.h"

namespace septet::tracker {

// Of one socket. Not thread-safe. Holds no memory while nothing waits.
class UdpBacklog {
 public:
  static constexpr size_t kRepliesMax = 64;
  static constexpr int64_t kKeptMs = 1000;
  // How often it tries where epoll does not tell when there is room.
  static constexpr int64_t kRetryMs = 10;

  bool empty() const { return replies_.empty(); }
  size_t size() const { return replies_.size(); }

  // Copies what the kernel did not take, with its addresses and its control messages:
  // kRepliesMax messages at most, each of one part of at most udp::kReplyBytesMax bytes.
  // `error` is UdpSendResult's. The backlog is empty before.
  void Keep(absl::Span<const mmsghdr> messages, int error, int64_t now_ms);

  // Sends what it can, and drops the rest if its time is over.
  void Flush(const SystemCalls& calls, int fd, Log* log, int64_t now_ms);

  // What to wait for: the events of epoll, and a time (INT64_MAX: none) when Flush is due
  // in any case. EPOLLIN: nothing waits here, so that packets can be read.
  uint32_t events() const;
  int64_t retry_ms() const;

 private:
  struct Reply {
    SocketAddress to;
    socklen_t to_bytes;
    uint16_t size;
    uint16_t control_bytes;
    alignas(cmsghdr) std::array<uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> control;
    std::array<uint8_t, udp::kReplyBytesMax> bytes;
  };

  std::vector<Reply> replies_;
  int error_ = 0;
  int64_t since_ms_ = 0;
  int64_t tried_ms_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_UDP_BACKLOG_H_
