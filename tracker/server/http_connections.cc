#include "tracker/server/http_connections.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "tracker/ip_endpoint.h"
#include "tracker/server/epoll_token.h"
#include "tracker/server/socket_address.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kAcceptBurstMax = 64;

// How long nothing is accepted when the kernel has no descriptor or memory for more.
constexpr int64_t kAcceptPauseMs = 100;

// Responses to pipelined requests leave together, until there are so many bytes of them.
// A client that does not take them costs this and one response more.
constexpr size_t kPipelinedBytesMax = 16 * 1024;
constexpr size_t kOutBytes = kPipelinedBytesMax + kHttpResponseBytesMax;

static_assert(http::kProxyHeaderBytesMax <= HttpStream::kInputBytesMax);

// In the order in which they are given up for a new connection.
constexpr Phase kIdleFirst[] = {Phase::kIdle, Phase::kLinger, Phase::kNew, Phase::kHead};
constexpr Phase kAnyPhase[] = {Phase::kIdle, Phase::kLinger, Phase::kNew, Phase::kHead,
                               Phase::kWrite};

// Those that hold buffers, the largest first.
constexpr Phase kHoldsBuffers[] = {Phase::kWrite, Phase::kHead};

bool IsRetryable(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

bool IsDescriptorLimit(int error) { return error == EMFILE || error == ENFILE; }
bool IsMemoryLimit(int error) { return error == ENOBUFS || error == ENOMEM; }

}  // namespace

HttpConnections::HttpConnections(const HttpEnvironment& environment,
                                 const HttpConnectionOptions& options,
                                 std::vector<HttpListener> listeners)
    : environment_(environment),
      calls_(*environment.calls),
      options_(options),
      listeners_(std::move(listeners)),
      budget_(options.buffer_bytes_max),
      in_(new char[HttpStream::kInputBytesMax]),
      out_(new char[kOutBytes]) {
  context_.handler = environment.handler;
  context_.random = environment.random;
}

HttpConnections::~HttpConnections() {
  for (uint32_t i = 0; i < table_.slots(); ++i) {
    if (table_.slot(i).fd >= 0) Close(table_.slot(i));
  }
}

// --- Accepting -----------------------------------------------------------------

bool HttpConnections::WatchListeners(uint32_t events, int operation) {
  for (uint32_t i = 0; i < listeners_.size(); ++i) {
    epoll_event event = {};
    event.events = events;
    event.data.u64 = Pack({EventSource::kHttpListener, 0, i});
    if (calls_.epoll_ctl(environment_.epoll, operation, listeners_[i].fd.get(), &event) != 0) {
      return false;
    }
  }
  return true;
}

void HttpConnections::OnAcceptable(uint32_t index) {
  if (index >= listeners_.size()) return;
  const uint32_t burst = accept_burst_;
  uint32_t accepted = 0;
  while (accepted < burst) {
    if (AcceptOne(listeners_[index]) != AcceptResult::kAccepted) break;
    ++accepted;
  }
  accept_burst_ =
      accepted == burst ? std::min(2 * burst, kAcceptBurstMax) : std::max<uint32_t>(accepted, 1);
}

HttpConnections::AcceptResult HttpConnections::AcceptOne(const HttpListener& listener) {
  SocketAddress address;
  socklen_t size = sizeof(address);
  const int fd =
      calls_.accept4(listener.fd.get(), &address.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    Start(fd, FromSocketAddress(address), listener.proxy_protocol);
    return AcceptResult::kAccepted;
  }
  const int error = errno;
  if (error == EAGAIN || error == EWOULDBLOCK) return AcceptResult::kNoneWaits;
  if (IsDescriptorLimit(error)) {
    Report(Fault::kNoDescriptors, error);
    if (EvictOldest(kAnyPhase)) return AcceptResult::kAccepted;
    return PauseAccepting();
  }
  if (IsMemoryLimit(error)) {
    Report(Fault::kAccept, error);
    return PauseAccepting();
  }
  // Anything else is about the one connection, which is gone (accept(2), "Error
  // handling").
  if (error != EINTR && error != ECONNABORTED) Report(Fault::kAccept, error);
  return AcceptResult::kAccepted;
}

