// Tracker requests over HTTP: a parsed request head in, a whole response out.
//
// Formats: BEP 3 (announce, failure reason), 7 (peers6), 21 (partial seeds), 23
// (compact), 24 (external ip), 48 (scrape). It has no I/O, no clock and no state.

#ifndef SEPTET_TRACKER_HTTP_HTTP_HANDLER_H_
#define SEPTET_TRACKER_HTTP_HTTP_HANDLER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "http/request_head.h"
#include "http/response_head.h"
#include "tracker/endpoint.h"
#include "tracker/networks.h"
#include "tracker/random.h"
#include "tracker/service.h"

namespace septet::tracker {

// ServiceOptions::numwant_max may not be more: it bounds the response.
inline constexpr uint32_t kHttpNumwantLimit = 1000;

// Torrents in one scrape. The shortest that can be said of one is "info_hash=", 20
// bytes as they are, and a '&': a request head holds no more than these.
inline constexpr size_t kHttpScrapeHashesMax = http::kHeadBytesMax / (10 + 20 + 1) + 1;

// No response is longer. The longest body is that of kHttpNumwantLimit IPv6 peers that
// are not compact; the .cc proves the bound.
inline constexpr size_t kHttpBodyBytesMax = 62 * 1024;
inline constexpr size_t kHttpResponseBytesMax = http::kResponseHeadBytesMax + kHttpBodyBytesMax;

// Whose word is taken for what. Empty: nobody's.
struct HttpTrust {
  Networks proxies;   // their X-Forwarded-For and Forwarded name the client
  Networks ip_param;  // clients whose ip=, ipv4= and ipv6= say where they listen
};

// What a request head does not say.
struct HttpRequestContext {
  Endpoint source;         // where the request came from
  int64_t now_ms = 0;      // of a clock that does not go back
  bool keep_alive = true;  // whether the response may say that the connection stays
  // Whether HttpTrust applies to the source. It does not where `source` is a proxy that
  // may be anybody's.
  bool believes_claims = true;
};

// Thread-safe, as the service is.
class HttpHandler {
 public:
  // `service` must outlive the handler; its numwant_max is at most kHttpNumwantLimit.
  explicit HttpHandler(Service* service, HttpTrust trust = {});

  // Writes the response to `request` to `out`, which has room for
  // kHttpResponseBytesMax, and returns its length. Whatever the request holds is
  // answered: with 404 or 405 if it is none for a tracker, with a bencoded `failure
  // reason` if it is a bad announce or scrape. Does not allocate.
  size_t Handle(const http::RequestHead& request, const HttpRequestContext& context, Random& random,
                absl::Span<char> out) const;

 private:
  size_t WriteAnnounce(const http::RequestHead& request, const HttpRequestContext& context,
                       Random& random, absl::Span<char> out) const;
  size_t WriteScrape(absl::string_view query_text, absl::Span<char> out) const;

  Service* const service_;
  const HttpTrust trust_;
};

// Writes a response without a bencoded body: the status and a line of text. `out` has
// room for kHttpResponseBytesMax. Returns its length.
size_t WriteTextResponse(http::StatusCode code, int minor_version, bool keep_alive, bool is_head,
                         absl::Span<char> out);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_HTTP_HANDLER_H_
