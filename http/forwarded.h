// For whom a proxy forwards a request: the header fields X-Forwarded-For (a convention
// of proxies, never standardized) and Forwarded (RFC 7239).
//
// Each proxy adds the address that it was connected from at the right end. So the list is
// true from the right as far as the proxies are trusted, and anything may stand on its
// left: a client can send such a field itself. It is read from the right for that
// reason, and what is on the left of a hop cannot change how the hop is read.

#ifndef SEPTET_HTTP_FORWARDED_H_
#define SEPTET_HTTP_FORWARDED_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "http/ip_address.h"
#include "http/request_head.h"

namespace septet::http {

enum class ForwardedField : uint8_t { kXForwardedFor, kForwarded };

enum class ForwardedHop : uint8_t {
  kEnd,      // there are no more
  kUnknown,  // "unknown", an obfuscated identifier, an element without "for", or a broken one
  kAddress,
};

// The hops that a request's fields of one name list, from the last to the first. Several
// lines of the field are one list, in their order. Empty elements are skipped.
//
// An address may have a port, which is not reported; IPv6 may have brackets. RFC 7239
// demands quotes and brackets for some of that, of which this is lenient, as its readers
// and writers are.
//
// Not thread-safe. It refers to the head and its bytes. All hops together cost one look
// at each byte, and nothing is allocated.
class ForwardedHops {
 public:
  ForwardedHops(const RequestHead& head, ForwardedField field);

  // The next hop. Fills *address on kAddress.
  ForwardedHop Next(IpAddress* address);

 private:
  absl::string_view NextElement();

  const RequestHead& head_;
  const ForwardedField field_;
  size_t lines_left_;       // fields of the head that were not looked at yet
  absl::string_view line_;  // what is left of the one that is being read
};

}  // namespace septet::http

#endif  // SEPTET_HTTP_FORWARDED_H_
