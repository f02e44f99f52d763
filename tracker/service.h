// The tracker itself, without sockets: a request and a time in, a response out.
//
// Below it lies the swarm store, above it the front ends that speak HTTP and UDP. It
// decides what a request means (limits, intervals, which torrents are served) and has
// no I/O, no clock and no global, so that a test or a simulator can drive it.

#ifndef SEPTET_TRACKER_SERVICE_H_
#define SEPTET_TRACKER_SERVICE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "tracker/access/access_control.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Intervals: 1 s to 1 day.
struct ServiceOptions {
  int32_t interval_s = 30 * 60;      // what peers are asked to wait, spread by +-10 %
  int32_t min_interval_s = 15 * 60;  // the least they may wait
  uint32_t numwant_default = 50;     // peers in a reply when the request does not say
  uint32_t numwant_max = 200;
  bool allow_noncompact = true;  // answer compact=0
  bool allow_scrape = true;
};

struct AnnounceReply {
  // Why the request is refused; empty: it is served. A literal.
  absl::string_view failure;
  AnnounceResult result;
  int32_t interval_s = 0;
  int32_t min_interval_s = 0;
};

// Thread-safe: its members may be called by any number of threads at once, each with
// its own Random.
class Service {
 public:
  // `store` and `access` must outlive the service. `access` says which torrents are served;
  // null: all are.
  Service(const ServiceOptions& options, SwarmStore* store, const AccessControl* access = nullptr);

  // Passes the request to the store with its numwant bounded, and draws the interval of
  // the reply: uniformly, in whole seconds, never below 1. `request.numwant` is taken as
  // given by the client; numwant < 0 must have been mapped to kNumwantDefault. An announce
  // of a torrent that is not served is a failure and leaves no trace; peers that were listed
  // while it was served expire as others do.
  static constexpr uint32_t kNumwantDefault = UINT32_MAX;
  AnnounceReply Announce(const AnnounceRequest& request, int64_t now_ms, Random& random,
                         const PeerOutput& out);

  // Why a scrape is refused; empty: it is served.
  absl::string_view ScrapeFailure() const;
  // Zeros for a torrent that nobody knows, or that is not served.
  SwarmCounts Scrape(const InfoHash& info_hash) const;
  void Prefetch(const InfoHash& info_hash) const { store_->Prefetch(info_hash); }

  const ServiceOptions& options() const { return options_; }

 private:
  bool Serves(const InfoHash& info_hash) const {
    return access_ == nullptr || access_->Allows(info_hash);
  }

  const ServiceOptions options_;
  SwarmStore* const store_;
  const AccessControl* const access_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVICE_H_
