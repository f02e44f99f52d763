#include "tracker/http/stated_address.h"

#include <algorithm>

#include "absl/types/optional.h"
#include "http/ip_address.h"
#include "tracker/ip_endpoint.h"

namespace septet::tracker {
namespace {

// Whether connections can be made to the address, for all that its form says.
bool IsUnicast(const http::IpAddress& address) {
  const auto& bytes = address.bytes;
  if (!address.is_ipv6) return bytes[0] != 0 && bytes[0] < 224;
  const bool is_unspecified =
      std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
  return !is_unspecified && bytes[0] != 0xff;
}

}  // namespace

Endpoint StatedPeer(const http::AnnounceQuery& query, const Endpoint& source) {
  const bool is_ipv6 = source.family == Family::kIpv6;
  for (const auto* text : {is_ipv6 ? &query.ipv6 : &query.ipv4, &query.ip}) {
    const absl::optional<http::IpAddressAndPort> stated = http::ParseIpAddressAndPort(text->view());
    const bool counts = stated.has_value() && stated->address.is_ipv6 == is_ipv6 &&
                        IsUnicast(stated->address) && stated->port != 0;
    if (counts) return MakeEndpoint(stated->address, stated->port.value_or(query.port));
  }
  Endpoint peer = source;
  peer.set_port(query.port);
  return peer;
}

}  // namespace septet::tracker
