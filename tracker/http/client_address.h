// Who asks, when the request came through proxies.

#ifndef SEPTET_TRACKER_HTTP_CLIENT_ADDRESS_H_
#define SEPTET_TRACKER_HTTP_CLIENT_ADDRESS_H_

#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {

// The client of a request that came from `source`, with port 0 if that is another than
// `source`: X-Forwarded-For or Forwarded (RFC 7239) is followed from the right, from
// `source` on, as long as the address reached is a trusted proxy. So the result is
// `source` itself if that is no trusted proxy or the fields are missing, and never an
// address that only an untrusted one vouches for. Where a trusted proxy names no address
// ("unknown", an obfuscated identifier, something broken), the result is that proxy.
//
// If both fields list hops and they lead to different clients, the result is `source`: a
// proxy hands on untouched the field that it does not write itself, so that one of the
// two may be the client's invention, and nothing tells which.
//
// Cost for a source that is no trusted proxy: Networks::Contains.
Endpoint ClientOf(const Endpoint& source, const http::RequestHead& request,
                  const Networks& trusted_proxies);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_CLIENT_ADDRESS_H_
