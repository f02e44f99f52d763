// The bencoded bodies of responses, in the order of keys that bencoding demands.

#ifndef SEPTET_TRACKER_HTTP_REPLY_BODY_H_
#define SEPTET_TRACKER_HTTP_REPLY_BODY_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tracker/endpoint.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

struct AnnounceBody {
  const AnnounceReply* reply = nullptr;
  Endpoint source;      // told back to the asker (BEP 24)
  bool compact = true;  // BEP 23
  // The chosen peers in compact form, 6 and 18 bytes each.
  absl::Span<const uint8_t> ipv4;
  absl::Span<const uint8_t> ipv6;
};

// Each writes to `out`, which has room for the bound beside it, and returns the length.
// Nothing is allocated.

// {"failure reason": reason} (BEP 3).
inline constexpr size_t kFailureBodyOverhead = 32;  // the body without the reason
size_t WriteFailureBody(absl::string_view reason, absl::Span<char> out);

// Compact: `peers` holds IPv4; `peers6` (BEP 7) IPv6, and is there if the swarm has
// IPv6 peers or the asker is one. Not compact: `peers` lists both families, as BEP 7
// leaves it and clients read it, and there is no `peers6`.
inline constexpr size_t kAnnounceBodyOverhead = 256;  // the body without peers
inline constexpr size_t kPeerDictBytesMax = 61;       // one peer that is not compact
size_t WriteAnnounceBody(const AnnounceBody& body, absl::Span<char> out);

// {"files": {...}} (BEP 48). `info_hashes` are sorted and distinct.
inline constexpr size_t kScrapeBodyOverhead = 16;
inline constexpr size_t kScrapeFileBytesMax = 97;  // for each torrent
size_t WriteScrapeBody(absl::Span<const InfoHash> info_hashes,
                       absl::FunctionRef<SwarmCounts(const InfoHash&)> counts_of,
                       absl::Span<char> out);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_REPLY_BODY_H_
