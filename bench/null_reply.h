// What a server says that knows nothing: replies of the size and form of real ones, the
// same each time.

#ifndef SEPTET_BENCH_NULL_REPLY_H_
#define SEPTET_BENCH_NULL_REPLY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace septet::bench {

inline constexpr uint32_t kNullPeersMax = 200;

// UDP (BEP 15): the room that a reply takes.
inline constexpr size_t kNullUdpReplyBytesMax = 20 + 6 * kNullPeersMax;

// Writes an announce reply that tells of `peers` (at most kNullPeersMax). Only bytes
// 4 to 7, the transaction id, have to be put in for each request. Each returns its
// length.
size_t WriteNullAnnounceReply(uint32_t peers, uint8_t* out);
size_t WriteNullScrapeReply(uint8_t* out);
size_t WriteNullConnectReply(uint8_t* out);

// HTTP: whole responses, with the fields and the length of those of Septet.
std::string NullHttpAnnounceResponse(uint32_t peers, bool keep_alive);
std::string NullHttpScrapeResponse(bool keep_alive);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_NULL_REPLY_H_
