#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/load/exchange.h"
#include "bench/load/monotonic_clock.h"
#include "bench/load/reply_check.h"
#include "bench/load/socket_name.h"

namespace septet::bench {
namespace {

constexpr size_t kBatch = 64;
constexpr size_t kReplyBytesMax = 2048;
constexpr int kReceiveBufferBytes = 4 * 1024 * 1024;
constexpr uint64_t kConnectionIdAgeMaxNs = 60'000'000'000;
constexpr int kConnectTriesMax = 50;  // of a tenth of a second each
constexpr uint64_t kConnectWaitNs = 100'000'000;

// A transaction id is the place of a request, and how often the place was used.
constexpr int kPlaceBits = 12;
static_assert(kWindowMax <= 1u << kPlaceBits);

uint32_t Load32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

uint64_t Load64(const uint8_t* bytes) { return uint64_t{Load32(bytes)} << 32 | Load32(bytes + 4); }

void Store(uint64_t value, size_t bytes, uint8_t* out) {
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(value >> (8 * (bytes - 1 - i)));
}

// One socket, from which packets leave with any source address of 127.0.0.0/8: the
// kernel is told of it with each packet.
class BatchSocket {
 public:
  explicit BatchSocket(const tracker::Endpoint& target)
      : target_(target), ipv6_(target.family == tracker::Family::kIpv6) {
    fd_ = socket(ipv6_ ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &kReceiveBufferBytes, sizeof(kReceiveBufferBytes));
    for (size_t i = 0; i < kBatch; ++i) {
      sent_[i].msg_hdr.msg_name = &target_.any;
      sent_[i].msg_hdr.msg_namelen = target_.size;
      sent_[i].msg_hdr.msg_iov = &sent_bytes_[i];
      sent_[i].msg_hdr.msg_iovlen = 1;
      received_bytes_[i] = {replies_[i].data(), replies_[i].size()};
      received_[i].msg_hdr.msg_iov = &received_bytes_[i];
      received_[i].msg_hdr.msg_iovlen = 1;
      if (!ipv6_) PrepareSource(i);
    }
  }
  ~BatchSocket() { close(fd_); }
  BatchSocket(const BatchSocket&) = delete;

  int fd() const { return fd_; }
  bool ipv6() const { return ipv6_; }

  // Where the next packet is written; it is sent when Commit has filled the batch, or in
  // Flush.
  uint8_t* Next() { return packets_[count_].data(); }
  void Commit(size_t size, uint32_t source) {
    sent_bytes_[count_] = {packets_[count_].data(), size};
    if (!ipv6_) {
      const tracker::Endpoint address = SourceAddress(source);
      memcpy(&Info(count_)->ipi_spec_dst, address.compact.data(), 4);
    }
    if (++count_ == kBatch) Flush();
  }

  // False: the system refuses; what was not sent counts as lost in time.
  bool Flush() {
    size_t done = 0;
    while (done < count_) {
      const int sent = sendmmsg(fd_, &sent_[done], static_cast<unsigned>(count_ - done), 0);
      if (sent > 0) done += static_cast<size_t>(sent);
      // Nobody was at the port when an earlier packet came: told once, then forgotten.
      if (sent <= 0 && errno != ECONNREFUSED && errno != EINTR) break;
    }
    const bool is_sent = done == count_;
    count_ = 0;
    return is_sent;
  }

  size_t Receive() {
    const int count = recvmmsg(fd_, received_.data(), kBatch, MSG_DONTWAIT, nullptr);
    return count > 0 ? static_cast<size_t>(count) : 0;
  }
  absl::Span<const uint8_t> reply(size_t i) const {
    return absl::MakeConstSpan(replies_[i].data(), received_[i].msg_len);
  }

 private:
  struct alignas(8) Control {
    std::array<uint8_t, CMSG_SPACE(sizeof(in_pktinfo))> bytes;
  };

  void PrepareSource(size_t i) {
    msghdr& message = sent_[i].msg_hdr;
    message.msg_control = &controls_[i];
    message.msg_controllen = sizeof(Control);
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = IPPROTO_IP;
    control->cmsg_type = IP_PKTINFO;
    control->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
  }
  in_pktinfo* Info(size_t i) {
    return reinterpret_cast<in_pktinfo*>(CMSG_DATA(CMSG_FIRSTHDR(&sent_[i].msg_hdr)));
  }

