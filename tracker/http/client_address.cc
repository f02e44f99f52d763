#include "tracker/http/client_address.h"

#include "http/forwarded.h"
#include "http/ip_address.h"
#include "tracker/ip_endpoint.h"

namespace septet::tracker {
namespace {

using http::ForwardedField;
using http::ForwardedHop;

bool HasHops(const http::RequestHead& request, ForwardedField field) {
  http::IpAddress address;
  return http::ForwardedHops(request, field).Next(&address) != ForwardedHop::kEnd;
}

Endpoint Follow(const Endpoint& source, const http::RequestHead& request, ForwardedField field,
                const Networks& trusted_proxies) {
  http::ForwardedHops hops(request, field);
  http::IpAddress address;
  Endpoint client = source;
  while (trusted_proxies.Contains(client) && hops.Next(&address) == ForwardedHop::kAddress) {
    client = MakeEndpoint(address, 0);
  }
  return client;
}

}  // namespace

Endpoint ClientOf(const Endpoint& source, const http::RequestHead& request,
                  const Networks& trusted_proxies) {
  if (!trusted_proxies.Contains(source)) return source;
  const bool has_forwarded = HasHops(request, ForwardedField::kForwarded);
  if (!has_forwarded) {
    return Follow(source, request, ForwardedField::kXForwardedFor, trusted_proxies);
  }
  const Endpoint client = Follow(source, request, ForwardedField::kForwarded, trusted_proxies);
  if (!HasHops(request, ForwardedField::kXForwardedFor)) return client;
  const Endpoint other = Follow(source, request, ForwardedField::kXForwardedFor, trusted_proxies);
  return client == other ? client : source;
}

}  // namespace septet::tracker
