// The requests of one HTTP connection: bytes in, bytes out, and whether to go on.
//
// It has no socket: the caller owns the bytes of both directions. The responses are
// the same however the bytes of the requests were cut.

#ifndef SEPTET_TRACKER_HTTP_HTTP_STREAM_H_
#define SEPTET_TRACKER_HTTP_HTTP_STREAM_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/http/http_handler.h"
#include "tracker/random.h"

namespace septet::tracker {

// What the connections of one thread share.
struct HttpStreamContext {
  const HttpHandler* handler = nullptr;
  Random* random = nullptr;
  int64_t now_ms = 0;
  // Every response says that the connection closes after it.
  bool stopping = false;
  // Where a head is parsed to; too large to be cleared for each request.
  http::RequestHead head;
};

// Not thread-safe.
class HttpStream {
 public:
  enum class Next : uint8_t {
    kRead,    // call again with the bytes that are left over and more
    kWrite,   // `out` is full: send it, then call again with the bytes that are left over
    kClose,   // send what was written and close
    kLinger,  // as kClose, but the client may still be sending: it has to be read until
              // it ends or the response could be lost in a reset (RFC 9112, 9.6)
  };
  struct Step {
    size_t consumed = 0;  // of `in`
    size_t written = 0;   // to `out`
    Next next = Next::kRead;
  };

  // Answers the requests in `in`, one after the other, as far as they are complete and
  // `out` has room for kHttpResponseBytesMax. `in` is what was left over by the call
  // before and what has come since; a caller that can hold kInputBytesMax always gets
  // on. After kClose and kLinger the stream is not called again.
  //
  // A tracker request has no body: one that announces a body is answered, and then the
  // connection closes without reading it.
  Step Serve(HttpStreamContext& context, const Endpoint& source, absl::string_view in,
             absl::Span<char> out);

  // Of the requests that follow nothing is believed of what they say of their source, such
  // as X-Forwarded-For: they come through a proxy that does not name its client.
  void DistrustClaims() { believes_claims_ = false; }

  // With so many bytes of one request the parser knows that it is too large.
  static constexpr size_t kInputBytesMax = http::kHeadBytesMax + 1;

 private:
  struct Answer {
    size_t written;
    bool closes;
    bool has_body;
  };
  Answer AnswerRequest(HttpStreamContext& context, const Endpoint& source,
                       absl::Span<char> out) const;

  http::RequestHeadParser parser_;
  bool believes_claims_ = true;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_HTTP_STREAM_H_