  SocketName target_;
  const bool ipv6_;
  int fd_ = -1;
  size_t count_ = 0;
  std::array<std::array<uint8_t, kUdpRequestBytesMax>, kBatch> packets_;
  std::array<Control, kBatch> controls_{};
  std::array<iovec, kBatch> sent_bytes_;
  std::array<mmsghdr, kBatch> sent_{};
  std::array<std::array<uint8_t, kReplyBytesMax>, kBatch> replies_;
  std::array<iovec, kBatch> received_bytes_;
  std::array<mmsghdr, kBatch> received_{};
};

class UdpExchange : public Exchange {
 public:
  UdpExchange(const ExchangeOptions& options, const std::vector<tracker::InfoHash>& hashes,
              LoadResult* result)
      : options_(options), hashes_(hashes), result_(result), places_(options.window) {
    sockets_.push_back(std::make_unique<BatchSocket>(options.target));
    ids_.emplace_back(options.sources);
    if (options.target6.has_value()) {
      sockets_.push_back(std::make_unique<BatchSocket>(*options.target6));
      ids_.emplace_back(1);
    }
    for (uint32_t i = 0; i < options.window; ++i) free_.push_back(i);
  }

  // False: the tracker does not answer.
  bool GetConnectionIds() {
    ids_of_ns_ = MonotonicNs();
    for (size_t i = 0; i < sockets_.size(); ++i) {
      if (!GetConnectionIds(sockets_[i].get(), &ids_[i])) return false;
    }
    return true;
  }

  uint32_t Free() const override { return static_cast<uint32_t>(free_.size()); }
  uint32_t Outstanding() const override { return options_.window - Free(); }

  void Send(const LoadRequest& request, uint64_t due_ns) override {
    const uint32_t index = free_.back();
    free_.pop_back();
    Place& place = places_[index];
    place.transaction_id += 1u << kPlaceBits;
    place.transaction_id = (place.transaction_id >> kPlaceBits << kPlaceBits) | index;
    place.is_open = true;
    place.due_ns = due_ns;
    place.request = request;
    const size_t family = request.place.ipv6 ? 1 : 0;
    BatchSocket& socket = *sockets_[family];
    const size_t size =
        WriteUdpRequest(request, hashes_[request.torrent], ids_[family][request.place.source],
                        place.transaction_id, socket.Next());
    socket.Commit(size, request.place.source);
    sent_.push_back({MonotonicNs(), place.transaction_id});
    ++result_->sent;
  }

  void Flush() override {
    for (const auto& socket : sockets_) socket->Flush();
  }

  void Receive(uint64_t wait_ns) override {
    if (!TakeAll() && wait_ns > 0) {
      Wait(wait_ns);
      TakeAll();
    }
    GiveUpOld();
    if (MonotonicNs() - ids_of_ns_ > kConnectionIdAgeMaxNs && Outstanding() == 0) {
      GetConnectionIds();
    }
  }

 private:
  struct Place {
    bool is_open = false;
    uint32_t transaction_id = 0;
    uint64_t due_ns = 0;
    LoadRequest request;
  };
  struct Sent {
    uint64_t at_ns;
    uint32_t transaction_id;
  };

  // The source is the transaction id.
  bool GetConnectionIds(BatchSocket* socket, std::vector<uint64_t>* ids) {
    std::vector<bool> known(ids->size());
    size_t missing = ids->size();
    for (int i = 0; i < kConnectTriesMax && missing > 0; ++i) {
      for (uint32_t source = 0; source < ids->size(); ++source) {
        if (known[source]) continue;
        uint8_t* const packet = socket->Next();
        Store(0x41727101980, 8, packet);
        Store(0, 4, packet + 8);
        Store(source, 4, packet + 12);
        socket->Commit(16, source);
      }
      socket->Flush();
      pollfd wait = {socket->fd(), POLLIN, 0};
      const timespec patience = {0, kConnectWaitNs};
      while (missing > 0 && ppoll(&wait, 1, &patience, nullptr) > 0) {
        const size_t count = socket->Receive();
        for (size_t reply = 0; reply < count; ++reply) {
          const auto bytes = socket->reply(reply);
          if (bytes.size() != 16 || Load32(bytes.data()) != 0) continue;
          const uint32_t source = Load32(bytes.data() + 4);
          if (source >= ids->size() || known[source]) continue;
          (*ids)[source] = Load64(bytes.data() + 8);
          known[source] = true;
          --missing;
        }
      }
    }
    return missing == 0;
  }

