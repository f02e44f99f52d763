// Which requests a path asks for.

#ifndef SEPTET_TRACKER_HTTP_ROUTE_H_
#define SEPTET_TRACKER_HTTP_ROUTE_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::tracker {

enum class Route : uint8_t { kAnnounce, kScrape, kNone };

// The last segment that is not empty decides: it starts with "announce" or "scrape"
// (/announce, /x/announce/, /announce.php), since that is how a client makes the
// scrape URL of an announce URL (BEP 48).
Route RouteOf(absl::string_view path);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_ROUTE_H_
