#include "bench/udp_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace septet::bench {
namespace {

constexpr size_t kReplyHeaderBytes = 20;
constexpr int kTriesMax = 50;  // of a tenth of a second each

void Store(uint64_t value, size_t bytes, uint8_t* out) {
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(value >> (8 * (bytes - 1 - i)));
}

uint32_t Load32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

absl::StatusOr<std::unique_ptr<UdpLoad>> UdpLoad::Connect(uint16_t port, bool ipv6) {
  const int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
  sockaddr_in ipv4_address{};
  ipv4_address.sin_family = AF_INET;
  ipv4_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ipv4_address.sin_port = htons(port);
  sockaddr_in6 ipv6_address{};
  ipv6_address.sin6_family = AF_INET6;
  ipv6_address.sin6_addr = in6addr_loopback;
  ipv6_address.sin6_port = htons(port);
  const auto* const address = ipv6 ? reinterpret_cast<const sockaddr*>(&ipv6_address)
                                   : reinterpret_cast<const sockaddr*>(&ipv4_address);
  const socklen_t size = ipv6 ? sizeof(ipv6_address) : sizeof(ipv4_address);
  if (fd < 0 || connect(fd, address, size) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot connect: ", std::strerror(errno)));
  }
  const timeval patience = {0, 100'000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  auto load = std::unique_ptr<UdpLoad>(new UdpLoad(fd, ipv6));
  const absl::Status status = load->GetConnectionId();
  if (!status.ok()) return status;
  return load;
}

UdpLoad::~UdpLoad() { close(fd_); }

absl::Status UdpLoad::GetConnectionId() {
  uint8_t request[16];
  Store(0x41727101980, 8, request);
  Store(0, 4, request + 8);
  Store(7, 4, request + 12);
  for (int i = 0; i < kTriesMax; ++i) {
    uint8_t reply[16];
    if (send(fd_, request, sizeof(request), 0) < 0 && errno != ECONNREFUSED) break;
    if (recv(fd_, reply, sizeof(reply), 0) != sizeof(reply) || Load32(reply) != 0 ||
        Load32(reply + 4) != 7) {
      continue;
    }
    std::copy_n(reply + 8, connection_id_.size(), connection_id_.begin());
    return absl::OkStatus();
  }
  return absl::UnavailableError("the tracker does not answer a connect request");
}

absl::Status UdpLoad::Announce(const Request& request) {
  uint8_t* const packet = packets_[count_].data();
  std::copy(connection_id_.begin(), connection_id_.end(), packet);
  Store(1, 4, packet + 8);
  Store(round_ * kWindow + count_, 4, packet + 12);
  const tracker::InfoHash hash = TorrentHash(request.torrent);
  std::copy(hash.begin(), hash.end(), packet + 16);
  Store(IsSeeder(request.peer) ? 0 : 1, 8, packet + 64);  // left
  Store(request.event, 4, packet + 80);
  Store(request.numwant, 4, packet + 92);
  Store(1 + request.peer, 2, packet + 96);
  if (++count_ == kWindow) return Flush();
  return absl::OkStatus();
}

// Sends those of which the bit is set. False: the system refuses.
bool UdpLoad::Send(uint64_t wanted) {
  std::array<mmsghdr, kWindow> messages{};
  std::array<iovec, kWindow> vectors;
  unsigned n = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    if ((wanted >> i & 1) == 0) continue;
    vectors[n] = {packets_[i].data(), packets_[i].size()};
    messages[n].msg_hdr.msg_iov = &vectors[n];
    messages[n].msg_hdr.msg_iovlen = 1;
    ++n;
  }
  for (unsigned done = 0; done < n;) {
    const int sent = sendmmsg(fd_, &messages[done], n - done, 0);
    if (sent <= 0) return false;
    done += static_cast<unsigned>(sent);
  }
  return true;
}

absl::Status UdpLoad::TakeReplies(uint64_t* wanted) {
  constexpr size_t kReplyBytesMax = 2048;
  static thread_local std::array<std::array<uint8_t, kReplyBytesMax>, kWindow> replies;
  std::array<mmsghdr, kWindow> messages{};
  std::array<iovec, kWindow> vectors;
  for (uint32_t i = 0; i < kWindow; ++i) {
    vectors[i] = {replies[i].data(), replies[i].size()};
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const size_t peer_bytes = ipv6_ ? 18 : 6;
  while (*wanted != 0) {
    const int n = recvmmsg(fd_, messages.data(), kWindow, MSG_WAITFORONE, nullptr);
    if (n <= 0) return absl::OkStatus();  // the time is over: some are sent again
    for (int i = 0; i < n; ++i) {
      const size_t size = messages[i].msg_len;
      const uint8_t* const reply = replies[i].data();
      if (size < kReplyHeaderBytes || Load32(reply) != 1 ||
          (size - kReplyHeaderBytes) % peer_bytes != 0) {
        return absl::InternalError(absl::StrCat("a wrong reply of ", size, " bytes, action ",
                                                size >= 4 ? Load32(reply) : 0));
      }
      const uint32_t index = Load32(reply + 4) - round_ * kWindow;
      if (index >= kWindow || (*wanted >> index & 1) == 0) continue;  // of a packet sent twice
      *wanted &= ~(uint64_t{1} << index);
      ++replies_;
      peers_told_ += (size - kReplyHeaderBytes) / peer_bytes;
    }
  }
  return absl::OkStatus();
}

absl::Status UdpLoad::Flush() {
  uint64_t wanted = (uint64_t{1} << count_) - 1;
  for (int i = 0; i < kTriesMax && wanted != 0; ++i) {
    if (i > 0) sent_again_ += static_cast<uint64_t>(__builtin_popcountll(wanted));
    if (!Send(wanted)) return absl::UnavailableError("cannot send");
    const absl::Status status = TakeReplies(&wanted);
    if (!status.ok()) return status;
  }
  count_ = 0;
  ++round_;
  return wanted == 0 ? absl::OkStatus() : absl::DeadlineExceededError("no reply to an announce");
}

absl::Status LoadShape(UdpLoad* load, const SwarmShape& shape) {
  for (uint32_t peer = 0; peer < shape.peers; ++peer) {
    for (uint32_t torrent = 0; torrent < shape.torrents; ++torrent) {
      const absl::Status status =
          load->Announce({.torrent = torrent, .peer = peer, .numwant = 0, .event = 2});
      if (!status.ok()) return status;
    }
  }
  return load->Flush();
}

}  // namespace septet::bench
