// Holds every reply of a tracker against what it was asked before.

#ifndef SEPTET_PROPTESTS_SIMULATOR_REFEREE_H_
#define SEPTET_PROPTESTS_SIMULATOR_REFEREE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "proptests/bencode_value.h"
#include "proptests/simulator/simulated_tracker.h"
#include "proptests/simulator/swarm_bounds.h"
#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::simulator {

// What happened, so that a run that met nothing does not pass for one that found nothing.
struct Tally {
  uint64_t announces = 0;  // that were served
  uint64_t scrapes = 0;
  uint64_t peers_told = 0;
  uint64_t refused_ids = 0;
  uint64_t lent_ids = 0;  // refused, though valid for another address
  uint64_t denied = 0;
  uint64_t not_stored = 0;
  uint64_t downloads = 0;
  uint64_t expired = 0;
  uint64_t restored_peers = 0;
  uint64_t damages_found = 0;
  uint64_t connections_broken = 0;
  uint64_t restarts = 0;
};

struct HttpRequest {
  bool is_scrape = false;
  std::string query;
  bool is_last = false;  // its response has to close the connection
};

// It sees what arrives at the tracker and what leaves it, and reads both by itself. Of the tracker
// it knows its options and what Usage() says. Each call returns what is wrong, in words, or "".
class Referee {
 public:
  // The first served moment is `now_ms` of the caller's clock, in which all times are.
  Referee(const TrackerOptions& options, int64_t tick_ms);

  // `wall_ms`: of the tracker's clock. `has_memory`: the store did not count this one as not
  // stored.
  std::string Udp(const std::string& packet, const tracker::Endpoint& source, int64_t now_ms,
                  int64_t wall_ms, bool has_memory, const std::string& reply);
  std::string Http(const HttpRequest& request, const tracker::Endpoint& source, int64_t now_ms,
                   bool has_memory, absl::string_view response, bool closes);
  std::string Usage(const tracker::StoreUsage& usage, int64_t now_ms);

  void SweepIsDone(int64_t now_ms) { swarms_.SweepIsDone(now_ms); }
  void Deny(std::set<tracker::InfoHash> denied) { denied_ = std::move(denied); }

  // The tracker begins again, from what it was at a moment, or from nothing. Ids stay valid if
  // it keeps its key.
  const SwarmBounds& swarms() const { return swarms_; }
  void Begin(SwarmBounds swarms, bool keeps_key);

  // A connection id that was given to somebody, 0 if there is none: what a thief would use.
  uint64_t SomeConnectionId(uint32_t number) const;

  bool IsDenied(const tracker::InfoHash& info_hash) const { return denied_.count(info_hash) > 0; }
  Tally& tally() { return tally_; }

 private:
  enum class IdStanding : uint8_t { kValid, kDoubtful, kInvalid };
  IdStanding StandingOf(uint64_t id, const tracker::Endpoint& source, int64_t wall_ms) const;
  bool WasGivenToAnother(uint64_t id, const tracker::Endpoint& source) const;

  std::string UdpAnnounce(const std::string& packet, const tracker::Endpoint& source,
                          int64_t now_ms, bool has_memory, const std::string& reply);
  std::string UdpScrape(const std::string& packet, int64_t now_ms, const std::string& reply);
  std::string HttpAnnounce(const std::string& query, const tracker::Endpoint& source,
                           int64_t now_ms, bool has_memory, const bencode::Value& body);
  std::string HttpScrape(const std::string& query, int64_t now_ms, const bencode::Value& body);

  // What holds of both protocols once the request is read. `peers` in compact form.
  std::string Announced(const tracker::AnnounceRequest& request, uint32_t numwant_most,
                        SwarmBounds::Families families, int64_t now_ms, bool has_memory,
                        const std::vector<std::string>& peers, absl::optional<uint32_t> downloaded,
                        uint32_t complete, uint32_t incomplete);
  std::string ScrapedFault(const std::string& info_hash, const tracker::SwarmCounts& counts,
                           int64_t now_ms);
  std::string IntervalFault(int64_t interval_s) const;
  // What the client asked for, as the tracker has to bound it.
  uint32_t Wanted(int64_t numwant, tracker::Event event) const;

  const TrackerOptions options_;
  const uint64_t bytes_max_;
  SwarmBounds swarms_;
  std::set<tracker::InfoHash> denied_;
  // The wall clock's times at which an address got an id.
  std::map<std::pair<std::string, uint64_t>, std::vector<int64_t>> ids_;
  std::vector<uint64_t> given_ids_;
  std::map<uint64_t, std::string> id_addresses_;
  Tally tally_;
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_REFEREE_H_
