#include "tracker/server/worker.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tracker/server/epoll_token.h"

namespace septet::tracker {
namespace {

constexpr int kEventsMax = 256;

// Full batches that one socket may take before the others get their turn.
constexpr int kUdpBatchesMax = 4;

// When the worker stops: more than the kernel has waiting for a socket, as a rule, and not
// for ever where requests come faster than they are answered.
constexpr int kUdpBatchesAtStop = 256;

// What the kernel refused to watch is tried again after this.
constexpr int64_t kWatchRetryMs = 100;

constexpr int64_t kMillisecondsPerSecond = 1000;
constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;

int64_t ReadClockMs(const SystemCalls& calls, clockid_t clock) {
  timespec time = {};
  calls.clock_gettime(clock, &time);
  return time.tv_sec * kMillisecondsPerSecond + time.tv_nsec / kNanosecondsPerMillisecond;
}

absl::Status SystemError(absl::string_view call) {
  return absl::UnavailableError(
      absl::StrCat("a worker cannot be started: ", call, ": ", strerrordesc_np(errno)));
}

std::vector<HttpListener> TakeListeners(std::vector<ListeningSocket>* sockets) {
  std::vector<HttpListener> listeners;
  for (ListeningSocket& socket : *sockets) {
    if (socket.address.transport != Transport::kHttp) continue;
    listeners.push_back({std::move(socket.fd), socket.address.proxy_protocol});
  }
  return listeners;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(const WorkerEnvironment& environment,
                                                       const WorkerOptions& options,
                                                       std::vector<ListeningSocket> sockets) {
  const SystemCalls& calls = *environment.calls;
  FileDescriptor epoll(calls, calls.epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return SystemError("epoll_create1");
  FileDescriptor wake_up(calls, calls.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_up.is_open()) return SystemError("eventfd");

  std::unique_ptr<Worker> worker(
      new Worker(environment, options, std::move(epoll), std::move(wake_up), std::move(sockets)));
  const absl::Status status = worker->WatchSockets();
  if (!status.ok()) return status;
  return worker;
}

Worker::Worker(const WorkerEnvironment& environment, const WorkerOptions& options,
               FileDescriptor epoll, FileDescriptor wake_up, std::vector<ListeningSocket> sockets)
    : environment_(environment),
      options_(options),
      calls_(*environment.calls),
      epoll_(std::move(epoll)),
      wake_up_(std::move(wake_up)),
      random_(options.random_seed) {
  std::vector<HttpListener> listeners = TakeListeners(&sockets);
  for (ListeningSocket& socket : sockets) {
    if (!socket.fd.is_open()) continue;
    udp_sockets_.push_back({.fd = std::move(socket.fd),
                            .tells_destination = socket.tells_destination,
                            .watched_events = EPOLLIN});
  }
  if (!udp_sockets_.empty()) {
    udp_batch_ = std::make_unique<UdpBatch>(calls_, environment.udp_handler, environment.log,
                                            &random_, options.udp_error_rate);
  }
  const HttpEnvironment http = {.calls = &calls_,
                                .epoll = epoll_.get(),
                                .handler = environment.http_handler,
                                .limits = environment.limits,
                                .trusted_proxies = environment.trusted_proxies,
                                .log = environment.log,
                                .random = &random_};
  http_.emplace(http, options.http, std::move(listeners));
  if (options.sweeps) sweeper_.emplace(environment.store);
}

Worker::~Worker() = default;

absl::Status Worker::WatchSockets() {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = Pack({EventSource::kWakeUp, 0, 0});
  if (calls_.epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_up_.get(), &event) != 0) {
    return SystemError("epoll_ctl");
  }
  for (uint32_t i = 0; i < udp_sockets_.size(); ++i) {
    event.data.u64 = Pack({EventSource::kUdpSocket, 0, i});
    if (calls_.epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, udp_sockets_[i].fd.get(), &event) != 0) {
      return SystemError("epoll_ctl");
    }
  }
  return http_->Listen() ? absl::OkStatus() : SystemError("epoll_ctl");
}

void Worker::Stop() {
  stop_is_asked_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  // Else it fails only if the counter is full, and then the worker wakes up anyway.
  while (calls_.write(wake_up_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

void Worker::ReadClock() {
  now_ms_ = ReadClockMs(calls_, CLOCK_MONOTONIC);
  http_->set_now_ms(now_ms_);
}

void Worker::Run() {
  std::array<epoll_event, kEventsMax> events;
  ReadClock();
  while (!IsDone()) {
    const int64_t wait_ms = std::clamp<int64_t>(NextTimerMs() - now_ms_, 0, INT32_MAX);
    const int count =
        calls_.epoll_wait(epoll_.get(), events.data(), kEventsMax, static_cast<int>(wait_ms));
    const int error = count < 0 ? errno : 0;
    ReadClock();
    if (error != 0 && error != EINTR) environment_.log->Report(Fault::kEpoll, error, now_ms_);
    for (int i = 0; i < count; ++i) OnEvent(events[i].data.u64);
    if (now_ms_ >= NextTimerMs()) OnTimer();
  }
}

void Worker::OnEvent(uint64_t token) {
  const EpollToken event = Unpack(token);
  switch (event.source) {
    case EventSource::kWakeUp:
      return BeginStop();
    case EventSource::kHttpListener:
      return http_->OnAcceptable(event.index);
    case EventSource::kUdpSocket:
      return ServeUdp(event.index);
    case EventSource::kConnection:
      return http_->OnEvent(event.index, event.generation);
  }
}

void Worker::ServeUdp(uint32_t index) {
  UdpSocket& socket = udp_sockets_[index];
  if (!socket.fd.is_open()) return;  // stopped by an event before this one
  // Nothing more is read while replies wait, so that they are bounded, and what comes too
  // fast is left to the kernel.
  socket.backlog.Flush(calls_, socket.fd.get(), environment_.log, now_ms_);
  const UdpTimes times = {now_ms_, ReadClockMs(calls_, CLOCK_REALTIME)};
  const int batches_max = is_stopping() ? kUdpBatchesAtStop : kUdpBatchesMax;
  for (int i = 0; i < batches_max && socket.backlog.empty(); ++i) {
    const size_t count =
        udp_batch_->Serve(socket.fd.get(), socket.tells_destination, times, &socket.backlog);
    if (count < UdpBatch::kPacketsMax) break;
  }
  if (is_stopping() && socket.backlog.empty()) return socket.fd.Close();
  WatchUdp(index);
}

// Waits for what the socket needs next: packets, or room for the replies that wait.
void Worker::WatchUdp(uint32_t index) {
  UdpSocket& socket = udp_sockets_[index];
  socket.retry_ms = socket.backlog.retry_ms();
  const uint32_t events = socket.backlog.events();
  if (events == socket.watched_events) return;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = Pack({EventSource::kUdpSocket, 0, index});
  if (calls_.epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.fd.get(), &event) != 0) {
    environment_.log->Report(Fault::kEpoll, errno, now_ms_);
    socket.retry_ms = std::min(socket.retry_ms, now_ms_ + kWatchRetryMs);
    return;
  }
  socket.watched_events = events;
}

void Worker::OnTimer() {
  for (uint32_t i = 0; i < udp_sockets_.size(); ++i) {
    if (udp_sockets_[i].retry_ms <= now_ms_) ServeUdp(i);
  }
  http_->OnTimer();
  if (sweeper_.has_value()) sweeper_->OnTimer(now_ms_);
}

int64_t Worker::NextTimerMs() {
  int64_t next_ms = std::min(http_->NextTimerMs(), stop_deadline_ms_);
  if (sweeper_.has_value()) next_ms = std::min(next_ms, sweeper_->NextTimerMs());
  for (const UdpSocket& socket : udp_sockets_) {
    if (socket.fd.is_open()) next_ms = std::min(next_ms, socket.retry_ms);
  }
  return next_ms;
}

void Worker::BeginStop() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t received = calls_.read(wake_up_.get(), &count, sizeof(count));
  if (!stop_is_asked_.load(std::memory_order_acquire) || is_stopping()) return;
  stop_deadline_ms_ = now_ms_ + options_.stop_timeout_ms;
  // The packets that are in the queues already are the open requests of UDP.
  for (uint32_t i = 0; i < udp_sockets_.size(); ++i) ServeUdp(i);
  http_->BeginStop();
}

bool Worker::IsDone() const {
  if (!is_stopping()) return false;
  if (now_ms_ >= stop_deadline_ms_) return true;
  return http_->size() == 0 &&
         std::none_of(udp_sockets_.begin(), udp_sockets_.end(),
                      [](const UdpSocket& socket) { return socket.fd.is_open(); });
}

}  // namespace septet::tracker
