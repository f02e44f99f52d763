// One request of a load, and its bytes in the two protocols.

#ifndef SEPTET_BENCH_LOAD_LOAD_REQUEST_H_
#define SEPTET_BENCH_LOAD_LOAD_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "bench/load/swarm_population.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

// By the numbers of BEP 15.
enum class LoadEvent : uint8_t { kNone = 0, kCompleted = 1, kStarted = 2, kStopped = 3 };

struct LoadRequest {
  bool is_scrape = false;
  uint32_t torrent = 0;
  PeerPlace place;
  bool is_seeder = false;
  LoadEvent event = LoadEvent::kNone;
  uint32_t numwant = 0;
};

inline constexpr size_t kUdpRequestBytesMax = 98;

// Writes the packet (BEP 15) to `out`, which has room for kUdpRequestBytesMax. Returns its
// length.
size_t WriteUdpRequest(const LoadRequest& request, const tracker::InfoHash& hash,
                       uint64_t connection_id, uint32_t transaction_id, uint8_t* out);

// The info-hash as it stands in a query: "%01%ab...".
std::string EscapedHash(const tracker::InfoHash& hash);

// Replaces `out` by a request as libtorrent writes it.
void WriteHttpRequest(const LoadRequest& request, absl::string_view escaped_hash, bool keep_alive,
                      std::string* out);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_LOAD_REQUEST_H_