// The kernel has no room and we cannot make any: without a pause epoll would report
// the listener again and again.
HttpConnections::AcceptResult HttpConnections::PauseAccepting() {
  if (!WatchListeners(0, EPOLL_CTL_MOD)) Report(Fault::kEpoll, errno);
  accept_paused_until_ms_ = context_.now_ms + kAcceptPauseMs;
  return AcceptResult::kPaused;
}

void HttpConnections::Start(int fd, const Endpoint& source, bool proxy_protocol) {
  const bool may_connect = !proxy_protocol || environment_.trusted_proxies->Contains(source);
  if (!may_connect || !Admit(source)) {
    Report(may_connect ? Fault::kConnectionRefused : Fault::kProxyNotTrusted, 0);
    calls_.close(fd);
    return;
  }
  Connection& connection = table_.Add(fd, source, context_.now_ms);
  connection.awaits_proxy_header = proxy_protocol;
  // Often the request is there already.
  Read(connection);
}

bool HttpConnections::Admit(const Endpoint& source) {
  using Verdict = ConnectionLimits::Verdict;
  Verdict verdict = environment_.limits->Admit(source);
  if (verdict == Verdict::kTooMany && EvictOldest(kIdleFirst)) {
    verdict = environment_.limits->Admit(source);
  }
  return verdict == Verdict::kAdmitted;
}

bool HttpConnections::EvictOldest(absl::Span<const Phase> phases) {
  for (const Phase phase : phases) {
    Connection* oldest = table_.Oldest(phase);
    if (oldest == nullptr) continue;
    Close(*oldest);
    return true;
  }
  return false;
}

// --- Reading, answering, writing -------------------------------------------------

void HttpConnections::OnEvent(uint32_t index, uint32_t generation) {
  Connection* connection = table_.Find(index, generation);
  if (connection == nullptr) return;
  switch (connection->phase) {
    case Phase::kNew:
    case Phase::kIdle:
    case Phase::kHead:
      return Read(*connection);
    case Phase::kWrite:
      return Flush(*connection);
    case Phase::kLinger:
      return Drain(*connection);
  }
}

void HttpConnections::Read(Connection& connection) {
  const bool is_begun = !connection.input.empty();
  absl::Span<char> room(in_.get(), HttpStream::kInputBytesMax);
  if (is_begun) {
    // The stream leaves room for a byte at least: only the budget can be used up.
    do {
      room = connection.input.Extend(HttpStream::kInputBytesMax, &budget_);
    } while (room.empty() && EvictForBuffers(connection));
    if (room.empty()) return Close(connection);
  }

  const ssize_t received = calls_.recv(connection.fd, room.data(), room.size(), 0);
  if (received < 0 && IsRetryable(errno)) return Await(connection);
  if (received <= 0) return Close(connection);

  const size_t count = static_cast<size_t>(received);
  if (!is_begun) return Serve(connection, absl::string_view(room.data(), count));
  connection.input.Commit(count);
  Serve(connection, connection.input.view());
}

// Takes the header of the PROXY protocol off `in`. False: there is no more to serve yet,
// or the connection is ended.
bool HttpConnections::TakeProxyHeader(Connection& connection, absl::string_view* in) {
  http::ProxyHeader header;
  const http::ProxyHeaderStatus status = http::ParseProxyHeader(*in, &header);
  if (status == http::ProxyHeaderStatus::kBroken) {
    Report(Fault::kProxyHeader, 0);
    Close(connection);
    return false;
  }
  if (status == http::ProxyHeaderStatus::kComplete) {
    if (!TakeSource(connection, header)) return false;
    in->remove_prefix(header.header_bytes);
    if (!in->empty()) return true;
  }
  if (!Keep(connection, &Connection::input, *in)) return false;
  // The time for a head is for this header too.
  const Phase phase = in->empty() ? Phase::kNew : Phase::kHead;
  if (connection.phase != phase) table_.Move(connection, phase, context_.now_ms);
  Await(connection);
  return false;
}

