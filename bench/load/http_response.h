// An HTTP response as far as a load generator reads it.

#ifndef SEPTET_BENCH_LOAD_HTTP_RESPONSE_H_
#define SEPTET_BENCH_LOAD_HTTP_RESPONSE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace septet::bench {

struct HttpResponse {
  enum class State { kIncomplete, kComplete, kBroken };

  State state = State::kIncomplete;
  // Of kBroken, a literal: no HTTP, a status other than 200, no Content-Length.
  absl::string_view fault;
  // Of kComplete.
  absl::string_view body;
  size_t bytes = 0;  // of head and body
};

// What `bytes` begins with. The body has the length that Content-Length says, at most 1 MiB;
// chunked bodies are broken, since no tracker sends them.
HttpResponse ParseHttpResponse(absl::string_view bytes);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_HTTP_RESPONSE_H_
