#include "proptests/simulator/simulation.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/simulator/client.h"
#include "proptests/simulator/event_queue.h"
#include "proptests/simulator/habits.h"
#include "proptests/simulator/network.h"
#include "proptests/simulator/simulated_tracker.h"
#include "proptests/simulator/trace.h"
#include "proptests/store_check.h"
#include "proptests/udp_generators.h"
#include "proptests/udp_packets.h"
#include "tracker/access/info_hash_set.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"

namespace septet::simulator {
namespace {

using tracker::Endpoint;
using tracker::Family;
using tracker::InfoHash;
using tracker::Random;

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kHttpIdleMs = 30 * kSecondMs;
// When the run begins, on the wall clock and since the machine's start.
constexpr int64_t kWallMs = 1'700'000'000'000;
constexpr int64_t kUptimeMs = 3 * kHourMs;

// Numbers of their own for everything that draws some.
uint64_t SeedOf(uint64_t seed, absl::string_view who, uint64_t number = 0) {
  Trace mixed(0);
  mixed.Mix(seed);
  mixed.Mix(who);
  mixed.Mix(number);
  return mixed.hash();
}

// Uniform in [0, ms), or 0.
int64_t Within(Random& random, int64_t ms) {
  return random.Below(static_cast<uint32_t>(std::max<int64_t>(ms, 1)));
}

TrackerOptions DrawOptions(const Scenario& scenario) {
  Random random(SeedOf(scenario.seed, "options"));
  TrackerOptions options;
  const int32_t intervals_s[] = {120, 600, 1800};
  options.service.interval_s = intervals_s[random.Below(3)];
  options.service.min_interval_s = options.service.interval_s / 2;
  options.store.peer_timeout_ms = (2 * options.service.interval_s + 300) * kSecondMs;
  options.store.downloaded_retention_ms = random.Below(2) == 0 ? kHourMs : 24 * kHourMs;
  options.store.shards = 1u << random.Below(4);
  const uint64_t spare = random.Below(8 << 10);
  if (scenario.faults.Has(Fault::kMemory)) {
    // Each has some room that only it can use.
    options.store.shards = 1;
    options.store.bytes_max = tracker::SwarmStore::MinBytesMax(options.store.shards) + spare;
  }
  options.udp_error_rate = random.Below(2) == 0 ? 5 : 1000;
  return options;
}

InfoHash TorrentHash(uint64_t seed, size_t torrent) {
  Random random(SeedOf(seed, "torrent", torrent));
  InfoHash info_hash;
  for (uint8_t& byte : info_hash) byte = static_cast<uint8_t>(random.Next());
  return info_hash;
}

// A fifth of the IPv4 clients are behind translators, fifty at an address, each with its port.
Endpoint AddressOf(uint32_t client, uint32_t moves, bool is_ipv6) {
  const auto high = static_cast<uint8_t>(client >> 8);
  const auto low = static_cast<uint8_t>(client);
  if (is_ipv6) {
    const uint8_t address[16] = {
        0x20, 0x01, 0x0d, 0xb8, 0, static_cast<uint8_t>(moves), 0, 0, 0, 0, 0, 0, 0, 0, high, low};
    return tracker::MakeIpv6(address, 6881);
  }
  if (client % 5 == 0 && moves == 0) {
    const uint8_t address[4] = {203, 0, 113, static_cast<uint8_t>(client / 250)};
    return tracker::MakeIpv4(address, static_cast<uint16_t>(1024 + client % 60'000));
  }
  const uint8_t address[4] = {100, static_cast<uint8_t>(64 + moves), high, low};
  return tracker::MakeIpv4(address, 6881);
}

class Simulation : public World {
 public:
  Simulation(const Scenario& scenario, size_t lines_max)
      : scenario_(scenario),
        options_(DrawOptions(scenario)),
        faults_end_ms_(scenario.intervals * options_.service.interval_s * kSecondMs),
        faults_(scenario.faults),
        network_(SeedOf(scenario.seed, "network")),
        sweeps_(SeedOf(scenario.seed, "sweeps")),
        forger_(SeedOf(scenario.seed, "forger")),
        trace_(lines_max) {
    for (int i = 0; i < kFaults; ++i) {
      accidents_.emplace_back(SeedOf(scenario.seed, "accidents", static_cast<uint64_t>(i)));
    }
    tracker_ = NewTracker();
    referee_ = std::make_unique<Referee>(options_, tracker_->tick_ms());
    for (uint32_t i = 0; i < scenario.clients; ++i) AddClient(i);
  }

  Outcome Run() {
    for (const auto& client : clients_) client->Begin();
    PlanAccidents();
    After(0, [this] { Sweep(); });
    RunUntil(faults_end_ms_);
    BeCalm();
    RunUntil(faults_end_ms_ + CalmMs());
    if (fault_.empty()) Fail(WhatIsNotRight());
    Outcome outcome;
    outcome.fault = fault_;
    outcome.ended_ms = now_ms();
    outcome.trace_hash = trace_.hash();
    outcome.tally = referee_->tally();
    outcome.last_lines = trace_.lines();
    return outcome;
  }

  // --- World: what clients have of it ---------------------------------------------------

  int64_t now_ms() const override { return queue_.now_ms(); }
  void After(int64_t delay_ms, std::function<void()> happen) override {
    queue_.After(delay_ms, std::move(happen));
  }
  bool is_calm() const override { return is_calm_; }

  void SendUdp(Client* client, const std::string& packet) override {
    const Endpoint source = client->address();
    for (Arrival& arrival : Carry(packet, faults_, network_)) {
      After(arrival.delay_ms, [this, client, source, bytes = std::move(arrival.packet)] {
        ArriveUdp(client, source, bytes);
      });
    }
  }

  uint64_t Connect(Client* client) override {
    const uint64_t number = ++connections_made_;
    Connection& connection = connections_[number];
    connection.client = client;
    connection.source = client->address();
    return number;
  }

  // What is sent within some milliseconds leaves together, as a kernel sends it.
  void SendHttp(uint64_t number, HttpRequest request, const std::string& bytes) override {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    Connection& connection = found->second;
    connection.expected.push_back(std::move(request));
    ++connection.activity;
    if (connection.unsent.empty()) After(network_.Below(20), [this, number] { Flush(number); });
    connection.unsent += bytes;
  }

  void Hangup(uint64_t number) override { connections_.erase(number); }

 private:
  struct Connection {
    Client* client = nullptr;
    Endpoint source;
    std::unique_ptr<SimulatedTracker::Connection> at_tracker;
    std::deque<HttpRequest> expected;  // requests whose responses are due
    std::string unsent;
    int64_t sent_until_ms = 0;
    int64_t answered_until_ms = 0;
    uint64_t activity = 0;
  };

  // What a tracker is brought back from, and what it was then.
  struct Snapshot {
    std::string bytes;
    SwarmBounds swarms;
    int64_t at_ms;
    tracker::SnapshotTime time;
  };

  // --- Set-up --------------------------------------------------------------------------

  std::unique_ptr<SimulatedTracker> NewTracker() {
    ++starts_;
    TrackerOptions options = options_;
    options.store.hash_key = {SeedOf(scenario_.seed, "hash key", starts_),
                              SeedOf(scenario_.seed, "hash key again", starts_)};
    options.udp.connection_id_key[0] = static_cast<uint8_t>(key_number_);
    options.udp.connection_id_key[1] = static_cast<uint8_t>(scenario_.seed);
    not_stored_ = 0;
    return std::make_unique<SimulatedTracker>(options, SeedOf(scenario_.seed, "tracker", starts_));
  }

  void AddClient(uint32_t number) {
    Random random(SeedOf(scenario_.seed, "client", number));
    Random world(SeedOf(scenario_.seed, "protocols"));
    const uint32_t ipv6_percents[] = {0, 20, 50, 100};
    const bool is_ipv6 = random.Below(100) < ipv6_percents[world.Below(4)];
    const absl::Span<const Habits> all = AllHabits();
    const Habits* habits = &all[random.Below(static_cast<uint32_t>(all.size()))];
    std::vector<Session> sessions;
    const uint32_t wanted = 1 + random.Below(random.Below(8) == 0 ? 12 : 3);
    for (uint32_t i = 0; i < wanted; ++i) {
      const Session session = DrawSession(random);
      const bool is_new = std::none_of(sessions.begin(), sessions.end(), [&](const Session& other) {
        return other.torrent == session.torrent;
      });
      if (is_new) sessions.push_back(session);
    }
    clients_.push_back(std::make_unique<Client>(
        habits, random.Next(), AddressOf(number, 0, is_ipv6), std::move(sessions), this));
    moves_.push_back(0);
  }

  Session DrawSession(Random& random) const {
    Session session;
    // Some torrents are much better known than others.
    session.torrent = random.Below(random.Below(scenario_.torrents) + 1);
    session.info_hash = TorrentHash(scenario_.seed, session.torrent);
    session.comes_ms = Within(random, faults_end_ms_ * 3 / 4);
    const bool is_seeder = random.Below(3) == 0;
    session.completes_ms = is_seeder ? -1 : session.comes_ms + Within(random, faults_end_ms_);
    session.leaves_ms = session.comes_ms + Within(random, 2 * faults_end_ms_);
    session.is_partial = !is_seeder && random.Below(10) == 0;
    return session;
  }

  // --- Time ----------------------------------------------------------------------------

  int64_t wall_ms() const { return kWallMs + now_ms() + wall_offset_ms_; }
  // Of the machine's clock since its start, which the store counts by.
  int64_t uptime_ms() const { return now_ms() - started_ms_; }
  tracker::SnapshotTime TimeNow() const {
    tracker::SnapshotTime time{wall_ms(), uptime_ms()};
    time.boot_id[0] = static_cast<uint8_t>(boots_);
    time.boot_id[1] = 1;
    return time;
  }
  bool is_frozen() const { return now_ms() < frozen_until_ms_; }

  // Longer than everything that was meant for a tracker before: a peer's timeout, the longest
  // interval that a mangled reply may have made a client wait, and a client's attempts.
  int64_t CalmMs() const {
    return options_.store.peer_timeout_ms + 100 * kMinuteMs +
           2 * options_.service.interval_s * kSecondMs;
  }

  void RunUntil(int64_t end_ms) {
    while (fault_.empty() && queue_.RunNext(end_ms)) {
    }
  }

  void BeCalm() {
    is_calm_ = true;
    faults_ = FaultSet();
    Deny({});
    calm_not_stored_ = referee_->tally().not_stored;
  }

  // --- What the tracker gets -----------------------------------------------------------

  void ArriveUdp(Client* client, const Endpoint& source, const std::string& packet) {
    if (is_frozen()) {
      // It waits in the kernel.
      return After(frozen_until_ms_ - now_ms(),
                   [this, client, source, packet] { ArriveUdp(client, source, packet); });
    }
    const std::string reply = HandleUdp(source, packet);
    if (reply.empty() || client == nullptr) return;
    for (Arrival& arrival : Carry(reply, faults_, network_)) {
      After(arrival.delay_ms, [client, source, bytes = std::move(arrival.packet)] {
        if (client->address() == source) client->OnUdp(bytes);
      });
    }
  }

  // The reply, if there is one.
  std::string HandleUdp(const Endpoint& source, const std::string& packet) {
    if (tracker_ == nullptr) return "";
    const std::string reply = tracker_->Udp(packet, source, {uptime_ms(), wall_ms()});
    Record("udp", source, packet, reply);
    Fail(referee_->Udp(packet, source, now_ms(), wall_ms(), HasMemory(), reply));
    Fail(tracker::BytesFault(tracker_->Usage(), options_.store.shards));
    return reply;
  }

  // In pieces, each behind the one before; where one ends has nothing to do with requests.
  void Flush(uint64_t number) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    Connection& connection = found->second;
    const std::string bytes = std::exchange(connection.unsent, {});
    const uint32_t pieces = 1 + network_.Below(4);
    size_t at = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
      const size_t left = bytes.size() - at;
      const size_t size = i + 1 == pieces ? left : network_.Below(static_cast<uint32_t>(left) + 1);
      connection.sent_until_ms =
          std::max(connection.sent_until_ms, now_ms()) + 5 + network_.Below(100);
      const bool breaks = network_.Below(100) < 2 && faults_.Has(Fault::kReset);
      After(connection.sent_until_ms - now_ms(),
            [this, number, breaks, piece = bytes.substr(at, size)] {
              if (breaks) return Break(number);
              ArriveHttp(number, piece);
            });
      at += size;
    }
  }

  void ArriveHttp(uint64_t number, const std::string& bytes) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    if (tracker_ == nullptr) return Break(number);
    if (is_frozen()) {
      return After(frozen_until_ms_ - now_ms(),
                   [this, number, bytes] { ArriveHttp(number, bytes); });
    }
    Connection& connection = found->second;
    if (connection.at_tracker == nullptr) {
      connection.at_tracker =
          std::make_unique<SimulatedTracker::Connection>(tracker_.get(), connection.source);
    }
    connection.at_tracker->Receive(bytes, uptime_ms(), [&](absl::string_view response) {
      Respond(number, &connection, std::string(response));
    });
    const uint64_t activity = ++connection.activity;
    const bool is_closed = connection.at_tracker->is_closed();
    const int64_t until_ms = std::max(connection.answered_until_ms, now_ms());
    const int64_t closes_ms = until_ms + (is_closed ? 1 : kHttpIdleMs);
    After(closes_ms - now_ms(), [this, number, activity] {
      const auto idle = connections_.find(number);
      if (idle != connections_.end() && idle->second.activity == activity) TellClosed(number);
    });
  }

