#include "proptests/simulator/client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proptests/udp_packets.h"

namespace septet::simulator {
namespace {

using tracker::FromBigEndian;

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
// BEP 15: 15 seconds, and twice as long each time.
constexpr int64_t kUdpTimeoutMs = 15 * kSecondMs;
// What is in a reply may have been changed on its way: no client waits for ever.
constexpr int64_t kIntervalMsMin = 30 * kSecondMs;
constexpr int64_t kIntervalMsMax = 60 * kMinuteMs;
constexpr int64_t kRetryMs = 2 * kMinuteMs;
constexpr int64_t kHttpTimeoutMs = kMinuteMs;
constexpr size_t kUdpScrapeMost = 74;

std::string Escaped(absl::string_view bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (absl::ascii_isalnum(byte)) {
      out += c;
    } else {
      out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

std::string BytesOf(const tracker::InfoHash& info_hash) {
  return std::string(info_hash.begin(), info_hash.end());
}

// The number behind `key` in a bencoded text, 0 if there is none. A client of the field reads it
// properly; here the referee does.
uint32_t NumberBehind(absl::string_view text, absl::string_view key, char end) {
  const size_t found = text.find(key);
  if (found == absl::string_view::npos) return 0;
  const size_t begin = found + key.size();
  uint32_t number = 0;
  return absl::SimpleAtoi(text.substr(begin, text.find(end, begin) - begin), &number) ? number : 0;
}

}  // namespace

Client::Client(const Habits* habits, uint64_t seed, const tracker::Endpoint& address,
               std::vector<Session> sessions, World* world)
    : habits_(habits), world_(world), random_(seed), address_(address) {
  for (Session& session : sessions) {
    Task task;
    task.session = session;
    tasks_.push_back(task);
  }
}

// --- What it is up to ----------------------------------------------------------------------

void Client::Begin() {
  for (size_t i = 0; i < tasks_.size(); ++i) {
    world_->After(tasks_[i].session.comes_ms, [this, i] { Come(i); });
    world_->After(tasks_[i].session.completes_ms, [this, i] { Complete(i); });
    world_->After(tasks_[i].session.leaves_ms, [this, i] { Leave(i); });
  }
}

void Client::Come(size_t task) {
  Task& self = tasks_[task];
  self.is_there = true;
  self.is_seeder = self.session.completes_ms < self.session.comes_ms;
  Say(task, Saying::kStarted);
}

void Client::Complete(size_t task) {
  Task& self = tasks_[task];
  if (!self.is_there || self.is_seeder || self.session.is_partial) return;
  self.is_seeder = true;
  self.owes_completed = true;
  Announce(task);
}

void Client::Leave(size_t task) {
  Task& self = tasks_[task];
  if (!self.is_there || world_->is_calm()) return;
  self.is_there = false;
  ++self.next_number;
  if (random_.Below(100) < habits_->stops_percent) Say(task, Saying::kStopped);
}

void Client::Announce(size_t task) {
  const Task& self = tasks_[task];
  if (!self.is_there) return;
  if (self.owes_completed) return Say(task, Saying::kCompleted);
  Say(task, self.has_said_started ? Saying::kNothing : Saying::kStarted);
}

void Client::Say(size_t task, Saying saying) {
  Task& self = tasks_[task];
  ++self.announces;
  Request request;
  request.task = task;
  request.saying = saying;
  Send(request);
  if (habits_->scrape_every == 0 || self.announces % habits_->scrape_every != 0) return;
  request.kind = Kind::kScrape;
  Send(request);
}

// At most one plan counts for a torrent: the last.
void Client::Plan(size_t task, int64_t delay_ms) {
  const uint64_t number = ++tasks_[task].next_number;
  world_->After(delay_ms, [this, task, number] {
    if (tasks_[task].next_number == number) Announce(task);
  });
}

void Client::Send(const Request& request) {
  if (habits_->over_udp) return SendUdp(request);
  waiting_.push_back(request);
  SendHttp();
}

void Client::Answered(const Request& request, int64_t interval_s, uint32_t peers) {
  if (request.kind == Kind::kScrape || request.saying == Saying::kStopped) return;
  Task& self = tasks_[request.task];
  self.answered_ms = world_->now_ms();
  self.peers_known = peers;
  self.has_said_started = true;
  if (request.saying == Saying::kCompleted) self.owes_completed = false;
  const int64_t spread_ms = random_.Below(5000);
  Plan(request.task,
       std::clamp(interval_s * kSecondMs, kIntervalMsMin, kIntervalMsMax) + spread_ms);
}

void Client::GiveUp(const Request& request) {
  if (request.kind == Kind::kScrape || request.saying == Saying::kStopped) return;
  Plan(request.task, kRetryMs + random_.Below(static_cast<uint32_t>(kRetryMs)));
}

uint64_t Client::LeftOf(const Task& task) const {
  return task.is_seeder ? 0 : 1 + task.announces * 1000;
}

int32_t Client::NumwantOf(const Request& request) const {
  if (request.saying == Saying::kStopped) return 0;
  return request.saying == Saying::kStarted ? habits_->numwant_first : habits_->numwant_later;
}

// --- UDP -----------------------------------------------------------------------------------

void Client::SendUdp(const Request& request) {
  const bool has_id =
      connection_id_ != 0 && world_->now_ms() - connected_ms_ <= habits_->id_reuse_ms;
  if (!has_id) {
    waiting_.push_back(request);
    if (connect_transaction_ == 0) {
      connect_attempts_ = 0;
      ConnectUdp();
    }
    return;
  }
  Request sent = request;
  sent.transaction_id = static_cast<uint32_t>(random_.Next() | 1);
  sent_[sent.transaction_id] = sent;
  world_->SendUdp(this, UdpPacket(sent));
  const uint32_t id = sent.transaction_id;
  world_->After(kUdpTimeoutMs << sent.attempts, [this, id] { OnUdpTimeout(id); });
}

void Client::ConnectUdp() {
  connect_transaction_ = static_cast<uint32_t>(random_.Next() | 1);
  world_->SendUdp(this, tracker::ConnectPacket(connect_transaction_));
  const uint32_t id = connect_transaction_;
  world_->After(kUdpTimeoutMs << connect_attempts_, [this, id] {
    if (connect_transaction_ != id) return;
    if (++connect_attempts_ < habits_->attempts_max) return ConnectUdp();
    connect_transaction_ = 0;
    for (const Request& request : std::exchange(waiting_, {})) GiveUp(request);
  });
}

std::string Client::UdpPacket(const Request& request) const {
  if (request.kind == Kind::kScrape) {
    std::vector<std::string> hashes;
    for (const Task& task : tasks_) hashes.push_back(BytesOf(task.session.info_hash));
    hashes.resize(std::min(hashes.size(), kUdpScrapeMost));
    return tracker::ScrapePacket(connection_id_, request.transaction_id, hashes);
  }
  const Task& task = tasks_[request.task];
  tracker::AnnounceFields fields;
  fields.transaction_id = request.transaction_id;
  fields.info_hash = BytesOf(task.session.info_hash);
  fields.left = LeftOf(task);
  constexpr uint32_t kEvents[] = {0, 2, 1, 3};  // none, started, completed, stopped
  fields.event = kEvents[static_cast<size_t>(request.saying)];
  if (fields.event == 0 && task.session.is_partial && habits_->says_paused) fields.event = 4;
  fields.numwant = NumwantOf(request);
  fields.port = address_.port();
  fields.tail = std::string(habits_->options);
  return tracker::AnnouncePacket(connection_id_, fields);
}

void Client::OnUdpTimeout(uint32_t transaction_id) {
  const auto found = sent_.find(transaction_id);
  if (found == sent_.end()) return;
  Request request = found->second;
  sent_.erase(found);
  if (++request.attempts < habits_->attempts_max) return SendUdp(request);
  GiveUp(request);
}

void Client::OnUdp(const std::string& packet) {
  if (packet.size() < 8) return;
  const uint64_t action = FromBigEndian(packet.substr(0, 4));
  const auto transaction = static_cast<uint32_t>(FromBigEndian(packet.substr(4, 4)));
  if (action == 0 && packet.size() >= 16 && transaction == connect_transaction_) {
    connect_transaction_ = 0;
    connection_id_ = FromBigEndian(packet.substr(8, 8));
    connected_ms_ = world_->now_ms();
    for (const Request& request : std::exchange(waiting_, {})) SendUdp(request);
    return;
  }
  const auto found = sent_.find(transaction);
  if (found == sent_.end()) return;
  const Request request = found->second;
  sent_.erase(found);
  if (action == 3) {
    // Most likely for its connection id: once more with another one, then later.
    connection_id_ = 0;
    Request again = request;
    if (++again.attempts < habits_->attempts_max) return SendUdp(again);
    return GiveUp(request);
  }
  const size_t peer_bytes = address_.compact_bytes();
  const bool is_announce = action == 1 && packet.size() >= 20;
  Answered(request, is_announce ? static_cast<int64_t>(FromBigEndian(packet.substr(8, 4))) : 0,
           is_announce ? static_cast<uint32_t>((packet.size() - 20) / peer_bytes) : 0);
}

// --- HTTP ----------------------------------------------------------------------------------

void Client::SendHttp() {
  while (!waiting_.empty()) {
    if (habits_->keeps_alive && kept_connection_ != 0 && !habits_->pipelines &&
        !pipelines_[kept_connection_].empty()) {
      return;  // one at a time
    }
    uint64_t connection = habits_->keeps_alive ? kept_connection_ : 0;
    if (connection == 0) connection = world_->Connect(this);
    if (habits_->keeps_alive) kept_connection_ = connection;
    const Request request = waiting_.front();
    waiting_.pop_front();
    pipelines_[connection].push_back(request);
    HttpRequest http = HttpRequestOf(request);
    const std::string text = HttpText(http);
    world_->SendHttp(connection, std::move(http), text);
    world_->After(kHttpTimeoutMs, [this, connection, task = request.task] {
      const auto found = pipelines_.find(connection);
      if (found == pipelines_.end() || found->second.empty()) return;
      if (found->second.front().task != task) return;
      world_->Hangup(connection);
      OnHttpClosed(connection);
    });
  }
}

HttpRequest Client::HttpRequestOf(const Request& request) const {
  HttpRequest http;
  http.is_last = !habits_->keeps_alive;
  http.is_scrape = request.kind == Kind::kScrape;
  if (http.is_scrape) {
    for (const Task& task : tasks_) {
      absl::StrAppend(&http.query, http.query.empty() ? "" : "&",
                      "info_hash=", Escaped(BytesOf(task.session.info_hash)));
    }
    return http;
  }
  const Task& task = tasks_[request.task];
  constexpr absl::string_view kEvents[] = {"", "&event=started", "&event=completed",
                                           "&event=stopped"};
  http.query = absl::StrCat("info_hash=", Escaped(BytesOf(task.session.info_hash)),
                            "&peer_id=-XX0001-abcdefghijkl&port=", address_.port(),
                            "&uploaded=0&downloaded=", task.announces, "&left=", LeftOf(task),
                            kEvents[static_cast<size_t>(request.saying)], habits_->extra_query,
                            habits_->is_compact ? "&compact=1" : "&compact=0");
  if (NumwantOf(request) >= 0) absl::StrAppend(&http.query, "&numwant=", NumwantOf(request));
  const bool is_paused =
      request.saying == Saying::kNothing && task.session.is_partial && habits_->says_paused;
  if (is_paused) absl::StrAppend(&http.query, "&event=paused");
  return http;
}

std::string Client::HttpText(const HttpRequest& request) const {
  return absl::StrCat("GET /", request.is_scrape ? "scrape" : "announce", "?", request.query,
                      " HTTP/1.1\r\nHost: tracker.example\r\nUser-Agent: ", habits_->name, "\r\n",
                      habits_->extra_fields, request.is_last ? "Connection: close\r\n" : "",
                      "\r\n");
}

void Client::OnHttp(uint64_t connection, absl::string_view response) {
  const auto found = pipelines_.find(connection);
  if (found == pipelines_.end() || found->second.empty()) return;
  const Request request = found->second.front();
  found->second.pop_front();
  if (absl::StrContains(response, "14:failure reason")) {
    GiveUp(request);
  } else {
    uint32_t peers =
        NumberBehind(response, "5:peers", ':') + NumberBehind(response, "6:peers6", ':');
    if (absl::StrContains(response, "5:peersld")) peers = 1;
    Answered(request, NumberBehind(response, "8:intervali", 'e'), peers);
  }
  SendHttp();
}

void Client::OnHttpClosed(uint64_t connection) {
  const auto found = pipelines_.find(connection);
  if (found == pipelines_.end()) return;
  const std::deque<Request> lost = std::exchange(found->second, {});
  pipelines_.erase(found);
  if (kept_connection_ == connection) kept_connection_ = 0;
  for (const Request& request : lost) GiveUp(request);
  SendHttp();
}

}  // namespace septet::simulator
