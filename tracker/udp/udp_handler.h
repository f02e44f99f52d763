// The tracker over UDP (BEP 15), without a socket: a packet in, a packet out.

#ifndef SEPTET_TRACKER_UDP_UDP_HANDLER_H_
#define SEPTET_TRACKER_UDP_UDP_HANDLER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/siphash.h"
#include "tracker/token_bucket.h"
#include "tracker/udp/connection_id.h"
#include "tracker/udp/packet.h"

namespace septet::tracker {

struct UdpOptions {
  // Secret; see ConnectionIds.
  SipHashKey connection_id_key{};
  int64_t connection_id_validity_ms = 2 * 60 * 1000;
};

struct UdpTimes {
  int64_t now_ms = 0;   // monotonic, for the swarms
  int64_t wall_ms = 0;  // since 1970, for connection ids
};

// The room that a reply needs.
inline constexpr size_t kUdpReplyBytesMax = udp::kReplyBytesMax;

// Thread-safe: it has no state but what the service has. Nothing is allocated, and
// nothing is stored, before a packet has shown a valid connection id; until then a
// reply is never longer than the request.
class UdpHandler {
 public:
  // `service` must outlive the handler.
  UdpHandler(const UdpOptions& options, Service* service);

  // Answers one packet. Returns the length of the reply in `out`, which has room for
  // kUdpReplyBytesMax, or 0: none is due (too short, unknown action, wrong magic).
  //
  // An announce of fewer than 98 bytes and a scrape without a whole info-hash get an
  // error, as does a connection id that is wrong or too old. A scrape of more than 74
  // info-hashes is answered for the first 74.
  //
  // `errors`, if given, limits how often a connection id that is not valid is answered:
  // the source of such a packet may be forged, and the answer then goes to somebody who
  // asked for nothing. Errors to who has shown a valid id are not limited.
  size_t Handle(absl::Span<const uint8_t> packet, const Endpoint& source, const UdpTimes& times,
                Random& random, absl::Span<uint8_t> out, TokenBucket* errors = nullptr);

  // Starts loading what Handle will read of the torrent. For a batch of packets: call it
  // for all of them, then Handle each.
  void Prefetch(absl::Span<const uint8_t> packet) const;

 private:
  size_t Announce(absl::Span<const uint8_t> packet, const Endpoint& source, uint32_t transaction_id,
                  int64_t now_ms, Random& random, absl::Span<uint8_t> out);
  size_t Scrape(absl::Span<const uint8_t> packet, uint32_t transaction_id,
                absl::Span<uint8_t> out) const;

  const ConnectionIds connection_ids_;
  Service* const service_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_UDP_UDP_HANDLER_H_
