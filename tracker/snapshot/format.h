// The form of a snapshot: the torrents and peers of a swarm store as a file.
//
//   header   72 bytes:
//     magic           8 bytes "SeptetSt"
//     version         u32     1
//     reserved        u32     0
//     wall_ms         u64     when the export began, milliseconds since 1970
//     boot_ms         u64     the same, since the machine was started
//     boot_id         16 bytes, which start that was
//     tick_us         u64     length of a tick of the store
//     newest_us       i64     age of a peer of 0 ticks (SwarmAges)
//     checksum        u64
//   block    any number of them:
//     kind            u32     1
//     bytes           u32     of the payload, 1 to kPayloadBytesMax
//     payload                 torrents, whole
//     checksum        u64
//   end      40 bytes: a block of kind 2 with 24 bytes of payload:
//     torrents        u64     in all blocks, as parts of torrents
//     ipv4_peers      u64
//     ipv6_peers      u64
//
// Then the file ends. Numbers are little-endian. A torrent, or a part of one that does not fit
// its block, is:
//
//     info_hash       20 bytes
//     downloaded      varint, up to 2^30 - 1
//     ipv4_peers      varint
//     ipv6_peers      varint
//     ticks_empty     varint, up to 2^31 - 1; only if there are no peers
//     ipv4 peers      7 bytes each: address, port, state
//     ipv6 peers      19 bytes each
//
// A varint has seven bits a byte, the lowest first, and the eighth says that another follows; its
// last byte is 0 only if it is the only one. A state is that of SwarmBatch: bits 0-1 what the
// peer is, bits 2-7 its age in ticks when the export began. No port is 0, no IPv6 address is an
// IPv4-mapped one. So each content has one form.
//
// A checksum is SipHash-2-4 of the header before it, or of the payload, under a key of 16 bytes:
// the checksum before it (0 for the header's) and the kind and bytes of the block (0 for the
// header's). Since each depends on all before it, no block can be changed, lost, doubled, moved
// or come from another file. It finds accidents; whoever can write the file can forge it.

#ifndef SEPTET_TRACKER_SNAPSHOT_FORMAT_H_
#define SEPTET_TRACKER_SNAPSHOT_FORMAT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "tracker/siphash.h"

namespace septet::tracker {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

inline constexpr char kSnapshotMagic[8] = {'S', 'e', 'p', 't', 'e', 't', 'S', 't'};
inline constexpr uint32_t kSnapshotVersion = 1;

inline constexpr size_t kSnapshotHeaderBytes = 72;
inline constexpr size_t kBlockHeadBytes = 8;
inline constexpr size_t kChecksumBytes = 8;
inline constexpr size_t kPayloadBytesMax = 64 * 1024;
inline constexpr size_t kEndPayloadBytes = 24;

enum class BlockKind : uint32_t { kTorrents = 1, kEnd = 2 };

// The longest torrent without its peers: four varints of up to 5 bytes.
inline constexpr size_t kTorrentHeadBytesMax = 20 + 4 * 5;

inline constexpr uint32_t kDownloadedMax = (uint32_t{1} << 30) - 1;
inline constexpr uint32_t kTicksEmptyMax = INT32_MAX;
// A tick is a 48th of a timeout of at most a week.
inline constexpr int64_t kTickUsMax = int64_t{7} * 24 * 60 * 60 * 1'000'000 / 48 + 1;
// About 140,000 years: keeps sums far from overflow.
inline constexpr int64_t kTimeMsMax = int64_t{1} << 52;

struct BlockHead {
  BlockKind kind;
  uint32_t bytes;
};
static_assert(sizeof(BlockHead) == kBlockHeadBytes);

inline uint64_t BlockChecksum(uint64_t before, BlockHead head, absl::Span<const uint8_t> payload) {
  SipHashKey key;
  std::memcpy(key.data(), &before, sizeof(before));
  std::memcpy(key.data() + sizeof(before), &head, sizeof(head));
  return SipHash24(key, payload);
}

inline uint64_t HeaderChecksum(absl::Span<const uint8_t> header_before_it) {
  return SipHash24(SipHashKey{}, header_before_it);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SNAPSHOT_FORMAT_H_
