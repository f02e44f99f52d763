#include "bench/load/load_run.h"

#include <algorithm>
#include <memory>

#include "absl/functional/function_ref.h"
#include "bench/load/exchange.h"
#include "bench/load/load_request.h"
#include "bench/load/monotonic_clock.h"
#include "bench/load/pacer.h"
#include "bench/swarm_shape.h"
#include "tracker/random.h"

namespace septet::bench {
namespace {

// Wakes up so often to notice what is lost.
constexpr uint64_t kWaitMaxNs = 20'000'000;

constexpr uint64_t kForeverNs = uint64_t{1} << 62;

constexpr uint32_t kLoadWindow = 64;
constexpr double kLoadTimeoutS = 5;

// Makes the next request, from `place` if that is given. False: there is none left.
using MakeRequest =
    absl::FunctionRef<bool(const absl::optional<PeerPlace>& place, LoadRequest* request)>;

absl::StatusOr<std::unique_ptr<Exchange>> Open(const LoadTarget& target, const LoadOptions& options,
                                               const SwarmPopulation& population,
                                               const std::vector<tracker::InfoHash>& hashes,
                                               LoadResult* result) {
  const PeerMix& mix = population.mix();
  const ExchangeOptions exchange = {
      .target = target.ipv4,
      .target6 = target.ipv6,
      .sources = mix.sources,
      .ipv6_percent = mix.ipv6_percent,
      .window = options.window,
      .timeout_ns = static_cast<uint64_t>(options.timeout_s * 1e9),
      .knows_hashes = options.knows_hashes,
      .mixed_families = mix.ipv6_percent > 0,
  };
  if (target.protocol == LoadProtocol::kUdp) return OpenUdpExchange(exchange, hashes, result);
  const bool keep_alive = target.protocol == LoadProtocol::kHttpKeepAlive;
  return OpenHttpExchange(exchange, keep_alive, hashes, result);
}

void Run(Exchange* exchange, double rate, uint64_t end_after_ns, MakeRequest make) {
  const uint64_t start_ns = MonotonicNs();
  const uint64_t end_ns = start_ns + end_after_ns;
  Pacer pacer(rate, start_ns);
  bool sends = true;
  while (sends || exchange->Outstanding() > 0) {
    const uint64_t now_ns = MonotonicNs();
    uint64_t due_ns = pacer.NextDueNs(now_ns);
    while (sends && due_ns <= now_ns && exchange->Free() > 0) {
      LoadRequest request;
      sends = due_ns < end_ns && make(exchange->NextPlace(), &request);
      if (!sends) break;
      exchange->Send(request, due_ns);
      pacer.Take();
      due_ns = pacer.NextDueNs(now_ns);
    }
    exchange->Flush();
    const bool waits_for_time = sends && exchange->Free() > 0 && due_ns > now_ns;
    exchange->Receive(waits_for_time ? std::min(due_ns - now_ns, kWaitMaxNs) : kWaitMaxNs);
  }
}

// Shares of a tracker with an interval of half an hour and sessions of a few hours.
LoadEvent DrawEvent(bool is_seeder, tracker::Random& random) {
  const uint32_t percent = random.Below(100);
  if (percent < 6) return LoadEvent::kStarted;
  if (percent < 12) return LoadEvent::kStopped;
  if (percent < 14 && is_seeder) return LoadEvent::kCompleted;
  return LoadEvent::kNone;
}

// A peer that announces from `place`, drawn again until there is one.
PeerOfTorrent DrawPeer(const SwarmPopulation& population, const absl::optional<PeerPlace>& place,
                       tracker::Random& random) {
  constexpr int kDrawsMax = 10'000;
  PeerOfTorrent peer = population.Draw(random);
  if (!place.has_value()) return peer;
  for (int i = 0; i < kDrawsMax; ++i) {
    const bool fits =
        place->ipv6 ? population.PlaceOf(peer).ipv6 : population.MoveToSource(place->source, &peer);
    if (fits) break;
    peer = population.Draw(random);
  }
  return peer;
}

}  // namespace

std::vector<tracker::InfoHash> HashesOf(const SwarmPopulation& population) {
  return TorrentHashes(population.torrents());
}

absl::StatusOr<LoadResult> RunLoad(const LoadTarget& target, const LoadOptions& options,
                                   const SwarmPopulation& population,
                                   const std::vector<tracker::InfoHash>& hashes) {
  LoadResult result;
  auto exchange = Open(target, options, population, hashes, &result);
  if (!exchange.ok()) return exchange.status();
  tracker::Random random(options.seed);
  const uint64_t start_ns = MonotonicNs();
  Run(exchange->get(), options.rate, static_cast<uint64_t>(options.seconds * 1e9),
      [&](const absl::optional<PeerPlace>& place, LoadRequest* request) {
        const PeerOfTorrent peer = DrawPeer(population, place, random);
        request->is_scrape = options.scrape;
        request->torrent = peer.torrent;
        request->place = population.PlaceOf(peer);
        request->is_seeder = population.IsSeeder(peer);
        request->numwant = options.numwant;
        if (options.mixed_events) request->event = DrawEvent(request->is_seeder, random);
        return true;
      });
  result.seconds = static_cast<double>(MonotonicNs() - start_ns) * 1e-9;
  return result;
}

absl::StatusOr<LoadResult> LoadPopulation(const LoadTarget& target,
                                          const SwarmPopulation& population,
                                          const std::vector<tracker::InfoHash>& hashes) {
  LoadOptions options;
  options.window = kLoadWindow;
  options.timeout_s = kLoadTimeoutS;
  LoadResult result;
  auto exchange = Open(target, options, population, hashes, &result);
  if (!exchange.ok()) return exchange.status();
  PeerOfTorrent next;
  const uint64_t start_ns = MonotonicNs();
  Run(exchange->get(), 0, kForeverNs, [&](const absl::optional<PeerPlace>&, LoadRequest* request) {
    if (next.torrent == population.torrents() || population.peers_of(next.torrent) <= next.peer) {
      // No later torrent is larger: the next peer of all, if there is one.
      next = {0, next.peer + 1};
      if (population.peers_of(0) <= next.peer) return false;
    }
    request->torrent = next.torrent;
    request->place = population.PlaceOf(next);
    request->is_seeder = population.IsSeeder(next);
    request->event = LoadEvent::kStarted;
    ++next.torrent;
    return true;
  });
  result.seconds = static_cast<double>(MonotonicNs() - start_ns) * 1e-9;
  return result;
}

}  // namespace septet::bench