// The client of the connection is the one that the header names. False: it has too many
// connections, and this one is ended.
bool HttpConnections::TakeSource(Connection& connection, const http::ProxyHeader& header) {
  connection.awaits_proxy_header = false;
  if (!header.has_source) {
    connection.stream.DistrustClaims();
    return true;
  }
  const Endpoint client = MakeEndpoint(header.source, header.source_port);
  if (!environment_.limits->Reassign(connection.source, client)) {
    Report(Fault::kConnectionRefused, 0);
    Close(connection);
    return false;
  }
  connection.source = client;
  return true;
}

void HttpConnections::Serve(Connection& connection, absl::string_view in) {
  if (connection.awaits_proxy_header && !TakeProxyHeader(connection, &in)) return;
  bool has_answered = false;
  while (true) {
    const HttpStream::Step step = connection.stream.Serve(context_, connection.source, in,
                                                          absl::MakeSpan(out_.get(), kOutBytes));
    in.remove_prefix(step.consumed);
    if (step.written > 0) {
      has_answered = true;
      if (!Send(connection, absl::string_view(out_.get(), step.written), in, step.next)) return;
    }
    switch (step.next) {
      case HttpStream::Next::kWrite:
        break;
      case HttpStream::Next::kRead: {
        if (!Keep(connection, &Connection::input, in)) return;
        const Phase phase = in.empty() ? Phase::kIdle : Phase::kHead;
        // The time for a head runs from its first byte, however many more come.
        const bool is_same_head =
            phase == Phase::kHead && connection.phase == phase && !has_answered;
        if (!is_same_head) table_.Move(connection, phase, context_.now_ms);
        return Await(connection);
      }
      case HttpStream::Next::kClose:
        return Close(connection);
      case HttpStream::Next::kLinger:
        return Linger(connection);
    }
  }
}

// Sends `out`. False if that ended the connection or some of `out` has to wait; then
// `in`, what is left of the requests, is kept too.
bool HttpConnections::Send(Connection& connection, absl::string_view out, absl::string_view in,
                           HttpStream::Next next) {
  // The last response leaves in one segment with the end of the connection.
  const int more = next == HttpStream::Next::kClose ? MSG_MORE : 0;
  ssize_t sent = calls_.send(connection.fd, out.data(), out.size(), MSG_NOSIGNAL | more);
  if (sent < 0) {
    if (!IsRetryable(errno)) {
      Close(connection);
      return false;
    }
    sent = 0;
  }
  if (static_cast<size_t>(sent) == out.size()) return true;

  out.remove_prefix(static_cast<size_t>(sent));
  if (!Keep(connection, &Connection::output, out) || !Keep(connection, &Connection::input, in)) {
    return false;
  }
  connection.after_write = next;
  table_.Move(connection, Phase::kWrite, context_.now_ms);
  Watch(connection, EPOLLOUT);
  return false;
}

void HttpConnections::Flush(Connection& connection) {
  const absl::string_view out = connection.output.view();
  const ssize_t sent = calls_.send(connection.fd, out.data(), out.size(), MSG_NOSIGNAL);
  if (sent < 0 && IsRetryable(errno)) return;
  if (sent < 0) return Close(connection);
  connection.output.RemovePrefix(static_cast<size_t>(sent), &budget_);
  if (!connection.output.empty()) return;

  switch (connection.after_write) {
    case HttpStream::Next::kRead:
    case HttpStream::Next::kWrite:
      return Serve(connection, connection.input.view());
    case HttpStream::Next::kClose:
      return Close(connection);
    case HttpStream::Next::kLinger:
      return Linger(connection);
  }
}

void HttpConnections::Drain(Connection& connection) {
  const ssize_t received = calls_.recv(connection.fd, in_.get(), HttpStream::kInputBytesMax, 0);
  if (received > 0 || (received < 0 && IsRetryable(errno))) return;
  Close(connection);
}

// --- Phases ----------------------------------------------------------------------

// Waits for bytes of a request.
void HttpConnections::Await(Connection& connection) {
  if (context_.stopping && connection.phase != Phase::kHead) return Close(connection);
  Watch(connection, EPOLLIN);
}

