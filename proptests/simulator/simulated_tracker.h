// A whole tracker without sockets, clock or threads: datagrams and bytes of connections in, the
// same out. What a simulator drives, and a client's author may.

#ifndef SEPTET_PROPTESTS_SIMULATOR_SIMULATED_TRACKER_H_
#define SEPTET_PROPTESTS_SIMULATOR_SIMULATED_TRACKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tracker/access/access_control.h"
#include "tracker/endpoint.h"
#include "tracker/http/http_handler.h"
#include "tracker/http/http_stream.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/snapshot/snapshot.h"
#include "tracker/swarm_store.h"
#include "tracker/token_bucket.h"
#include "tracker/udp/udp_handler.h"

namespace septet::simulator {

struct TrackerOptions {
  tracker::StoreOptions store;
  tracker::ServiceOptions service;
  tracker::UdpOptions udp;
  uint32_t udp_error_rate = 1000;  // errors a second for connection ids that are not valid
};

// Not thread-safe. The same options, seed and calls give the same bytes.
class SimulatedTracker {
 public:
  // As a tracker with the default flags, or as `options` say. `seed`: of the choice of peers and
  // of the spread of intervals.
  explicit SimulatedTracker(const TrackerOptions& options = {}, uint64_t seed = 1);
  SimulatedTracker(const SimulatedTracker&) = delete;
  SimulatedTracker& operator=(const SimulatedTracker&) = delete;

  // The reply to a datagram from `source`; empty: there is none.
  std::string Udp(absl::string_view packet, const tracker::Endpoint& source,
                  const tracker::UdpTimes& times);

  // One HTTP connection. The tracker must outlive it.
  class Connection {
   public:
    Connection(SimulatedTracker* tracker, const tracker::Endpoint& source)
        : tracker_(tracker), source_(source) {}

    // More bytes came from the client. `respond` gets each response that is due, whole. Does
    // nothing once the connection is closed.
    void Receive(absl::string_view bytes, int64_t now_ms,
                 const std::function<void(absl::string_view response)>& respond);

    // The tracker closes it, after what it wrote.
    bool is_closed() const { return is_closed_; }

   private:
    SimulatedTracker* const tracker_;
    const tracker::Endpoint source_;
    tracker::HttpStream stream_;
    std::string pending_;
    bool is_closed_ = false;
  };

  // See SwarmStore::Sweep: true when it is done with what belongs to `now_ms`.
  bool Sweep(int64_t now_ms, uint32_t peers_max) { return store_.Sweep(now_ms, peers_max); }

  // All torrents and peers, and back into an empty tracker. Errors: those of SnapshotReader.
  std::string Snapshot(const tracker::SnapshotTime& time, int64_t now_ms);
  absl::Status Restore(absl::string_view snapshot, const tracker::SnapshotTime& time,
                       int64_t now_ms, tracker::ImportResult* result);

  // Which torrents are served; all at first.
  void Replace(tracker::AccessRules rules) { access_.Replace(std::move(rules)); }

  tracker::StoreUsage Usage() const { return store_.Usage(); }
  tracker::SwarmCounts Scrape(const tracker::InfoHash& info_hash) const {
    return store_.Scrape(info_hash);
  }
  int64_t tick_ms() const { return store_.tick_ms(); }

 private:
  tracker::SwarmStore store_;
  tracker::AccessControl access_;
  tracker::Service service_;
  tracker::UdpHandler udp_;
  tracker::HttpHandler http_;
  tracker::TokenBucket udp_errors_;
  tracker::Random random_;
  std::unique_ptr<tracker::HttpStreamContext> http_context_;
  std::string out_;  // room for a response
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_SIMULATED_TRACKER_H_
