#include "http/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"

namespace septet::http {
namespace {

using absl::string_view;

// The longest text, that of an IPv6 address which ends in IPv4.
constexpr size_t kTextBytesMax = INET6_ADDRSTRLEN - 1;

}  // namespace

IpAddress MakeIpv4Address(const uint8_t* bytes) {
  IpAddress address;
  std::memcpy(address.bytes.data(), bytes, 4);
  return address;
}

IpAddress MakeIpv6Address(const uint8_t* bytes) {
  constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped, kMapped + sizeof(kMapped), bytes)) {
    return MakeIpv4Address(bytes + sizeof(kMapped));
  }
  IpAddress address;
  address.is_ipv6 = true;
  std::memcpy(address.bytes.data(), bytes, address.bytes.size());
  return address;
}

absl::optional<IpAddress> ParseIpAddress(string_view text) {
  // A zero byte would end the text for inet_pton, before its end.
  if (text.size() > kTextBytesMax || text.find('\0') != string_view::npos) return absl::nullopt;
  char with_end[kTextBytesMax + 1] = {};
  std::copy(text.begin(), text.end(), with_end);
  uint8_t bytes[16];
  if (inet_pton(AF_INET, with_end, bytes) == 1) return MakeIpv4Address(bytes);
  if (inet_pton(AF_INET6, with_end, bytes) == 1) return MakeIpv6Address(bytes);
  return absl::nullopt;
}

absl::optional<uint16_t> ParsePort(string_view text) {
  if (text.empty() || text.size() > 5) return absl::nullopt;
  uint32_t port = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return absl::nullopt;
    port = port * 10 + static_cast<uint32_t>(c - '0');
  }
  if (port > 65535) return absl::nullopt;
  return static_cast<uint16_t>(port);
}

absl::optional<IpAddressAndPort> ParseIpAddressAndPort(string_view text) {
  const bool is_bracketed = !text.empty() && text.front() == '[';
  size_t host_end = text.size();
  if (is_bracketed) {
    const size_t bracket = text.find(']');
    if (bracket == string_view::npos) return absl::nullopt;
    host_end = bracket + 1;
  } else if (text.find(':') == text.rfind(':')) {
    host_end = std::min(text.find(':'), text.size());
  }
  const string_view host = is_bracketed ? text.substr(1, host_end - 2) : text.substr(0, host_end);
  // Brackets are for IPv6 alone.
  if (is_bracketed && host.find(':') == string_view::npos) return absl::nullopt;
  const absl::optional<IpAddress> address = ParseIpAddress(host);
  if (!address.has_value()) return absl::nullopt;

  const string_view rest = text.substr(host_end);
  if (rest.empty()) return IpAddressAndPort{*address, absl::nullopt};
  const absl::optional<uint16_t> port = ParsePort(rest.substr(1));
  if (rest.front() != ':' || !port.has_value()) return absl::nullopt;
  return IpAddressAndPort{*address, port};
}

}  // namespace septet::http
