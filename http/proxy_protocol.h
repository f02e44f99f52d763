// The header of the PROXY protocol, versions 1 and 2: what a proxy that understands no
// HTTP sends ahead of the bytes of its client, to say who that is.
//
// Format: "The PROXY protocol, versions 1 & 2" (HAProxy, doc/proxy-protocol.txt).

#ifndef SEPTET_HTTP_PROXY_PROTOCOL_H_
#define SEPTET_HTTP_PROXY_PROTOCOL_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "http/ip_address.h"

namespace septet::http {

// A line of version 1 is at most this long, with its "\r\n".
inline constexpr size_t kProxyLineBytesMax = 107;

// The format would let a header of version 2 have 64 KiB; those in use have less than 1.
inline constexpr size_t kProxyHeaderBytesMax = 16 * 1024;

struct ProxyHeader {
  size_t header_bytes = 0;  // what follows is the client's
  // False: the proxy asks on its own behalf (LOCAL) or does not say for whom (UNKNOWN,
  // AF_UNSPEC, and what is not TCP over IP).
  bool has_source = false;
  IpAddress source;
  uint16_t source_port = 0;
};

enum class ProxyHeaderStatus : uint8_t {
  kComplete,
  kIncomplete,  // no fault so far; call again with more bytes
  kBroken,      // not a header, or longer than is allowed: the connection is to be closed
};

// `bytes` is all that has come of a connection so far, and may hold more than the header.
// The result does not depend on how they were cut: what is broken stays so and what is
// complete stays as it is, whatever follows. Needs at most kProxyHeaderBytesMax.
// Fills *header on kComplete.
//
// The vectors (TLVs) behind the addresses of version 2 are skipped unread, a checksum
// (PP2_TYPE_CRC32C) too: only trusted proxies are listened to, and TCP has one already.
//
// Stateless. Cost: constant, and nothing is allocated.
ProxyHeaderStatus ParseProxyHeader(absl::string_view bytes, ProxyHeader* header);

}  // namespace septet::http

#endif  // SEPTET_HTTP_PROXY_PROTOCOL_H_
