// The head of the HTTP/1.1 responses that a tracker sends.

#ifndef SEPTET_HTTP_RESPONSE_HEAD_H_
#define SEPTET_HTTP_RESPONSE_HEAD_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::http {

enum class StatusCode : uint16_t {
  kOk = 200,
  kBadRequest = 400,
  kNotFound = 404,
  kMethodNotAllowed = 405,  // with Allow: GET, HEAD
  kContentTooLarge = 413,
  kUriTooLong = 414,
  kHeaderFieldsTooLarge = 431,
  kInternalError = 500,
  kServiceUnavailable = 503,
};

// "OK", "Bad Request", ... (RFC 9110, RFC 6585).
absl::string_view ReasonPhrase(StatusCode code);

// No head is longer than this.
inline constexpr size_t kResponseHeadBytesMax = 256;

// Writes status line, Content-Type: text/plain, Content-Length, Allow (405 only),
// Connection (`close`, or `keep-alive` where an HTTP/1.0 client asked to stay) and
// the empty line to `out`, which has room for kResponseHeadBytesMax. Returns the
// number of bytes written. Does not allocate.
struct ResponseHead {
  StatusCode code = StatusCode::kOk;
  size_t content_length = 0;
  bool keep_alive = true;
  int minor_version = 1;  // of the request
};
size_t WriteResponseHead(const ResponseHead& head, char* out);

}  // namespace septet::http

#endif  // SEPTET_HTTP_RESPONSE_HEAD_H_
