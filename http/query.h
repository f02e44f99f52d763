// The query strings of tracker requests over HTTP: announce (BEP 3, 7, 21, 23)
// and scrape (BEP 48).
//
// Names and values are percent-decoded; '+' is a plus. A '?' separates parameters
// as '&' does, since an announce URL may already hold a query to which a client
// appends its own. Nothing is allocated.

#ifndef SEPTET_HTTP_QUERY_H_
#define SEPTET_HTTP_QUERY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace septet::http {

using InfoHash = std::array<uint8_t, 20>;

enum class AnnounceEvent : uint8_t {
  kNone,  // a plain update: absent, empty, "none" or unknown
  kStarted,
  kStopped,
  kCompleted,
  kPaused,  // BEP 21: a partial seed
};

struct AnnounceQuery {
  InfoHash info_hash{};
  // 0: absent or 0. The peer is answered but not listed.
  uint16_t port = 0;
  AnnounceEvent event = AnnounceEvent::kNone;
  // True only for `left` that is a number equal to 0.
  bool is_seeder = false;
  // Saturated at 2^64-1; what is absent, empty, negative or no number is 2^64-1
  // too, so that it is never taken for a seeder.
  uint64_t left = UINT64_MAX;
  // -1: absent, negative or no number (the tracker's default applies). Saturated
  // at INT32_MAX.
  int32_t numwant = -1;
  bool compact = true;  // false for "0" alone
  // The text of ip=, ipv4=, ipv6= after percent-decoding, empty if absent or
  // longer than an address can be. Points into this struct: see AddressText.
  struct AddressText {
    std::array<char, 64> bytes;
    uint8_t size = 0;
    absl::string_view view() const { return absl::string_view(bytes.data(), size); }
  };
  AddressText ip, ipv4, ipv6;
};

// A reason in words that a person can act on, for `failure reason`: it names the
// parameter, what is wrong with it and what is allowed. Always a literal: it
// never holds bytes of the request.
struct QueryError {
  absl::string_view reason;  // empty: no error
};

// Parses the part of the target after the first '?'. Of parameters that come
// twice the last one counts, but info_hash given twice is an error. Returns no
// error and fills *out, or an error and leaves *out in an unspecified state.
// Cost: linear in the size of the query.
QueryError ParseAnnounceQuery(absl::string_view query, AnnounceQuery* out);

// Calls `visit` for each info_hash of a scrape, in the order given, duplicates too.
// Nothing is visited before the whole query is known to be good. `*count` is their
// number; 0 is no error here (a full scrape).
QueryError ParseScrapeQuery(absl::string_view query, absl::FunctionRef<void(const InfoHash&)> visit,
                            size_t* count);

}  // namespace septet::http

#endif  // SEPTET_HTTP_QUERY_H_
