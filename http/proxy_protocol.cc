#include "http/proxy_protocol.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/types/optional.h"

namespace septet::http {
namespace {

using absl::string_view;
using Status = ProxyHeaderStatus;

// --- Version 1: a line of text ---------------------------------------------------

constexpr string_view kLineBegin = "PROXY ";

// Decimal without leading zeros, as the format demands.
absl::optional<uint16_t> ParseLinePort(string_view text) {
  if (text.size() > 1 && text.front() == '0') return absl::nullopt;
  return ParsePort(text);
}

absl::optional<IpAddress> ParseLineAddress(string_view text, bool is_ipv6) {
  if ((text.find(':') != string_view::npos) != is_ipv6) return absl::nullopt;
  return ParseIpAddress(text);
}

// `line`: from behind "PROXY " to before "\r\n".
Status ParseLine(string_view line, ProxyHeader* header) {
  if (line == "UNKNOWN" || absl::StartsWith(line, "UNKNOWN ")) return Status::kComplete;
  // Family, source, destination, port of the source, port of the destination.
  std::array<string_view, 5> words;
  for (string_view& word : words) {
    const bool is_last = &word == &words.back();
    const size_t end = line.find(' ');
    if ((end == string_view::npos) != is_last) return Status::kBroken;
    word = line.substr(0, end);
    if (!is_last) line.remove_prefix(end + 1);
  }
  if (words[0] != "TCP4" && words[0] != "TCP6") return Status::kBroken;
  const bool is_ipv6 = words[0] == "TCP6";
  const absl::optional<IpAddress> source = ParseLineAddress(words[1], is_ipv6);
  const absl::optional<IpAddress> destination = ParseLineAddress(words[2], is_ipv6);
  const absl::optional<uint16_t> port = ParseLinePort(words[3]);
  const bool is_whole = source && destination && port && ParseLinePort(words[4]);
  if (!is_whole) return Status::kBroken;
  header->has_source = true;
  header->source = *source;
  header->source_port = *port;
  return Status::kComplete;
}

Status ParseVersion1(string_view bytes, ProxyHeader* header) {
  const string_view window = bytes.substr(0, kProxyLineBytesMax);
  const size_t end = window.find("\r\n");
  if (end == string_view::npos) {
    return window.size() < kProxyLineBytesMax ? Status::kIncomplete : Status::kBroken;
  }
  header->header_bytes = end + 2;
  return ParseLine(window.substr(0, end).substr(kLineBegin.size()), header);
}

// --- Version 2: binary -----------------------------------------------------------

constexpr string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

// The signature, version and command, family and transport, and the length of the rest.
constexpr size_t kFixedBytes = 16;

constexpr uint8_t kVersion2Local = 0x20;
constexpr uint8_t kVersion2Proxy = 0x21;
constexpr uint8_t kFamilyMax = 3;     // AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX
constexpr uint8_t kTransportMax = 2;  // UNSPEC, STREAM, DGRAM

// The addresses of source and destination, then their ports.
struct AddressLayout {
  uint8_t family_and_transport;
  bool is_ipv6;
  size_t address_bytes;
};
constexpr AddressLayout kLayouts[] = {{0x11, false, 4}, {0x21, true, 16}};

Status ParseAddresses(uint8_t family_and_transport, string_view rest, ProxyHeader* header) {
  if (family_and_transport >> 4 > kFamilyMax || (family_and_transport & 0xf) > kTransportMax) {
    return Status::kBroken;
  }
  for (const AddressLayout& layout : kLayouts) {
    if (layout.family_and_transport != family_and_transport) continue;
    if (rest.size() < 2 * layout.address_bytes + 4) return Status::kBroken;
    const auto* bytes = reinterpret_cast<const uint8_t*>(rest.data());
    header->has_source = true;
    header->source = layout.is_ipv6 ? MakeIpv6Address(bytes) : MakeIpv4Address(bytes);
    const uint8_t* port = bytes + 2 * layout.address_bytes;
    header->source_port = static_cast<uint16_t>(port[0] << 8 | port[1]);
  }
  return Status::kComplete;
}

Status ParseVersion2(string_view bytes, ProxyHeader* header) {
  if (bytes.size() < kFixedBytes) return Status::kIncomplete;
  const auto byte_at = [bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t command = byte_at(12);
  header->header_bytes = kFixedBytes + (size_t{byte_at(14)} << 8 | byte_at(15));
  const bool is_known = command == kVersion2Local || command == kVersion2Proxy;
  if (!is_known || header->header_bytes > kProxyHeaderBytesMax) return Status::kBroken;
  if (bytes.size() < header->header_bytes) return Status::kIncomplete;
  // Of a connection of the proxy itself the family means nothing.
  if (command == kVersion2Local) return Status::kComplete;
  const string_view rest = bytes.substr(kFixedBytes, header->header_bytes - kFixedBytes);
  return ParseAddresses(byte_at(13), rest, header);
}

// Whether `bytes` begin with `prefix`, as far as they go.
bool MayBeginWith(string_view bytes, string_view prefix) {
  return absl::StartsWith(prefix, bytes.substr(0, prefix.size()));
}

}  // namespace

ProxyHeaderStatus ParseProxyHeader(string_view bytes, ProxyHeader* header) {
  *header = ProxyHeader();
  if (bytes.empty()) return Status::kIncomplete;
  if (MayBeginWith(bytes, kLineBegin)) return ParseVersion1(bytes, header);
  if (MayBeginWith(bytes, kSignature)) return ParseVersion2(bytes, header);
  return Status::kBroken;
}

}  // namespace septet::http
