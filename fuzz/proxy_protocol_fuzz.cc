// Bytes as the begin of a connection that has a header of the PROXY protocol. Every cut
// gives the same result, within the limits, and a source that was read and written again
// in the other version is read as the same.

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "http/ip_address.h"
#include "http/proxy_protocol.h"

namespace septet::http {
namespace {

using absl::string_view;
using Status = ProxyHeaderStatus;

void Require(bool condition) {
  if (!condition) std::abort();
}

// In memory of exactly its size.
Status Parse(string_view bytes, ProxyHeader* header) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return ParseProxyHeader(string_view(exact.data(), exact.size()), header);
}

void RequireSame(const ProxyHeader& a, const ProxyHeader& b) {
  Require(a.has_source == b.has_source);
  Require(a.source == b.source && a.source_port == b.source_port);
}

std::string AsVersion1(const ProxyHeader& header) {
  if (!header.has_source) return "PROXY UNKNOWN\r\n";
  char text[INET6_ADDRSTRLEN];
  const bool is_ipv6 = header.source.is_ipv6;
  inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, header.source.bytes.data(), text, sizeof(text));
  return absl::StrCat("PROXY ", is_ipv6 ? "TCP6 " : "TCP4 ", text, " ", text, " ",
                      header.source_port, " 1\r\n");
}

std::string AsVersion2(const ProxyHeader& header) {
  std::string bytes("\r\n\r\n\0\r\nQUIT\n\x21", 13);
  if (!header.has_source) return bytes + std::string(3, '\0');
  const size_t address_bytes = header.source.is_ipv6 ? 16 : 4;
  const string_view address(reinterpret_cast<const char*>(header.source.bytes.data()),
                            address_bytes);
  bytes += header.source.is_ipv6 ? '\x21' : '\x11';
  bytes += '\0';
  bytes += static_cast<char>(2 * address_bytes + 4);
  absl::StrAppend(&bytes, address, address);
  bytes += static_cast<char>(header.source_port >> 8);
  bytes += static_cast<char>(header.source_port);
  return bytes + std::string(2, 'x');
}

void CheckComplete(const ProxyHeader& header, string_view bytes) {
  Require(header.header_bytes <= bytes.size());
  const string_view text = bytes.substr(0, header.header_bytes);
  if (text.front() == 'P') {
    Require(text.size() >= 15 && text.size() <= 107);
    Require(text.find("\r\n") == text.size() - 2);
  } else {
    Require(text.size() >= 16 && text.size() <= 16 * 1024);
  }
  for (const std::string& again : {AsVersion1(header), AsVersion2(header)}) {
    ProxyHeader other;
    Require(Parse(again, &other) == Status::kComplete && other.header_bytes == again.size());
    RequireSame(header, other);
  }
}

}  // namespace
}  // namespace septet::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::http;
  constexpr size_t kBytesMax = 20 * 1024;
  if (size > kBytesMax) return 0;
  const string_view bytes(reinterpret_cast<const char*>(data), size);
  ProxyHeader whole;
  const Status status = Parse(bytes, &whole);
  if (status == Status::kComplete) CheckComplete(whole, bytes);
  Require(status != Status::kIncomplete || size < kProxyHeaderBytesMax);
  // Copies are quadratic in the number of cuts: the begin, and the end of the header.
  const size_t end = status == Status::kComplete ? whole.header_bytes : size;
  for (size_t cut = 0; cut < size; ++cut) {
    if (cut > 300 && cut + 2 < end) continue;
    if (cut > end + 2) break;
    ProxyHeader header;
    const Status before = Parse(bytes.substr(0, cut), &header);
    Require(before == status || before == Status::kIncomplete);
    if (status != Status::kComplete) continue;
    Require((before == Status::kComplete) == (cut >= whole.header_bytes));
    if (before == Status::kComplete) RequireSame(header, whole);
  }
  return 0;
}
