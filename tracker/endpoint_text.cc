#include "tracker/endpoint_text.h"

#include <arpa/inet.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace septet::tracker {

static_assert(kAddressTextBytesMax == INET6_ADDRSTRLEN);

size_t WriteAddressText(const Endpoint& endpoint, char* out) {
  const int family = endpoint.family == Family::kIpv4 ? AF_INET : AF_INET6;
  inet_ntop(family, endpoint.compact.data(), out, kAddressTextBytesMax);
  return std::strlen(out);
}

std::string EndpointText(const Endpoint& endpoint) {
  char text[kAddressTextBytesMax];
  const absl::string_view address(text, WriteAddressText(endpoint, text));
  if (endpoint.family == Family::kIpv4) return absl::StrCat(address, ":", endpoint.port());
  return absl::StrCat("[", address, "]:", endpoint.port());
}

}  // namespace septet::tracker
