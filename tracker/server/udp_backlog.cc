#include "tracker/server/udp_backlog.h"

#include <errno.h>

#include <algorithm>
#include <cstring>

#include "tracker/server/udp_send.h"

namespace septet::tracker {

void UdpBacklog::Keep(absl::Span<const mmsghdr> messages, int error, int64_t now_ms) {
  replies_.resize(std::min(messages.size(), kRepliesMax));
  for (size_t i = 0; i < replies_.size(); ++i) {
    const msghdr& message = messages[i].msg_hdr;
    const iovec& part = message.msg_iov[0];
    Reply& reply = replies_[i];
    reply.to_bytes = std::min<socklen_t>(message.msg_namelen, sizeof(reply.to));
    std::memcpy(&reply.to, message.msg_name, reply.to_bytes);
    reply.size = static_cast<uint16_t>(std::min(part.iov_len, reply.bytes.size()));
    std::memcpy(reply.bytes.data(), part.iov_base, reply.size);
    reply.control_bytes =
        static_cast<uint16_t>(std::min<size_t>(message.msg_controllen, reply.control.size()));
    if (reply.control_bytes == 0) continue;
    std::memcpy(reply.control.data(), message.msg_control, reply.control_bytes);
  }
  error_ = error;
  since_ms_ = tried_ms_ = now_ms;
}

void UdpBacklog::Flush(const SystemCalls& calls, int fd, Log* log, int64_t now_ms) {
  if (empty()) return;
  std::array<mmsghdr, kRepliesMax> messages = {};
  std::array<iovec, kRepliesMax> parts;
  for (size_t i = 0; i < replies_.size(); ++i) {
    Reply& reply = replies_[i];
    parts[i] = {reply.bytes.data(), reply.size};
    msghdr& message = messages[i].msg_hdr;
    message.msg_name = &reply.to;
    message.msg_namelen = reply.to_bytes;
    message.msg_iov = &parts[i];
    message.msg_iovlen = 1;
    message.msg_control = reply.control_bytes > 0 ? reply.control.data() : nullptr;
    message.msg_controllen = reply.control_bytes;
  }
  const UdpSendResult result =
      SendMessages(calls, fd, absl::MakeSpan(messages.data(), replies_.size()), log, now_ms);
  replies_.erase(replies_.begin(), replies_.begin() + static_cast<ptrdiff_t>(result.done));
  error_ = result.error;
  tried_ms_ = now_ms;
  if (!empty() && now_ms - since_ms_ >= kKeptMs) {
    log->Report(Fault::kUdpSendBufferFull, error_, now_ms, size());
    replies_.clear();
  }
  if (empty()) replies_.shrink_to_fit();
}

uint32_t UdpBacklog::events() const {
  if (empty()) return EPOLLIN;
  // Where the kernel has no memory the buffer of the socket is not full, and epoll would
  // report it again and again.
  return error_ == EAGAIN ? uint32_t{EPOLLOUT} : 0;
}

int64_t UdpBacklog::retry_ms() const {
  if (empty()) return INT64_MAX;
  return error_ == EAGAIN ? since_ms_ + kKeptMs : tried_ms_ + kRetryMs;
}

}  // namespace septet::tracker
