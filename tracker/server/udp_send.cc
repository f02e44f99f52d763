#include "tracker/server/udp_send.h"

#include <errno.h>

#include <algorithm>

namespace septet::tracker {
namespace {

bool IsForWantOfRoom(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

UdpSendResult SendMessages(const SystemCalls& calls, int fd, absl::Span<mmsghdr> messages, Log* log,
                           int64_t now_ms) {
  UdpSendResult result;
  while (result.done < messages.size()) {
    const absl::Span<mmsghdr> rest = messages.subspan(result.done);
    // An error is told only if it is about the first of them.
    const int sent = calls.sendmmsg(fd, rest.data(), static_cast<unsigned>(rest.size()),
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      result.done += std::min(static_cast<size_t>(sent), rest.size());
      continue;
    }
    // None sent and no error does not happen, and must not loop if it does.
    const int error = sent < 0 ? errno : EIO;
    if (error == EINTR) continue;
    if (IsForWantOfRoom(error)) {
      result.error = error == EWOULDBLOCK ? EAGAIN : error;
      return result;
    }
    log->Report(Fault::kUdpSend, error, now_ms);
    ++result.done;
  }
  return result;
}

}  // namespace septet::tracker
