// Addresses as people write them: RFC 5952 for IPv6.

#ifndef SEPTET_TRACKER_ENDPOINT_TEXT_H_
#define SEPTET_TRACKER_ENDPOINT_TEXT_H_

#include <cstddef>
#include <string>

#include "tracker/endpoint.h"

namespace septet::tracker {

// The longest text of an address, with the zero byte that WriteAddressText adds.
inline constexpr size_t kAddressTextBytesMax = 46;

// Writes the address without its port, such as "192.0.2.1" or "2001:db8::1", to `out`,
// which has room for kAddressTextBytesMax. Returns its length. Does not allocate.
size_t WriteAddressText(const Endpoint& endpoint, char* out);

// With the port: "192.0.2.1:6881", "[2001:db8::1]:6881".
std::string EndpointText(const Endpoint& endpoint);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ENDPOINT_TEXT_H_
