// Bytes as the query of an announce and of a scrape: they mean what a slow and obvious
// reader takes them for.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "proptests/query_check.h"

namespace {

void RequireNone(const std::string& fault) {
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  RequireNone(septet::http::AnnounceQueryFault(text));
  RequireNone(septet::http::ScrapeQueryFault(text));
  return 0;
}
