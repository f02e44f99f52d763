#include "tracker/http/http_handler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/types/optional.h"
#include "http/query.h"
#include "tracker/http/client_address.h"
#include "tracker/http/reply_body.h"
#include "tracker/http/route.h"
#include "tracker/http/stated_address.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kNoncompactOff =
    "compact: a list of dictionaries is not given out by this tracker; allowed: compact=1";
constexpr absl::string_view kInfoHashMissing =
    "info_hash: missing; a scrape needs at least one, of 20 bytes each";
constexpr absl::string_view kTooManyInfoHashes = "info_hash: given too many times in one scrape";

static_assert(kAnnounceBodyOverhead + kHttpNumwantLimit * kPeerDictBytesMax <= kHttpBodyBytesMax);
static_assert(kScrapeBodyOverhead + kHttpScrapeHashesMax * kScrapeFileBytesMax <=
              kHttpBodyBytesMax);

Role RoleOf(const http::AnnounceQuery& query) {
  if (query.is_seeder) return Role::kSeeder;
  const bool is_paused = query.event == http::AnnounceEvent::kPaused;
  return is_paused ? Role::kPartialSeed : Role::kLeecher;
}

Event EventOf(http::AnnounceEvent event) {
  switch (event) {
    case http::AnnounceEvent::kStarted:
      return Event::kStarted;
    case http::AnnounceEvent::kStopped:
      return Event::kStopped;
    case http::AnnounceEvent::kCompleted:
      return Event::kCompleted;
    case http::AnnounceEvent::kNone:
    case http::AnnounceEvent::kPaused:
      return Event::kNone;
  }
  return Event::kNone;
}

AnnounceRequest RequestOf(const http::AnnounceQuery& query, const Endpoint& source) {
  AnnounceRequest request;
  request.info_hash = query.info_hash;
  request.peer = source;
  request.peer.set_port(query.port);
  request.role = RoleOf(query);
  request.event = EventOf(query.event);
  request.numwant =
      query.numwant < 0 ? Service::kNumwantDefault : static_cast<uint32_t>(query.numwant);
  return request;
}

struct StatusText {
  http::StatusCode code;
  absl::string_view text;
};
// Where there is more to say than the reason phrase.
constexpr StatusText kStatusTexts[] = {
    {http::StatusCode::kNotFound, "Not Found: this is a tracker; allowed: /announce and /scrape"},
    {http::StatusCode::kMethodNotAllowed, "Method Not Allowed; allowed: GET and HEAD"},
    {http::StatusCode::kUriTooLong, "Request-URI Too Long; allowed: 16 KiB"},
    {http::StatusCode::kHeaderFieldsTooLarge,
     "Request Header Fields Too Large; allowed: 16 KiB and 100 fields"},
};
static_assert(http::kHeadBytesMax == 16 * 1024 && http::kHeaderFieldsMax == 100);

absl::string_view TextOf(http::StatusCode code) {
  for (const StatusText& row : kStatusTexts) {
    if (row.code == code) return row.text;
  }
  return http::ReasonPhrase(code);
}

// Puts the head before the body, which lies where the longest head would end. Returns
// the length of both.
size_t WriteHead(const http::ResponseHead& head, bool is_head, absl::Span<char> out) {
  const size_t head_bytes = http::WriteResponseHead(head, out.data());
  if (is_head) return head_bytes;
  std::memmove(out.data() + head_bytes, out.data() + http::kResponseHeadBytesMax,
               head.content_length);
  return head_bytes + head.content_length;
}

// Where the body of a response is written at first.
absl::Span<char> BodyOf(absl::Span<char> out) { return out.subspan(http::kResponseHeadBytesMax); }

http::StatusCode CodeOf(Route route, bool is_readable) {
  if (route == Route::kNone) return http::StatusCode::kNotFound;
  return is_readable ? http::StatusCode::kOk : http::StatusCode::kMethodNotAllowed;
}

}  // namespace

size_t WriteTextResponse(http::StatusCode code, int minor_version, bool keep_alive, bool is_head,
                         absl::Span<char> out) {
  const absl::string_view text = TextOf(code);
  const absl::Span<char> body = BodyOf(out);
  std::memcpy(body.data(), text.data(), text.size());
  return WriteHead({code, text.size(), keep_alive, minor_version}, is_head, out);
}

