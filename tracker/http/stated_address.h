// Where a peer says that it listens: ip= (BEP 3), ipv4= and ipv6= (BEP 7) of an announce.

#ifndef SEPTET_TRACKER_HTTP_STATED_ADDRESS_H_
#define SEPTET_TRACKER_HTTP_STATED_ADDRESS_H_

#include "http/query.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

// The peer that an announce from `source` is of, if the source is believed. One announce
// is one peer, of the family it came over: ipv4= or ipv6= of that family counts, else ip=
// if it holds such an address, else the address of `source`. An address of the other
// family is left out: a client that is reachable there can announce over that family as
// well, from where its address is seen and need not be believed.
//
// A value may have a port of its own, as in ipv6=[2001:db8::1]:6881, in the place of
// port=. Ignored are host names, what is broken, port 0, and addresses that no peer can have:
// 0.0.0.0/8, ::, multicast and 240.0.0.0/4.
Endpoint StatedPeer(const http::AnnounceQuery& query, const Endpoint& source);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_HTTP_STATED_ADDRESS_H_
