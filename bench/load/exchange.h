// Requests on their way to a tracker, and the replies to them: what the two protocols have in
// common for a load generator.

#ifndef SEPTET_BENCH_LOAD_EXCHANGE_H_
#define SEPTET_BENCH_LOAD_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "bench/load/load_request.h"
#include "bench/load/load_result.h"
#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

// Not thread-safe.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // How many requests may be sent now.
  virtual uint32_t Free() const = 0;
  virtual uint32_t Outstanding() const = 0;

  // Where the next request has to come from, if its connection is there already; its port is
  // not used.
  virtual absl::optional<PeerPlace> NextPlace() const { return absl::nullopt; }

  // Sends a request, at the latest in Flush. Free() is over 0. Its latency counts from
  // `due_ns`.
  virtual void Send(const LoadRequest& request, uint64_t due_ns) = 0;
  virtual void Flush() = 0;

  // Takes what has come; if nothing has, waits up to `wait_ns` for it. Gives up requests
  // that are too old.
  virtual void Receive(uint64_t wait_ns) = 0;
};

struct ExchangeOptions {
  tracker::Endpoint target;                   // IPv4
  absl::optional<tracker::Endpoint> target6;  // for peers of IPv6
  uint32_t sources = 1;
  uint32_t ipv6_percent = 0;  // of connections that stay
  uint32_t window = 32;       // requests under way, 1 to kWindowMax
  uint64_t timeout_ns = 1'000'000'000;
  bool knows_hashes = true;     // the scrape of a torrent names it
  bool mixed_families = false;  // a swarm may have peers that a reply does not tell of
};

inline constexpr uint32_t kWindowMax = 4096;

// Address number `source` of a load: 127.0.0.1 + source.
tracker::Endpoint SourceAddress(uint32_t source);

// Both of these: `hashes` and `result` must outlive the exchange. Errors say what the
// system or the tracker refused.

// Gets a connection id for each source; takes them anew when they are a minute old.
absl::StatusOr<std::unique_ptr<Exchange>> OpenUdpExchange(
    const ExchangeOptions& options, const std::vector<tracker::InfoHash>& hashes,
    LoadResult* result);

// `keep_alive`: `window` connections that stay; one that the tracker closes is opened again and
// counted as a fault. Otherwise a connection for each request, which the tracker has to close.
absl::StatusOr<std::unique_ptr<Exchange>> OpenHttpExchange(
    const ExchangeOptions& options, bool keep_alive, const std::vector<tracker::InfoHash>& hashes,
    LoadResult* result);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_EXCHANGE_H_