HttpHandler::HttpHandler(Service* service, HttpTrust trust)
    : service_(service), trust_(std::move(trust)) {}

size_t HttpHandler::Handle(const http::RequestHead& request, const HttpRequestContext& context,
                           Random& random, absl::Span<char> out) const {
  const bool is_head = request.method == "HEAD";
  const Route route = RouteOf(request.path);
  const http::StatusCode code = CodeOf(route, is_head || request.method == "GET");
  if (code != http::StatusCode::kOk) {
    return WriteTextResponse(code, request.minor_version, context.keep_alive, is_head, out);
  }
  const size_t body_bytes = route == Route::kAnnounce
                                ? WriteAnnounce(request, context, random, BodyOf(out))
                                : WriteScrape(request.query, BodyOf(out));
  return WriteHead({code, body_bytes, context.keep_alive, request.minor_version}, is_head, out);
}

size_t HttpHandler::WriteAnnounce(const http::RequestHead& request,
                                  const HttpRequestContext& context, Random& random,
                                  absl::Span<char> out) const {
  http::AnnounceQuery query;
  const http::QueryError error = http::ParseAnnounceQuery(request.query, &query);
  if (!error.reason.empty()) return WriteFailureBody(error.reason, out);
  const ServiceOptions& options = service_->options();
  if (!query.compact && !options.allow_noncompact) return WriteFailureBody(kNoncompactOff, out);

  // Not value-initialized: only what is chosen is written and read.
  std::array<uint8_t, kHttpNumwantLimit * kCompactIpv4Bytes> ipv4;
  std::array<uint8_t, kHttpNumwantLimit * kCompactIpv6Bytes> ipv6;
  const PeerOutput peers = {
      absl::MakeSpan(ipv4).subspan(0, options.numwant_max * kCompactIpv4Bytes),
      absl::MakeSpan(ipv6).subspan(0, options.numwant_max * kCompactIpv6Bytes)};
  // Mostly nobody is believed, and nothing is copied then.
  absl::optional<Endpoint> client;
  if (context.believes_claims && !trust_.proxies.empty()) {
    client = ClientOf(context.source, request, trust_.proxies);
  }
  const Endpoint& source = client.has_value() ? *client : context.source;
  AnnounceRequest announce = RequestOf(query, source);
  if (context.believes_claims && trust_.ip_param.Contains(source)) {
    announce.peer = StatedPeer(query, source);
  }
  const AnnounceReply reply = service_->Announce(announce, context.now_ms, random, peers);
  if (!reply.failure.empty()) return WriteFailureBody(reply.failure, out);

  const AnnounceBody body = {&reply, source, query.compact,
                             peers.ipv4.subspan(0, reply.result.ipv4_peers * kCompactIpv4Bytes),
                             peers.ipv6.subspan(0, reply.result.ipv6_peers * kCompactIpv6Bytes)};
  return WriteAnnounceBody(body, out);
}

size_t HttpHandler::WriteScrape(absl::string_view query_text, absl::Span<char> out) const {
  const absl::string_view failure = service_->ScrapeFailure();
  if (!failure.empty()) return WriteFailureBody(failure, out);

  std::array<InfoHash, kHttpScrapeHashesMax> info_hashes;
  size_t kept = 0;
  size_t given = 0;
  const auto keep = [&](const InfoHash& info_hash) {
    if (kept < info_hashes.size()) info_hashes[kept++] = info_hash;
  };
  const http::QueryError error = http::ParseScrapeQuery(query_text, keep, &given);
  if (!error.reason.empty()) return WriteFailureBody(error.reason, out);
  if (given == 0) return WriteFailureBody(kInfoHashMissing, out);
  if (given > kept) return WriteFailureBody(kTooManyInfoHashes, out);

  const auto begin = info_hashes.begin();
  const auto end = begin + static_cast<ptrdiff_t>(kept);
  std::sort(begin, end);
  const auto distinct = static_cast<size_t>(std::unique(begin, end) - begin);
  return WriteScrapeBody(
      absl::MakeConstSpan(info_hashes.data(), distinct),
      [this](const InfoHash& info_hash) { return service_->Scrape(info_hash); }, out);
}

}  // namespace septet::tracker
