// The addresses that an operator asks the server to listen on, as text.

#ifndef SEPTET_TRACKER_SERVER_LISTEN_ADDRESS_H_
#define SEPTET_TRACKER_SERVER_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

enum class Transport : uint8_t { kHttp, kUdp };

struct ListenAddress {
  Transport transport = Transport::kHttp;
  Endpoint endpoint;  // port 0: the kernel chooses a free one
  // HTTP: every connection begins with a header of the PROXY protocol.
  bool proxy_protocol = false;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// Parses a comma-separated list of ADDR:PORT (HTTP and UDP, in this order),
// http://ADDR:PORT, udp://ADDR:PORT and proxy+http://ADDR:PORT. ADDR is 1.2.3.4 or [2001:db8::1];
// names are not resolved, as a server should not depend on a resolver to start. PORT is 0 to 65535.
// Blanks around the parts are skipped. Errors (InvalidArgument) name the part that is wrong and
// what is allowed; so are an empty list and an address listed twice.
absl::StatusOr<std::vector<ListenAddress>> ParseListenAddresses(absl::string_view text);

// Such as "http://127.0.0.1:6969", "udp://[::1]:6969" or "proxy+http://10.0.0.1:6969".
std::string ToString(const ListenAddress& address);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_LISTEN_ADDRESS_H_
