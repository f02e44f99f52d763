#include "tracker/server/udp_batch.h"

#include <errno.h>

#include "absl/types/span.h"
#include "tracker/server/udp_send.h"

namespace septet::tracker {
namespace {

// Turns what the kernel told about the destination of a packet into what it wants to
// hear about the source of the reply. The structures are the same.
void MakeReplyControl(msghdr* message) {
  cmsghdr* control = CMSG_FIRSTHDR(message);
  if (control == nullptr) {
    message->msg_controllen = 0;
    return;
  }
  if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
    // By its routes the kernel knows the interface better than by where the request
    // came in. ipi_spec_dst is the local address already.
    reinterpret_cast<in_pktinfo*>(CMSG_DATA(control))->ipi_ifindex = 0;
    return;
  }
  if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
    auto* info = reinterpret_cast<in6_pktinfo*>(CMSG_DATA(control));
    // A link-local address means nothing without its interface.
    if (!IN6_IS_ADDR_LINKLOCAL(&info->ipi6_addr)) info->ipi6_ifindex = 0;
    if (!IN6_IS_ADDR_MULTICAST(&info->ipi6_addr)) return;
  }
  message->msg_controllen = 0;
}

}  // namespace

UdpBatch::UdpBatch(const SystemCalls& calls, UdpHandler* handler, Log* log, Random* random,
                   uint32_t error_rate)
    : calls_(calls), handler_(handler), log_(log), random_(random), errors_(error_rate) {
  for (size_t i = 0; i < kPacketsMax; ++i) {
    received_bytes_[i] = {packets_[i].data(), packets_[i].size()};
    received_[i] = {};
    received_[i].msg_hdr.msg_name = &sources_[i];
    received_[i].msg_hdr.msg_iov = &received_bytes_[i];
    received_[i].msg_hdr.msg_iovlen = 1;
    received_[i].msg_hdr.msg_control = &controls_[i];
    replies_[i] = {};
    replies_[i].msg_hdr.msg_iov = &reply_bytes_[i];
    replies_[i].msg_hdr.msg_iovlen = 1;
  }
}

size_t UdpBatch::Receive(int fd, bool tells_destination, int64_t now_ms) {
  for (mmsghdr& message : received_) {
    message.msg_hdr.msg_namelen = sizeof(SocketAddress);
    message.msg_hdr.msg_controllen = tells_destination ? sizeof(Control) : 0;
  }
  const int count = calls_.recvmmsg(fd, received_.data(), kPacketsMax, MSG_DONTWAIT, nullptr);
  if (count >= 0) return static_cast<size_t>(count);
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    log_->Report(Fault::kUdpReceive, errno, now_ms);
  }
  return 0;
}

size_t UdpBatch::Serve(int fd, bool tells_destination, const UdpTimes& times, UdpBacklog* backlog) {
  const size_t count = Receive(fd, tells_destination, times.now_ms);
  for (size_t i = 0; i < count; ++i) {
    handler_->Prefetch(absl::MakeConstSpan(packets_[i].data(), received_[i].msg_len));
  }
  reply_count_ = 0;
  for (size_t i = 0; i < count; ++i) Answer(i, times);
  Send(fd, times.now_ms, backlog);
  ReportErrorsNotSent(times.now_ms);
  return count;
}

void UdpBatch::Answer(size_t index, const UdpTimes& times) {
  const Endpoint source = FromSocketAddress(sources_[index]);
  // Nothing can be sent to port 0.
  if (source.port() == 0) return;
  std::array<uint8_t, kUdpReplyBytesMax>& reply = reply_packets_[reply_count_];
  const size_t size =
      handler_->Handle(absl::MakeConstSpan(packets_[index].data(), received_[index].msg_len),
                       source, times, *random_, absl::MakeSpan(reply), &errors_);
  if (size == 0) return;

  msghdr& from = received_[index].msg_hdr;
  MakeReplyControl(&from);
  reply_bytes_[reply_count_] = {reply.data(), size};
  msghdr& to = replies_[reply_count_].msg_hdr;
  to.msg_name = from.msg_name;
  to.msg_namelen = from.msg_namelen;
  to.msg_control = from.msg_controllen > 0 ? from.msg_control : nullptr;
  to.msg_controllen = from.msg_controllen;
  ++reply_count_;
}

void UdpBatch::Send(int fd, int64_t now_ms, UdpBacklog* backlog) {
  const absl::Span<mmsghdr> replies = absl::MakeSpan(replies_.data(), reply_count_);
  const UdpSendResult result = SendMessages(calls_, fd, replies, log_, now_ms);
  if (result.error != 0) backlog->Keep(replies.subspan(result.done), result.error, now_ms);
}

void UdpBatch::ReportErrorsNotSent(int64_t now_ms) {
  const uint64_t refused = errors_.refused();
  if (refused == errors_reported_) return;
  log_->Report(Fault::kUdpErrorsLimited, 0, now_ms, refused - errors_reported_);
  errors_reported_ = refused;
}

}  // namespace septet::tracker