void HttpConnections::Linger(Connection& connection) {
  connection.input.Clear(&budget_);
  connection.output.Clear(&budget_);
  calls_.shutdown(connection.fd, SHUT_WR);
  table_.Move(connection, Phase::kLinger, context_.now_ms);
  Watch(connection, EPOLLIN);
}

void HttpConnections::Watch(Connection& connection, uint32_t events) {
  if (connection.watched_events == events) return;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = Pack({EventSource::kConnection, connection.generation, connection.index});
  const int operation = connection.watched_events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (calls_.epoll_ctl(environment_.epoll, operation, connection.fd, &event) != 0) {
    Report(Fault::kEpoll, errno);
    return Close(connection);
  }
  connection.watched_events = events;
}

void HttpConnections::Close(Connection& connection) {
  if (!connection.output.empty()) {
    // Of a response that is cut off the kernel must not keep its part until the client
    // takes it, which may be never: the connection is reset.
    const linger reset = {.l_onoff = 1, .l_linger = 0};
    calls_.setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  }
  connection.input.Clear(&budget_);
  connection.output.Clear(&budget_);
  calls_.close(connection.fd);
  environment_.limits->Release(connection.source);
  table_.Remove(connection);
}

// --- Buffers ---------------------------------------------------------------------

// Makes `buffer` hold `bytes`. False: there is no room for them even without the
// connections that have held buffers for longer, and this one is ended.
bool HttpConnections::Keep(Connection& connection, ByteBuffer Connection::* buffer,
                           absl::string_view bytes) {
  while (!(connection.*buffer).Assign(bytes, &budget_)) {
    if (EvictForBuffers(connection)) continue;
    Close(connection);
    return false;
  }
  return true;
}

// Ends the connection that has been in pieces for longest, so that clients that are slow
// on purpose do not keep out those that are not. False: that is `asking` itself, or
// none; the caller ends it.
bool HttpConnections::EvictForBuffers(const Connection& asking) {
  Report(Fault::kBuffersExhausted, 0);
  for (const Phase phase : kHoldsBuffers) {
    Connection* oldest = table_.Oldest(phase);
    if (oldest == nullptr) continue;
    if (oldest == &asking) return false;
    Close(*oldest);
    return true;
  }
  return false;
}

// --- Time ------------------------------------------------------------------------

void HttpConnections::OnTimer() {
  for (size_t i = 0; i < kPhaseCount; ++i) {
    const Phase phase = static_cast<Phase>(i);
    while (Connection* oldest = table_.Oldest(phase)) {
      if (oldest->since_ms + options_.timeout_ms[i] > context_.now_ms) break;
      Close(*oldest);
    }
  }
  if (accept_paused_until_ms_ <= context_.now_ms) {
    accept_paused_until_ms_ = INT64_MAX;
    if (!WatchListeners(EPOLLIN, EPOLL_CTL_MOD)) {
      Report(Fault::kEpoll, errno);
      accept_paused_until_ms_ = context_.now_ms + kAcceptPauseMs;
    }
  }
}

int64_t HttpConnections::NextTimerMs() {
  int64_t next_ms = accept_paused_until_ms_;
  for (size_t i = 0; i < kPhaseCount; ++i) {
    const Connection* oldest = table_.Oldest(static_cast<Phase>(i));
    if (oldest != nullptr) next_ms = std::min(next_ms, oldest->since_ms + options_.timeout_ms[i]);
  }
  return next_ms;
}

void HttpConnections::BeginStop() {
  context_.stopping = true;
  for (const HttpListener& listener : listeners_) {
    for (uint32_t i = 0; i < SOMAXCONN; ++i) {
      if (AcceptOne(listener) != AcceptResult::kAccepted) break;
    }
  }
  listeners_.clear();
  accept_paused_until_ms_ = INT64_MAX;
  for (uint32_t i = 0; i < table_.slots(); ++i) {
    Connection& connection = table_.slot(i);
    if (connection.fd < 0) continue;
    // What has come meanwhile is answered; nothing has come: Await ends it.
    const Phase phase = connection.phase;
    if (phase != Phase::kWrite && phase != Phase::kLinger) Read(connection);
  }
}

}  // namespace septet::tracker
