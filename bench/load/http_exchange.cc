#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/load/exchange.h"
#include "bench/load/http_response.h"
#include "bench/load/monotonic_clock.h"
#include "bench/load/reply_check.h"
#include "bench/load/socket_name.h"

namespace septet::bench {
namespace {

constexpr size_t kReadBytes = 16 * 1024;
constexpr int kEventsMax = 256;

enum class State : uint8_t {
  kClosed,  // no socket
  kIdle,    // a connection that stays, without a request
  kSend,    // the request waits for the connection, or for room
  kReply,
  kEnd,  // the reply was right; the tracker has to close
};

struct Connection {
  int fd = -1;
  State state = State::kClosed;
  uint32_t turn = 0;  // of its descriptor: tells old events
  uint64_t due_ns = 0;
  uint64_t sent_ns = 0;
  LoadRequest request;
  std::string out;
  std::string in;
};

class HttpExchange : public Exchange {
 public:
  HttpExchange(const ExchangeOptions& options, bool keep_alive,
               const std::vector<tracker::InfoHash>& hashes, LoadResult* result)
      : options_(options),
        keep_alive_(keep_alive),
        hashes_(hashes),
        result_(result),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        connections_(options.window),
        numbers_(options.window) {
    for (const tracker::InfoHash& hash : hashes) escaped_.push_back(EscapedHash(hash));
    for (uint32_t i = 0; i < options.window; ++i) free_.push_back(i);
  }

  ~HttpExchange() override {
    for (const Connection& connection : connections_) {
      if (connection.fd >= 0) close(connection.fd);
    }
    close(epoll_);
  }

  // Opens all connections that are to stay.
  bool OpenAll() {
    for (uint32_t i = 0; i < connections_.size(); ++i) {
      if (!Open(i, PlaceOf(i))) return false;
      connections_[i].state = State::kIdle;
    }
    return true;
  }

  uint32_t Free() const override { return static_cast<uint32_t>(free_.size()); }
  uint32_t Outstanding() const override { return options_.window - Free(); }

  absl::optional<PeerPlace> NextPlace() const override {
    if (!keep_alive_ || free_.empty()) return absl::nullopt;
    return PlaceOf(free_.front());
  }

  void Send(const LoadRequest& request, uint64_t due_ns) override {
    const uint32_t index = free_.front();
    free_.pop_front();
    Connection& connection = connections_[index];
    connection.request = request;
    connection.due_ns = due_ns;
    connection.sent_ns = MonotonicNs();
    connection.in.clear();
    ++result_->sent;
    sent_.push_back({index, result_->sent});
    numbers_[index] = result_->sent;
    WriteHttpRequest(request, escaped_[request.torrent], keep_alive_, &connection.out);
    if (connection.fd < 0 && !Open(index, request.place)) return Fail(index, "no connection");
    connection.state = State::kSend;
    Write(index);
  }

  void Flush() override {}

  void Receive(uint64_t wait_ns) override {
    std::array<epoll_event, kEventsMax> events;
    const timespec patience = {static_cast<time_t>(wait_ns / 1'000'000'000),
                               static_cast<long>(wait_ns % 1'000'000'000)};
    const int count = epoll_pwait2(epoll_, events.data(), kEventsMax, &patience, nullptr);
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<uint32_t>(events[i].data.u64);
      Connection& connection = connections_[index];
      if (connection.turn != events[i].data.u64 >> 32 || connection.fd < 0) continue;
      if (connection.state == State::kSend) {
        Write(index);
      } else {
        Read(index);
      }
    }
    GiveUpOld();
  }

 private:
  struct Sent {
    uint32_t index;
    uint64_t number;
  };

  // Of a connection that stays. The families are spread evenly.
  PeerPlace PlaceOf(uint32_t index) const {
    const bool ipv6 = index * options_.ipv6_percent % 100 < options_.ipv6_percent;
    return {ipv6, ipv6 ? 0 : index % options_.sources, 0};
  }

  bool Open(uint32_t index, const PeerPlace& place) {
    Connection& connection = connections_[index];
    const int family = place.ipv6 ? AF_INET6 : AF_INET;
    const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (!place.ipv6) {
      // The port is chosen when the other end is known, so that each pair has all ports.
      setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
      const SocketName source(SourceAddress(place.source));
      bind(fd, &source.any, source.size);
    }
    const SocketName target(place.ipv6 ? *options_.target6 : options_.target);
    connection.fd = fd;
    ++connection.turn;
    if (connect(fd, &target.any, target.size) != 0 && errno != EINPROGRESS) {
      Close(index);
      return false;
    }
    // Edges: neither direction has to be asked for again.
    epoll_event event = {};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = uint64_t{connection.turn} << 32 | index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    return true;
  }

  void Close(uint32_t index) {
    Connection& connection = connections_[index];
    if (connection.fd >= 0) close(connection.fd);
    connection.fd = -1;
    connection.state = State::kClosed;
  }

  void Write(uint32_t index) {
    Connection& connection = connections_[index];
    const ssize_t sent =
        send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINPROGRESS || errno == ENOTCONN)) return;
    if (sent < 0) return Fail(index, "a connection that was refused or reset");
    connection.out.erase(0, static_cast<size_t>(sent));
    if (connection.out.empty()) connection.state = State::kReply;
  }