  bool TakeAll() {
    bool any = false;
    for (const auto& socket : sockets_) {
      size_t count = kBatch;
      while (count == kBatch) {
        count = socket->Receive();
        const uint64_t now_ns = MonotonicNs();
        for (size_t i = 0; i < count; ++i) Take(socket->reply(i), now_ns);
        any = any || count > 0;
      }
    }
    return any;
  }

  void Take(absl::Span<const uint8_t> reply, uint64_t now_ns) {
    const uint32_t id = reply.size() >= 8 ? Load32(reply.data() + 4) : 0;
    const uint32_t index = id & ((1u << kPlaceBits) - 1);
    if (index >= places_.size() || !places_[index].is_open || places_[index].transaction_id != id) {
      ++result_->strays;
      return;
    }
    Place& place = places_[index];
    const ExpectedReply expected = {
        .is_scrape = place.request.is_scrape,
        .ipv6 = place.request.place.ipv6,
        .numwant = place.request.numwant,
        .may_be_short = options_.mixed_families || place.request.event == LoadEvent::kStopped};
    const CheckedReply checked = CheckUdpReply(reply, id, expected);
    if (checked.fault.empty()) {
      ++result_->replies;
      result_->peers_told += checked.peers;
      result_->latency.Add(now_ns - place.due_ns);
    } else {
      result_->AddFault(checked.fault);
    }
    Close(index);
  }

  void Close(uint32_t index) {
    places_[index].is_open = false;
    free_.push_back(index);
  }

  void GiveUpOld() {
    if (sent_.empty()) return;
    const uint64_t now_ns = MonotonicNs();
    while (!sent_.empty()) {
      const Sent& oldest = sent_.front();
      const uint32_t index = oldest.transaction_id & ((1u << kPlaceBits) - 1);
      const Place& place = places_[index];
      if (place.is_open && place.transaction_id == oldest.transaction_id) {
        if (now_ns - oldest.at_ns < options_.timeout_ns) return;
        ++result_->lost;
        Close(index);
      }
      sent_.pop_front();
    }
  }

  void Wait(uint64_t wait_ns) {
    std::array<pollfd, 2> wait;
    for (size_t i = 0; i < sockets_.size(); ++i) wait[i] = {sockets_[i]->fd(), POLLIN, 0};
    const timespec patience = {static_cast<time_t>(wait_ns / 1'000'000'000),
                               static_cast<long>(wait_ns % 1'000'000'000)};
    ppoll(wait.data(), sockets_.size(), &patience, nullptr);
  }

  const ExchangeOptions options_;
  const std::vector<tracker::InfoHash>& hashes_;
  LoadResult* const result_;
  // IPv4, then IPv6; likewise their connection ids, by source.
  std::vector<std::unique_ptr<BatchSocket>> sockets_;
  std::vector<std::vector<uint64_t>> ids_;
  uint64_t ids_of_ns_ = 0;
  std::vector<Place> places_;
  std::vector<uint32_t> free_;
  std::deque<Sent> sent_;  // in order; those that are answered go when they are oldest
};

}  // namespace

absl::StatusOr<std::unique_ptr<Exchange>> OpenUdpExchange(
    const ExchangeOptions& options, const std::vector<tracker::InfoHash>& hashes,
    LoadResult* result) {
  auto exchange = std::make_unique<UdpExchange>(options, hashes, result);
  if (!exchange->GetConnectionIds()) {
    return absl::UnavailableError("the tracker does not answer connect requests over UDP");
  }
  return exchange;
}

}  // namespace septet::bench
