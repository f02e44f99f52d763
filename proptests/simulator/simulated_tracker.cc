#include "proptests/simulator/simulated_tracker.h"

#include <vector>

#include "absl/types/span.h"

namespace septet::simulator {

using tracker::HttpStream;

SimulatedTracker::SimulatedTracker(const TrackerOptions& options, uint64_t seed)
    : store_(options.store),
      service_(options.service, &store_, &access_),
      udp_(options.udp, &service_),
      http_(&service_),
      udp_errors_(options.udp_error_rate),
      random_(seed),
      http_context_(std::make_unique<tracker::HttpStreamContext>()),
      out_(tracker::kHttpResponseBytesMax, '\0') {
  http_context_->handler = &http_;
  http_context_->random = &random_;
}

std::string SimulatedTracker::Udp(absl::string_view packet, const tracker::Endpoint& source,
                                  const tracker::UdpTimes& times) {
  // In memory of exactly its size, so that a sanitizer sees a read past its end.
  const std::vector<uint8_t> request(packet.begin(), packet.end());
  std::vector<uint8_t> reply(tracker::kUdpReplyBytesMax);
  udp_.Prefetch(request);
  const size_t size =
      udp_.Handle(request, source, times, random_, absl::MakeSpan(reply), &udp_errors_);
  return std::string(reply.begin(), reply.begin() + static_cast<ptrdiff_t>(size));
}

void SimulatedTracker::Connection::Receive(
    absl::string_view bytes, int64_t now_ms,
    const std::function<void(absl::string_view response)>& respond) {
  pending_.append(bytes.data(), bytes.size());
  tracker_->http_context_->now_ms = now_ms;
  HttpStream::Step step{0, 0, HttpStream::Next::kWrite};
  // There is room for one response, so that each step writes one at most.
  while (!is_closed_ && step.next == HttpStream::Next::kWrite) {
    const std::vector<char> in(pending_.begin(), pending_.end());
    std::string& out = tracker_->out_;
    step = stream_.Serve(*tracker_->http_context_, source_, {in.data(), in.size()},
                         absl::MakeSpan(&out[0], out.size()));
    pending_.erase(0, step.consumed);
    is_closed_ = step.next == HttpStream::Next::kClose || step.next == HttpStream::Next::kLinger;
    if (step.written > 0) respond({out.data(), step.written});
  }
}

std::string SimulatedTracker::Snapshot(const tracker::SnapshotTime& time, int64_t now_ms) {
  std::string bytes;
  tracker::SnapshotWriter writer(&store_, time, now_ms);
  while (writer.Step(now_ms, &bytes)) {
  }
  return bytes;
}

absl::Status SimulatedTracker::Restore(absl::string_view snapshot,
                                       const tracker::SnapshotTime& time, int64_t now_ms,
                                       tracker::ImportResult* result) {
  tracker::SnapshotReader reader(&store_, time, now_ms);
  const absl::Status status = ReadSnapshot(snapshot, &reader);
  *result = reader.result();
  return status;
}

}  // namespace septet::simulator
