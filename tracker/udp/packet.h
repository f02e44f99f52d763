// The packets of the UDP tracker protocol (BEP 15), read from and written to bytes.
//
// Numbers are big-endian. Nothing is allocated; readers never look past the packet.

#ifndef SEPTET_TRACKER_UDP_PACKET_H_
#define SEPTET_TRACKER_UDP_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tracker/swarm_store.h"

namespace septet::tracker::udp {

enum class Action : uint32_t { kConnect = 0, kAnnounce = 1, kScrape = 2, kError = 3 };

inline constexpr uint64_t kConnectMagic = 0x41727101980;

// Of every request: connection id (or the magic), action, transaction id.
inline constexpr size_t kRequestHeaderBytes = 16;
// An announce without the options of BEP 41 that may follow it.
inline constexpr size_t kAnnounceBytes = 98;
inline constexpr size_t kConnectReplyBytes = 16;
// Action, transaction id, interval, leechers, seeders; the peers follow.
inline constexpr size_t kAnnounceReplyHeaderBytes = 20;
// Action and transaction id, of scrape replies and errors.
inline constexpr size_t kReplyHeaderBytes = 8;
inline constexpr size_t kScrapeEntryBytes = 12;
// As many as fit in 1500 bytes of Ethernet.
inline constexpr size_t kScrapeHashesMax = 74;
// What a reply holds at most: it fits the least MTU of IPv6 (1280) with its headers.
inline constexpr size_t kReplyBytesMax = 1232;

struct RequestHeader {
  uint64_t connection_id = 0;
  uint32_t action = 0;
  uint32_t transaction_id = 0;
};

// The packet has at least kRequestHeaderBytes.
RequestHeader ReadRequestHeader(absl::Span<const uint8_t> packet);

struct Announce {
  InfoHash info_hash{};
  uint64_t left = 0;
  uint32_t event = 0;  // 0 none, 1 completed, 2 started, 3 stopped; 4 paused in the field
  int32_t numwant = -1;
  uint16_t port = 0;
};

// The packet has at least kAnnounceBytes. peer_id, downloaded, uploaded, the address,
// the key and any options (BEP 41) are not used, so they are not read.
Announce ReadAnnounce(absl::Span<const uint8_t> packet);

// How many info-hashes a scrape asks for: whole ones, at most kScrapeHashesMax.
size_t ScrapeHashCount(absl::Span<const uint8_t> packet);
InfoHash ReadScrapeHash(absl::Span<const uint8_t> packet, size_t index);

// Writers return the bytes written; `out` has room for them.
size_t WriteConnectReply(uint32_t transaction_id, uint64_t connection_id, uint8_t* out);

struct AnnounceReplyHeader {
  uint32_t transaction_id = 0;
  uint32_t interval_s = 0;
  uint32_t leechers = 0;
  uint32_t seeders = 0;
};
size_t WriteAnnounceReplyHeader(const AnnounceReplyHeader& header, uint8_t* out);

size_t WriteScrapeReplyHeader(uint32_t transaction_id, uint8_t* out);
size_t WriteScrapeEntry(const SwarmCounts& counts, uint8_t* out);

// The message is cut so that the packet has at most `bytes_max` (>= kReplyHeaderBytes).
size_t WriteError(uint32_t transaction_id, absl::string_view message, size_t bytes_max,
                  uint8_t* out);

}  // namespace septet::tracker::udp

#endif  // SEPTET_TRACKER_UDP_PACKET_H_