  void Read(uint32_t index) {
    Connection& connection = connections_[index];
    while (connection.fd >= 0) {
      const ssize_t size = recv(connection.fd, buffer_.data(), buffer_.size(), 0);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) return OnEnd(index, size);
      if (connection.state != State::kReply) return Fail(index, "bytes that nobody asked for");
      connection.in.append(buffer_.data(), static_cast<size_t>(size));
      const HttpResponse response = ParseHttpResponse(connection.in);
      if (response.state == HttpResponse::State::kBroken) return Fail(index, response.fault);
      if (response.state != HttpResponse::State::kComplete) continue;
      if (response.bytes != connection.in.size()) return Fail(index, "bytes after the response");
      if (!Check(index, response.body)) return;
      if (keep_alive_) return Finish(index);
    }
  }

  void OnEnd(uint32_t index, ssize_t size) {
    Connection& connection = connections_[index];
    if (connection.state == State::kEnd && size == 0) return Finish(index);
    if (connection.state == State::kIdle) {
      result_->AddFault("a connection that was closed while it was idle");
      return Close(index);
    }
    Fail(index, size == 0 ? "a connection that ended before the response" : "a connection reset");
  }

  // False: it was wrong, and the connection is ended.
  bool Check(uint32_t index, absl::string_view body) {
    Connection& connection = connections_[index];
    const LoadRequest& request = connection.request;
    const ExpectedReply expected = {
        .is_scrape = request.is_scrape,
        .ipv6 = request.place.ipv6,
        .numwant = request.numwant,
        .may_be_short = options_.mixed_families || request.event == LoadEvent::kStopped,
        .hash = options_.knows_hashes ? &hashes_[request.torrent] : nullptr};
    const CheckedReply checked = CheckHttpBody(body, expected);
    if (!checked.fault.empty()) {
      Fail(index, checked.fault);
      return false;
    }
    ++result_->replies;
    result_->peers_told += checked.peers;
    result_->latency.Add(MonotonicNs() - connection.due_ns);
    connection.state = State::kEnd;
    return true;
  }

  void Finish(uint32_t index) {
    if (keep_alive_) {
      connections_[index].state = State::kIdle;
    } else {
      Close(index);
    }
    numbers_[index] = 0;
    free_.push_back(index);
  }

  void Fail(uint32_t index, absl::string_view fault) {
    result_->AddFault(fault);
    Close(index);
    numbers_[index] = 0;
    free_.push_back(index);
  }

  void GiveUpOld() {
    if (sent_.empty()) return;
    const uint64_t now_ns = MonotonicNs();
    while (!sent_.empty()) {
      const Sent oldest = sent_.front();
      if (numbers_[oldest.index] == oldest.number) {
        const Connection& connection = connections_[oldest.index];
        if (now_ns - connection.sent_ns < options_.timeout_ns) return;
        if (connection.state == State::kEnd) {
          result_->AddFault("a connection that was not closed");
        } else {
          ++result_->lost;
        }
        Close(oldest.index);
        numbers_[oldest.index] = 0;
        free_.push_back(oldest.index);
      }
      sent_.pop_front();
    }
  }

  const ExchangeOptions options_;
  const bool keep_alive_;
  const std::vector<tracker::InfoHash>& hashes_;
  LoadResult* const result_;
  const int epoll_;
  std::vector<std::string> escaped_;  // the hashes
  std::vector<Connection> connections_;
  std::deque<uint32_t> free_;  // each in its turn
  // Requests in order, by their numbers; the request of each connection, 0: none.
  std::deque<Sent> sent_;
  std::vector<uint64_t> numbers_;
  std::array<char, kReadBytes> buffer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Exchange>> OpenHttpExchange(
    const ExchangeOptions& options, bool keep_alive, const std::vector<tracker::InfoHash>& hashes,
    LoadResult* result) {
  auto exchange = std::make_unique<HttpExchange>(options, keep_alive, hashes, result);
  if (keep_alive && !exchange->OpenAll()) {
    return absl::UnavailableError("the tracker does not take connections");
  }
  return exchange;
}

}  // namespace septet::bench