  void Respond(uint64_t number, Connection* connection, const std::string& response) {
    Record("http", connection->source, "", response);
    if (connection->expected.empty()) return Fail("a response to nothing");
    const HttpRequest request = std::move(connection->expected.front());
    connection->expected.pop_front();
    Fail(referee_->Http(request, connection->source, now_ms(), HasMemory(), response,
                        connection->at_tracker->is_closed()));
    Fail(tracker::BytesFault(tracker_->Usage(), options_.store.shards));
    connection->answered_until_ms =
        std::max(connection->answered_until_ms, now_ms()) + 5 + network_.Below(100);
    After(connection->answered_until_ms - now_ms(), [this, number, response] {
      const auto found = connections_.find(number);
      if (found != connections_.end()) found->second.client->OnHttp(number, response);
    });
  }

  void TellClosed(uint64_t number) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) return;
    Client* const client = found->second.client;
    connections_.erase(found);
    client->OnHttpClosed(number);
  }

  void Break(uint64_t number) {
    if (connections_.count(number) == 0) return;
    ++referee_->tally().connections_broken;
    TellClosed(number);
  }

  // Whether the store had memory for what it was just asked.
  bool HasMemory() {
    return std::exchange(not_stored_, tracker_->Usage().not_stored) == not_stored_;
  }

  void Sweep() {
    const int64_t next_ms = SweepStep();
    After(next_ms, [this] { Sweep(); });
  }

  int64_t SweepStep() {
    if (tracker_ == nullptr || is_frozen()) return kSecondMs;
    const uint32_t peers_max = 20 + sweeps_.Below(2000);
    const tracker::StoreUsage before = tracker_->Usage();
    const bool is_done = tracker_->Sweep(uptime_ms(), peers_max);
    const tracker::StoreUsage usage = tracker_->Usage();
    referee_->tally().expired +=
        before.ipv4_peers + before.ipv6_peers - usage.ipv4_peers - usage.ipv6_peers;
    if (is_done) referee_->SweepIsDone(now_ms());
    if (is_done && now_ms() - usage_checked_ms_ > tracker_->tick_ms() / 2) {
      usage_checked_ms_ = now_ms();
      Fail(referee_->Usage(usage, now_ms()));
      trace_.Mix(usage.bytes_total);
    }
    return is_done ? kSecondMs : 10;
  }

  // --- What goes wrong ------------------------------------------------------------------

  void PlanAccidents() {
    const int64_t interval_ms = options_.service.interval_s * kSecondMs;
    Repeat(Fault::kForgery, interval_ms / 60, [this] { Forge(); });
    Repeat(Fault::kMemory, interval_ms / 10, [this] { Flood(); });
    Repeat(Fault::kMove, interval_ms / 4, [this] { MoveOne(); });
    Repeat(Fault::kClock, interval_ms, [this] { SetClock(); });
    Repeat(Fault::kFreeze, interval_ms, [this] { Freeze(); });
    Repeat(Fault::kLists, interval_ms / 2, [this] { ChangeLists(); });
    Repeat(Fault::kRestart, interval_ms, [this] { Stop(); });
    After(SnapshotEveryMs(), [this] { SaveOften(); });
  }

  // About every `every_ms`, until it is calm.
  void Repeat(Fault fault, int64_t every_ms, std::function<void()> happen) {
    if (!scenario_.faults.Has(fault)) return;
    const int64_t wait_ms = 1 + Within(Accident(fault), 2 * every_ms);
    After(wait_ms, [this, fault, every_ms, happen = std::move(happen)] {
      if (is_calm_) return;
      happen();
      Repeat(fault, every_ms, happen);
    });
  }

  Random& Accident(Fault fault) { return accidents_[static_cast<size_t>(fault)]; }

  Client* SomeClient(Random& random) {
    return clients_[random.Below(static_cast<uint32_t>(clients_.size()))].get();
  }

  // From the address of a client or of somebody else, with an id that was made up, or was given to
  // somebody.
  void Forge() {
    const Endpoint source = forger_.Below(2) == 0 ? SomeClient(forger_)->address()
                                                  : tracker::SourceNumber(forger_.Below(100));
    const auto number = static_cast<uint32_t>(forger_.Next());
    const uint64_t id = forger_.Below(4) == 0 ? forger_.Next() : referee_->SomeConnectionId(number);
    ArriveUdp(nullptr, source, tracker::DrawPacket(forger_, id));
  }

  // Somebody announces torrents that he made up, until there is no memory for some of them.
  void Flood() {
    if (is_frozen()) return;
    const Endpoint source = tracker::SourceNumber(1000 + forger_.Below(10));
    const std::string connected = HandleUdp(source, tracker::ConnectPacket(1));
    if (connected.empty()) return;
    const uint64_t id = tracker::FromBigEndian(connected.substr(8));
    const uint64_t enough = referee_->tally().not_stored + 5;
    for (int i = 0; i < 600 && referee_->tally().not_stored < enough; ++i) {
      tracker::AnnounceFields fields = tracker::DrawAnnounce(forger_);
      fields.info_hash = tracker::RandomBytes(forger_, fields.info_hash.size());
      HandleUdp(source, tracker::AnnouncePacket(id, fields));
    }
  }

  void MoveOne() {
    const uint32_t number = Accident(Fault::kMove).Below(static_cast<uint32_t>(clients_.size()));
    Client* const client = clients_[number].get();
    const bool is_ipv6 = client->address().family == Family::kIpv6;
    moves_[number] = std::min(moves_[number] + 1, 100u);
    client->Move(AddressOf(number, moves_[number], is_ipv6));
    trace_.Say(absl::StrCat(now_ms(), " client ", number, " moves"));
    std::vector<uint64_t> broken;
    for (const auto& [connection, state] : connections_) {
      if (state.client == client) broken.push_back(connection);
    }
    for (const uint64_t connection : broken) Break(connection);
  }

  void SetClock() {
    const int64_t by_ms = Within(Accident(Fault::kClock), 2 * kHourMs) - kHourMs;
    wall_offset_ms_ += Accident(Fault::kClock).Below(2) == 0 ? by_ms : by_ms / 60;
    trace_.Say(absl::StrCat(now_ms(), " wall clock is set to ", wall_ms()));
  }

  // Not while it is frozen: what waits for the end of that would come in another order.
  void Freeze() {
    if (is_frozen()) return;
    const int64_t interval_ms = options_.service.interval_s * kSecondMs;
    frozen_until_ms_ = now_ms() + Within(Accident(Fault::kFreeze), interval_ms / 2);
    trace_.Say(absl::StrCat(now_ms(), " frozen until ", frozen_until_ms_));
  }

  void ChangeLists() {
    std::set<InfoHash> denied;
    for (uint32_t i = Accident(Fault::kLists).Below(3); i > 0; --i) {
      denied.insert(TorrentHash(scenario_.seed, Accident(Fault::kLists).Below(scenario_.torrents)));
    }
    Deny(std::move(denied));
  }

  void Deny(std::set<InfoHash> denied) {
    denied_ = denied;
    referee_->Deny(std::move(denied));
    if (tracker_ != nullptr) ApplyLists();
  }

  void ApplyLists() {
    tracker::AccessRules rules;
    rules.deny_list = std::make_shared<tracker::InfoHashSet>(
        std::vector<InfoHash>(denied_.begin(), denied_.end()));
    tracker_->Replace(std::move(rules));
  }

  int64_t SnapshotEveryMs() const { return options_.service.interval_s * kSecondMs / 6; }

  void SaveOften() {
    if (tracker_ != nullptr && !is_frozen()) Save();
    After(SnapshotEveryMs(), [this] { SaveOften(); });
  }

  void Save() {
    snapshot_ = std::make_unique<Snapshot>(Snapshot{tracker_->Snapshot(TimeNow(), uptime_ms()),
                                                    referee_->swarms(), now_ms(), TimeNow()});
    trace_.Say(absl::StrCat(now_ms(), " saved, ", snapshot_->bytes.size(), " bytes"));
  }

  // It ends by itself and saves first, or crashes, or the machine does.
  void Stop() {
    if (tracker_ == nullptr) return;
    const uint32_t how = Accident(Fault::kRestart).Below(3);
    if (how == 0) Save();
    const bool machine_too = how == 2;
    trace_.Say(absl::StrCat(now_ms(), " stops, ", how == 0 ? "saved" : "crashed",
                            machine_too ? " with the machine" : ""));
    ++referee_->tally().restarts;
    tracker_ = nullptr;
    std::vector<uint64_t> broken;
    for (const auto& [number, connection] : connections_) broken.push_back(number);
    for (const uint64_t number : broken) Break(number);
    const int64_t down_ms =
        1 + Within(Accident(Fault::kRestart),
                   options_.service.interval_s * kSecondMs / (machine_too ? 2 : 10));
    const bool keeps_key = Accident(Fault::kRestart).Below(2) == 0;
    After(down_ms, [this, machine_too, keeps_key] { Start(machine_too, keeps_key); });
  }

  void Start(bool machine_too, bool keeps_key) {
    if (machine_too) {
      ++boots_;
      started_ms_ = now_ms() - Within(Accident(Fault::kRestart), kMinuteMs);
    }
    if (!keeps_key) ++key_number_;
    tracker_ = NewTracker();
    ApplyLists();
    SwarmBounds swarms(options_.store, tracker_->tick_ms());
    if (snapshot_ != nullptr) Restore(&swarms);
    referee_->Begin(std::move(swarms), keeps_key);
  }

  void Restore(SwarmBounds* swarms) {
    std::string bytes = snapshot_->bytes;
    const bool is_damaged = faults_.Has(Fault::kDamage) && Accident(Fault::kDamage).Below(2) == 0;
    if (is_damaged) Damage(&bytes);
    tracker::ImportResult result;
    const absl::Status status = tracker_->Restore(bytes, TimeNow(), uptime_ms(), &result);
    if (is_damaged) {
      if (status.ok()) return Fail("a damaged snapshot is taken for a good one");
      ++referee_->tally().damages_found;
      tracker_ = NewTracker();
      ApplyLists();
      return;
    }
    if (!status.ok()) return Fail(absl::StrCat("a snapshot is refused: ", status.ToString()));
    referee_->tally().restored_peers += result.peers;
    *swarms = snapshot_->swarms;
    swarms->Restored(snapshot_->at_ms, ElapsedMs(), result.not_stored > 0, now_ms());
    trace_.Say(absl::StrCat(now_ms(), " starts with ", result.peers, " peers, ", result.expired,
                            " expired, ", result.not_stored, " not stored, elapsed ", ElapsedMs()));
  }

  // As snapshot_time.h has it: by the clock of the machine while it runs, else by the wall clock,
  // which may be wrong, but not by less than the machine runs now.
  int64_t ElapsedMs() const {
    if (snapshot_->time.boot_id == TimeNow().boot_id) return now_ms() - snapshot_->at_ms;
    return std::max<int64_t>({0, wall_ms() - snapshot_->time.wall_ms, uptime_ms()});
  }

  void Damage(std::string* bytes) {
    const auto at = Accident(Fault::kDamage).Below(static_cast<uint32_t>(bytes->size()));
    if (Accident(Fault::kDamage).Below(3) == 0) return bytes->resize(at);
    (*bytes)[at] = static_cast<char>((*bytes)[at] ^
                                     static_cast<char>(1 + Accident(Fault::kDamage).Below(255)));
  }

  // --- What has to be right in the end ---------------------------------------------------

  std::string WhatIsNotRight() {
    // Without memory for all, nobody can say who is listed.
    if (referee_->tally().not_stored != calm_not_stored_) return "";
    if (tracker_ == nullptr) return "the tracker is down";
    for (size_t torrent = 0; torrent < scenario_.torrents; ++torrent) {
      const std::string fault = CountsFaultOf(torrent);
      if (!fault.empty()) return fault;
    }
    for (size_t number = 0; number < clients_.size(); ++number) {
      for (const Client::Task& task : clients_[number]->tasks()) {
        const std::string fault = TaskFault(*clients_[number], task);
        if (!fault.empty()) {
          return absl::StrCat("client ", number, " (", clients_[number]->habits().name,
                              "): ", fault);
        }
      }
    }
    return "";
  }

  std::string CountsFaultOf(size_t torrent) const {
    uint32_t complete = 0;
    uint32_t incomplete = 0;
    ForEachThere(torrent, [&](const Client&, const Client::Task& task) {
      ++(task.is_seeder ? complete : incomplete);
    });
    const tracker::SwarmCounts counts = tracker_->Scrape(TorrentHash(scenario_.seed, torrent));
    if (counts.complete == complete && counts.incomplete == incomplete) return "";
    return absl::StrCat("torrent ", torrent, " has ", counts.complete, " complete and ",
                        counts.incomplete, " incomplete in the end, but there are ", complete,
                        " and ", incomplete);
  }

  std::string TaskFault(const Client& client, const Client::Task& task) const {
    if (!task.is_there) return "";
    if (task.answered_ms < faults_end_ms_) return "was not answered when all was well again";
    bool has_others = false;
    ForEachThere(task.session.torrent, [&](const Client& other, const Client::Task& theirs) {
      const bool is_reachable =
          !client.habits().over_udp || other.address().family == client.address().family;
      has_others |= &other != &client && is_reachable && !(task.is_seeder && theirs.is_seeder);
    });
    const bool wants_peers = client.habits().numwant_later != 0;
    return has_others && wants_peers && task.peers_known == 0 ? "found nobody" : "";
  }

  template <typename Visit>
  void ForEachThere(size_t torrent, Visit visit) const {
    for (const auto& client : clients_) {
      for (const Client::Task& task : client->tasks()) {
        if (task.is_there && task.session.torrent == torrent) visit(*client, task);
      }
    }
  }

  // --- Records ---------------------------------------------------------------------------

  // The first fault counts.
  void Fail(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  void Record(absl::string_view what, const Endpoint& source, const std::string& request,
              const std::string& reply) {
    trace_.Mix(static_cast<uint64_t>(now_ms()));
    trace_.Mix({reinterpret_cast<const char*>(source.compact.data()), source.compact_bytes()});
    trace_.Mix(request);
    trace_.Mix(reply);
    if (!trace_.wants_text()) return;
    trace_.Say(
        absl::StrCat(now_ms(), " ", what, " ",
                     absl::BytesToHexString({reinterpret_cast<const char*>(source.compact.data()),
                                             source.compact_bytes()}),
                     " ", absl::BytesToHexString(request), " -> ",
                     what == "http" ? absl::CHexEscape(reply) : absl::BytesToHexString(reply)));
  }

  const Scenario scenario_;
  const TrackerOptions options_;
  const int64_t faults_end_ms_;
  FaultSet faults_;
  bool is_calm_ = false;

  EventQueue queue_;
  Random network_;
  std::vector<Random> accidents_;  // for each fault
  Random sweeps_;
  Random forger_;
  Trace trace_;
  std::string fault_;

  uint64_t starts_ = 0;
  uint32_t key_number_ = 0;
  std::unique_ptr<SimulatedTracker> tracker_;  // null: it is down
  std::unique_ptr<Referee> referee_;
  std::unique_ptr<Snapshot> snapshot_;
  std::set<InfoHash> denied_;
  uint64_t not_stored_ = 0;
  uint64_t calm_not_stored_ = 0;
  int64_t usage_checked_ms_ = 0;

  int64_t wall_offset_ms_ = 0;
  int64_t started_ms_ = -kUptimeMs;
  uint32_t boots_ = 0;
  int64_t frozen_until_ms_ = 0;

  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<uint32_t> moves_;
  std::map<uint64_t, Connection> connections_;
  uint64_t connections_made_ = 0;
};

}  // namespace

Outcome Simulate(const Scenario& scenario, size_t lines_max) {
  return Simulation(scenario, lines_max).Run();
}

}  // namespace septet::simulator
