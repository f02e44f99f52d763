#include "tracker/http/route.h"

#include "absl/strings/match.h"

namespace septet::tracker {
namespace {

struct Prefix {
  absl::string_view text;
  Route route;
};
constexpr Prefix kPrefixes[] = {{"announce", Route::kAnnounce}, {"scrape", Route::kScrape}};

}  // namespace

Route RouteOf(absl::string_view path) {
  // A stray space before the '?' is a habit of some clients.
  const size_t end = path.find_last_not_of("/ ");
  if (end == absl::string_view::npos) return Route::kNone;
  path = path.substr(0, end + 1);
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return Route::kNone;
  const absl::string_view segment = path.substr(slash + 1);
  for (const Prefix& prefix : kPrefixes) {
    if (absl::StartsWith(segment, prefix.text)) return prefix.route;
  }
  return Route::kNone;
}

}  // namespace septet::tracker
