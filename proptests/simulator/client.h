// One client of a simulated run: some torrents, an address, and habits.

#ifndef SEPTET_PROPTESTS_SIMULATOR_CLIENT_H_
#define SEPTET_PROPTESTS_SIMULATOR_CLIENT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proptests/simulator/habits.h"
#include "proptests/simulator/referee.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::simulator {

class Client;

// What a client has of the world around it.
class World {
 public:
  virtual ~World() = default;
  virtual int64_t now_ms() const = 0;
  virtual void After(int64_t delay_ms, std::function<void()> happen) = 0;
  virtual bool is_calm() const = 0;
  virtual void SendUdp(Client* client, const std::string& packet) = 0;
  // A new connection, of which the client is told what comes back by its number.
  virtual uint64_t Connect(Client* client) = 0;
  virtual void SendHttp(uint64_t connection, HttpRequest request, const std::string& bytes) = 0;
  virtual void Hangup(uint64_t connection) = 0;
};

// When a client is there: it comes, its download is complete, it leaves.
struct Session {
  size_t torrent = 0;  // its number in the run
  tracker::InfoHash info_hash{};
  int64_t comes_ms = 0;
  int64_t completes_ms = 0;  // before it comes: it is a seeder from the start
  int64_t leaves_ms = 0;     // unless it is calm then
  bool is_partial = false;   // wants only a part, so never is a seeder (BEP 21)
};

class Client {
 public:
  // `habits` and `world` must outlive it.
  Client(const Habits* habits, uint64_t seed, const tracker::Endpoint& address,
         std::vector<Session> sessions, World* world);

  // Plans its sessions.
  void Begin();

  // It moves: what comes from now on comes from there.
  void Move(const tracker::Endpoint& address) { address_ = address; }
  const tracker::Endpoint& address() const { return address_; }

  void OnUdp(const std::string& packet);
  void OnHttp(uint64_t connection, absl::string_view response);
  void OnHttpClosed(uint64_t connection);

  const Habits& habits() const { return *habits_; }

  // What it does about a torrent.
  struct Task {
    Session session;
    bool is_there = false;
    bool is_seeder = false;
    bool has_said_started = false;
    bool owes_completed = false;
    uint32_t announces = 0;
    int64_t answered_ms = -1;  // when it was last answered
    uint32_t peers_known = 0;  // of the last answer
    uint64_t next_number = 0;  // of the plan that counts
  };
  const std::vector<Task>& tasks() const { return tasks_; }

 private:
  enum class Kind : uint8_t { kAnnounce, kScrape };
  enum class Saying : uint8_t { kNothing, kStarted, kCompleted, kStopped };
  struct Request {
    Kind kind = Kind::kAnnounce;
    size_t task = 0;
    Saying saying = Saying::kNothing;
    uint32_t attempts = 0;
    uint32_t transaction_id = 0;
  };

  void Come(size_t task);
  void Complete(size_t task);
  void Leave(size_t task);
  void Announce(size_t task);
  void Say(size_t task, Saying saying);
  void Plan(size_t task, int64_t delay_ms);
  void Send(const Request& request);
  void Answered(const Request& request, int64_t interval_s, uint32_t peers);
  void GiveUp(const Request& request);

  // UDP.
  void SendUdp(const Request& request);
  void ConnectUdp();
  std::string UdpPacket(const Request& request) const;
  void OnUdpTimeout(uint32_t transaction_id);

  // HTTP.
  void SendHttp();
  HttpRequest HttpRequestOf(const Request& request) const;
  std::string HttpText(const HttpRequest& request) const;

  uint64_t LeftOf(const Task& task) const;
  int32_t NumwantOf(const Request& request) const;

  const Habits* const habits_;
  World* const world_;
  tracker::Random random_;
  tracker::Endpoint address_;
  std::vector<Task> tasks_;

  uint64_t connection_id_ = 0;
  int64_t connected_ms_ = 0;
  uint32_t connect_transaction_ = 0;  // of the connect that is under way; 0: none is
  uint32_t connect_attempts_ = 0;
  std::deque<Request> waiting_;       // UDP: for a connection id; HTTP: for their turn
  std::map<uint32_t, Request> sent_;  // UDP, by transaction id
  std::map<uint64_t, std::deque<Request>> pipelines_;  // HTTP: sent and not answered
  uint64_t kept_connection_ = 0;                       // 0: none
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_CLIENT_H_
