// Takes UDP packets from a socket many at a time, answers them, and sends the replies
// together: one system call for each direction.

#ifndef SEPTET_TRACKER_SERVER_UDP_BATCH_H_
#define SEPTET_TRACKER_SERVER_UDP_BATCH_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracker/random.h"
#include "tracker/server/log.h"
#include "tracker/server/socket_address.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/udp_backlog.h"
#include "tracker/token_bucket.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {

// The buffers of one worker, for all of its UDP sockets one after the other. Not
// thread-safe. Large: do not put it on a stack.
class UdpBatch {
 public:
  static constexpr size_t kPacketsMax = UdpBacklog::kRepliesMax;

  // All must outlive the batch. `error_rate`: errors a second that are sent to sources
  // without a valid connection id.
  UdpBatch(const SystemCalls& calls, UdpHandler* handler, Log* log, Random* random,
           uint32_t error_rate);
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  // Receives up to kPacketsMax packets from `fd`, which does not block, and answers
  // them. Returns how many came; fewer than kPacketsMax: no more wait.
  // `tells_destination` is ListeningSocket's: each reply leaves from the address to
  // which its request was sent. Replies for which the kernel has no room are put into
  // `backlog`, which is the socket's and empty before; one that it refuses is skipped.
  size_t Serve(int fd, bool tells_destination, const UdpTimes& times, UdpBacklog* backlog);

 private:
  // A scrape of 74 torrents has 1496 bytes; what is longer is cut. Not a multiple of
  // the size of a page, so that the packets do not compete for the same cache lines.
  static constexpr size_t kPacketBytesMax = 1600;

  struct alignas(8) Control {
    std::array<uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> bytes;
  };

  size_t Receive(int fd, bool tells_destination, int64_t now_ms);
  void Answer(size_t index, const UdpTimes& times);
  void Send(int fd, int64_t now_ms, UdpBacklog* backlog);
  void ReportErrorsNotSent(int64_t now_ms);

  const SystemCalls& calls_;
  UdpHandler* const handler_;
  Log* const log_;
  Random* const random_;
  TokenBucket errors_;
  uint64_t errors_reported_ = 0;

  std::array<mmsghdr, kPacketsMax> received_;
  std::array<iovec, kPacketsMax> received_bytes_;
  std::array<SocketAddress, kPacketsMax> sources_;
  std::array<Control, kPacketsMax> controls_;
  std::array<std::array<uint8_t, kPacketBytesMax>, kPacketsMax> packets_;

  size_t reply_count_ = 0;
  std::array<mmsghdr, kPacketsMax> replies_;
  std::array<iovec, kPacketsMax> reply_bytes_;
  std::array<std::array<uint8_t, kUdpReplyBytesMax>, kPacketsMax> reply_packets_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_UDP_BATCH_H_
