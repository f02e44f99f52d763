// The head of an HTTP/1.x request (RFC 9112): request line and header fields.
//
// The parser copies nothing and allocates nothing: the result holds views into
// the caller's bytes. It can be called again each time more bytes have come, and
// then does not read the old ones again.
//
// What it accepts beyond the grammar is what BitTorrent clients send: bare "\n"
// as a line end, spaces and unescaped bytes in the target. It takes the version
// from the end of the request line, so a target may hold spaces.

#ifndef SEPTET_HTTP_REQUEST_HEAD_H_
#define SEPTET_HTTP_REQUEST_HEAD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::http {

// A head of more bytes than this, or with more fields, is refused.
inline constexpr size_t kHeadBytesMax = 16 * 1024;
inline constexpr size_t kHeaderFieldsMax = 100;

struct HeaderField {
  absl::string_view name;   // as sent; compare without regard to case
  absl::string_view value;  // without the white space around it
};

// Valid while the bytes it was parsed from are.
struct RequestHead {
  absl::string_view method;
  // The target up to the first '?', and what follows it without the '?'. An
  // absolute target (http://host/path) is reduced to its path.
  absl::string_view path;
  absl::string_view query;
  bool has_query = false;
  int minor_version = 1;  // of HTTP/1.x
  // Whether the connection stays open after the reply, by version and the
  // Connection field.
  bool keep_alive = false;
  // Bytes of the body that follows the head (Content-Length), 0 if there is none.
  uint64_t content_length = 0;
  // Transfer-Encoding was given: the length of the body is not known.
  bool has_transfer_encoding = false;
  size_t head_bytes = 0;  // with the empty line that ends it
  size_t header_count = 0;
  std::array<HeaderField, kHeaderFieldsMax> headers;

  // The value of the first field of that name (any case); empty if none.
  absl::string_view Find(absl::string_view name) const;
};

enum class HeadStatus : uint8_t {
  kComplete,
  kIncomplete,    // no fault so far; call again with more bytes
  kBadRequest,    // 400
  kUriTooLong,    // 414: the request line alone passes kHeadBytesMax
  kHeadTooLarge,  // 431: bytes or number of fields
};

// One parser for each connection. Not thread-safe.
class RequestHeadParser {
 public:
  // `bytes` is all that has come of this request so far and may hold more than
  // the head (a pipelined request): each call must be given the bytes of the call
  // before plus what came since; they may have moved in memory. Any result but
  // kIncomplete makes the parser ready for the next request. `head` means something
  // only on kComplete.
  //
  // Up to two empty lines before the request line are skipped; they count as its bytes.
  // Cost: every byte is looked at a bounded number of times, however it is cut.
  HeadStatus Parse(absl::string_view bytes, RequestHead* head);

  // Forgets a request that was begun.
  void Reset();

 private:
  uint32_t scanned_ = 0;  // bytes known to hold no end of a head, at most kHeadBytesMax
};

}  // namespace septet::http

#endif  // SEPTET_HTTP_REQUEST_HEAD_H_
