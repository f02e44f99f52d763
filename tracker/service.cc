#include "tracker/service.h"

#include <algorithm>

namespace septet::tracker {
namespace {

constexpr absl::string_view kNotServed =
    "info_hash: this torrent is not authorized for use with this tracker";
constexpr absl::string_view kScrapeOff = "scrape: not answered by this tracker";

// Spreads an interval by up to a tenth either way, so that peers that came together do
// not come back together.
int32_t Spread(int32_t interval_s, Random& random) {
  const int32_t tenth = interval_s / 10;
  if (tenth <= 0) return interval_s;
  return interval_s - tenth +
         static_cast<int32_t>(random.Below(static_cast<uint32_t>(2 * tenth + 1)));
}

}  // namespace

Service::Service(const ServiceOptions& options, SwarmStore* store, const AccessControl* access)
    : options_(options), store_(store), access_(access) {}

AnnounceReply Service::Announce(const AnnounceRequest& request, int64_t now_ms, Random& random,
                                const PeerOutput& out) {
  AnnounceReply reply;
  if (!Serves(request.info_hash)) {
    reply.failure = kNotServed;
    return reply;
  }
  AnnounceRequest limited = request;
  if (limited.numwant == kNumwantDefault) limited.numwant = options_.numwant_default;
  limited.numwant = std::min(limited.numwant, options_.numwant_max);

  reply.result = store_->Announce(limited, now_ms, random, out);
  reply.interval_s = Spread(options_.interval_s, random);
  // A minimum above the interval would contradict it.
  reply.min_interval_s = std::min(options_.min_interval_s, reply.interval_s);
  return reply;
}

absl::string_view Service::ScrapeFailure() const {
  return options_.allow_scrape ? absl::string_view() : kScrapeOff;
}

SwarmCounts Service::Scrape(const InfoHash& info_hash) const {
  return Serves(info_hash) ? store_->Scrape(info_hash) : SwarmCounts{};
}

}  // namespace septet::tracker
