// Percent-decoding (RFC 3986, 2.1) of the parts of a query.

#ifndef SEPTET_HTTP_PERCENT_H_
#define SEPTET_HTTP_PERCENT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::http {

struct Decoded {
  size_t size = 0;         // of the decoded text, also where it did not fit
  bool is_broken = false;  // a '%' without two hexadecimal digits behind it
};

// Decodes `text` into `out`, of which no more than `out_bytes` are written. A broken
// escape stands for itself. '+' is a plus: tracker requests are no HTML forms.
Decoded PercentDecode(absl::string_view text, uint8_t* out, size_t out_bytes);

}  // namespace septet::http

#endif  // SEPTET_HTTP_PERCENT_H_
