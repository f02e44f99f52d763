// A UDP tracker that looks nothing up: every announce gets the same peers. What is left of
// the time of a real one is what the kernel takes for a request and a reply of this size.
//
//   bazel run -c opt //bench:null_udp_server -- --address=127.0.0.1:7000

#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "bench/null_listener.h"
#include "bench/null_reply.h"
#include "tracker/udp/packet.h"

ABSL_FLAG(std::string, address, "127.0.0.1:0", "ADDR:PORT; port 0 takes a free one.");
ABSL_FLAG(uint32_t, batch, 32,
          "Packets of one recvmmsg and one sendmmsg, 2 to 64; 1: recvfrom and sendto.");
ABSL_FLAG(uint32_t, peers, 50, "Peers in the reply to an announce, 0 to 200.");
ABSL_FLAG(bool, epoll, false,
          "Wait for packets in epoll_wait, as a server with several sockets has to, not in the "
          "call that receives them.");

namespace septet::bench {
namespace {

namespace udp = tracker::udp;

constexpr size_t kBatchMax = 64;
constexpr size_t kPacketBytesMax = 1600;

// The replies to one place in the batch, ready but for the transaction id.
class Replies {
 public:
  explicit Replies(uint32_t peers) {
    connect_bytes_ = WriteNullConnectReply(connect_.data());
    announce_bytes_ = WriteNullAnnounceReply(peers, announce_.data());
    scrape_bytes_ = WriteNullScrapeReply(scrape_.data());
  }

  // The reply to a packet; null: none is due.
  iovec For(const uint8_t* packet, size_t size) {
    if (size < udp::kRequestHeaderBytes) return {nullptr, 0};
    switch (static_cast<udp::Action>(packet[11])) {
      case udp::Action::kConnect:
        return With(packet, connect_.data(), connect_bytes_);
      case udp::Action::kAnnounce:
        return With(packet, announce_.data(), announce_bytes_);
      case udp::Action::kScrape:
        return With(packet, scrape_.data(), scrape_bytes_);
      default:
        return {nullptr, 0};
    }
  }

 private:
  static iovec With(const uint8_t* packet, uint8_t* reply, size_t size) {
    std::memcpy(reply + 4, packet + 12, 4);  // the transaction id
    return {reply, size};
  }

  size_t connect_bytes_;
  size_t announce_bytes_;
  size_t scrape_bytes_;
  std::array<uint8_t, 64> connect_;
  std::array<uint8_t, 64> scrape_;
  std::array<uint8_t, kNullUdpReplyBytesMax> announce_;
};

class Server {
 public:
  Server(int fd, uint32_t batch, uint32_t peers)
      : fd_(fd), batch_(batch), packets_(batch), replies_(batch, Replies(peers)) {
    for (uint32_t i = 0; i < batch_; ++i) {
      received_bytes_[i] = {packets_[i].data(), packets_[i].size()};
      received_[i].msg_hdr.msg_name = &sources_[i];
      received_[i].msg_hdr.msg_iov = &received_bytes_[i];
      received_[i].msg_hdr.msg_iovlen = 1;
      sent_[i].msg_hdr.msg_iov = &sent_bytes_[i];
      sent_[i].msg_hdr.msg_iovlen = 1;
    }
  }

  // False: no packet was there.
  bool ServeBatch() {
    for (uint32_t i = 0; i < batch_; ++i) received_[i].msg_hdr.msg_namelen = sizeof(sources_[i]);
    const int count = recvmmsg(fd_, received_.data(), batch_, MSG_WAITFORONE, nullptr);
    if (count <= 0) return false;
    unsigned replies = 0;
    for (int i = 0; i < count; ++i) {
      const iovec reply = replies_[i].For(packets_[i].data(), received_[i].msg_len);
      if (reply.iov_base == nullptr) continue;
      sent_bytes_[replies] = reply;
      sent_[replies].msg_hdr.msg_name = received_[i].msg_hdr.msg_name;
      sent_[replies].msg_hdr.msg_namelen = received_[i].msg_hdr.msg_namelen;
      ++replies;
    }
    for (unsigned done = 0; done < replies;) {
      const int sent = sendmmsg(fd_, &sent_[done], replies - done, 0);
      if (sent <= 0) break;  // lost, as the network may lose it
      done += static_cast<unsigned>(sent);
    }
    return static_cast<uint32_t>(count) == batch_;
  }

  bool ServeOne() {
    auto* const source = reinterpret_cast<sockaddr*>(&sources_[0]);
    socklen_t source_bytes = sizeof(sources_[0]);
    const ssize_t size =
        recvfrom(fd_, packets_[0].data(), packets_[0].size(), 0, source, &source_bytes);
    if (size < 0) return false;
    const iovec reply = replies_[0].For(packets_[0].data(), static_cast<size_t>(size));
    if (reply.iov_base != nullptr) {
      sendto(fd_, reply.iov_base, reply.iov_len, 0, source, source_bytes);
    }
    return true;
  }

  bool Serve() { return batch_ == 1 ? ServeOne() : ServeBatch(); }

  void RunBlocking() {
    while (true) Serve();
  }

  void RunEpoll() {
    const int epoll = epoll_create1(0);
    epoll_event event = {};
    event.events = EPOLLIN;
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd_, &event);
    while (true) {
      if (epoll_wait(epoll, &event, 1, -1) < 1) continue;
      while (Serve()) {
      }
    }
  }

 private:
  const int fd_;
  const uint32_t batch_;
  std::vector<std::array<uint8_t, kPacketBytesMax>> packets_;
  std::vector<Replies> replies_;
  std::array<sockaddr_in6, kBatchMax> sources_;
  std::array<iovec, kBatchMax> received_bytes_;
  std::array<iovec, kBatchMax> sent_bytes_;
  std::array<mmsghdr, kBatchMax> received_{};
  std::array<mmsghdr, kBatchMax> sent_{};
};

int Main() {
  const uint32_t batch = absl::GetFlag(FLAGS_batch);
  const uint32_t peers = absl::GetFlag(FLAGS_peers);
  if (batch < 1 || batch > kBatchMax || peers > kNullPeersMax) {
    std::fprintf(stderr, "a flag is out of its range: see --help\n");
    return 2;
  }
  const bool polls = absl::GetFlag(FLAGS_epoll);
  Server server(ListenOrExit("udp", absl::GetFlag(FLAGS_address), !polls), batch, peers);
  polls ? server.RunEpoll() : server.RunBlocking();
  return 0;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("A UDP tracker that answers without a look: the floor.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
