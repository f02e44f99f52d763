#include "tracker/server/listen_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "tracker/endpoint_text.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kAllowed =
    "allowed: ADDR:PORT, http://ADDR:PORT, udp://ADDR:PORT or proxy+http://ADDR:PORT, where ADDR "
    "is "
    "an address such as 0.0.0.0 or [::] and PORT is 0 to 65535";

struct Scheme {
  absl::string_view prefix;
  Transport transport;
  bool proxy_protocol;
};
constexpr Scheme kSchemes[] = {{"http://", Transport::kHttp, false},
                               {"udp://", Transport::kUdp, false},
                               {"proxy+http://", Transport::kHttp, true}};

absl::Status Wrong(absl::string_view part, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("'", part, "': ", what, "; ", kAllowed));
}

absl::optional<uint16_t> ParsePort(absl::string_view text) {
  if (text.empty() || text.size() > 5) return absl::nullopt;
  uint32_t port = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return absl::nullopt;
    port = port * 10 + static_cast<uint32_t>(c - '0');
  }
  if (port > 65535) return absl::nullopt;
  return static_cast<uint16_t>(port);
}

// `address` without a port; brackets tell an IPv6 address.
absl::optional<Endpoint> ParseAddress(absl::string_view address, uint16_t port) {
  std::array<uint8_t, 16> bytes;
  if (absl::ConsumePrefix(&address, "[")) {
    if (!absl::ConsumeSuffix(&address, "]")) return absl::nullopt;
    if (inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1) return absl::nullopt;
    return MakeIpv6(bytes.data(), port);
  }
  if (inet_pton(AF_INET, std::string(address).c_str(), bytes.data()) != 1) return absl::nullopt;
  return MakeIpv4(bytes.data(), port);
}

absl::StatusOr<Endpoint> ParseEndpoint(absl::string_view part, absl::string_view text) {
  const size_t colon = text.rfind(':');
  // The last colon of "[::1]" lies inside the address.
  if (colon == absl::string_view::npos || absl::EndsWith(text, "]")) {
    return Wrong(part, "the port is missing");
  }
  const absl::optional<uint16_t> port = ParsePort(text.substr(colon + 1));
  if (!port.has_value()) return Wrong(part, "the port is wrong");
  const absl::optional<Endpoint> endpoint = ParseAddress(text.substr(0, colon), *port);
  if (!endpoint.has_value()) return Wrong(part, "the address is wrong");
  return *endpoint;
}

absl::Status Append(const ListenAddress& address, std::vector<ListenAddress>* addresses) {
  const bool is_twice =
      std::any_of(addresses->begin(), addresses->end(), [&address](const ListenAddress& other) {
        return other.transport == address.transport && other.endpoint == address.endpoint;
      });
  if (is_twice && address.endpoint.port() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("'", ToString(address), "' is listed twice"));
  }
  addresses->push_back(address);
  return absl::OkStatus();
}

absl::Status AppendPart(absl::string_view part, std::vector<ListenAddress>* addresses) {
  for (const Scheme& scheme : kSchemes) {
    absl::string_view text = part;
    if (!absl::ConsumePrefix(&text, scheme.prefix)) continue;
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(part, text);
    if (!endpoint.ok()) return endpoint.status();
    return Append({scheme.transport, *endpoint, scheme.proxy_protocol}, addresses);
  }
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(part, part);
  if (!endpoint.ok()) return endpoint.status();
  for (const Scheme& scheme : kSchemes) {
    if (scheme.proxy_protocol) continue;
    const absl::Status status = Append({scheme.transport, *endpoint}, addresses);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ListenAddress>> ParseListenAddresses(absl::string_view text) {
  std::vector<ListenAddress> addresses;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) return Wrong(part, "an address is empty");
    const absl::Status status = AppendPart(part, &addresses);
    if (!status.ok()) return status;
  }
  return addresses;
}

std::string ToString(const ListenAddress& address) {
  for (const Scheme& scheme : kSchemes) {
    const bool is_same =
        scheme.transport == address.transport && scheme.proxy_protocol == address.proxy_protocol;
    if (is_same) {
      return absl::StrCat(scheme.prefix, EndpointText(address.endpoint));
    }
  }
  return "";
}

}  // namespace septet::tracker
