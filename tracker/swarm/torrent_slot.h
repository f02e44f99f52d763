// What the store keeps of a torrent, in 32 bytes: half a cache line.

#ifndef SEPTET_TRACKER_SWARM_TORRENT_SLOT_H_
#define SEPTET_TRACKER_SWARM_TORRENT_SLOT_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tracker/swarm/block_arena.h"
#include "tracker/swarm/peer_state.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Most torrents have one peer or none, and lie in their slot whole. The peers of others
// lie in blocks (see block_arena.h).
enum class SlotKind : uint8_t {
  kNoPeers = 0,      // kept for its `downloaded`; the body holds the tick it became empty
  kOnePeer = 1,      // the body is one IPv4 peer: 6 bytes of address and port, its state
  kOneFamily = 2,    // the body is the BlockRef of the peers of one family
  kTwoFamilies = 3,  // the body is the BlockRef of a TwoFamilies block
};

inline bool SameInfoHash(const InfoHash& a, const InfoHash& b) {
  // In line: the compiler calls memcmp for ==.
  uint64_t a_words[3] = {};
  uint64_t b_words[3] = {};
  std::memcpy(a_words, a.data(), a.size());
  std::memcpy(b_words, b.data(), b.size());
  return ((a_words[0] ^ b_words[0]) | (a_words[1] ^ b_words[1]) | (a_words[2] ^ b_words[2])) == 0;
}

// A zeroed slot is an empty place of the table.
struct TorrentSlot {
  InfoHash info_hash;
  uint32_t kind_and_downloaded;  // 2 bits, 30 bits
  uint8_t distance;              // 1 + places from its home; 0: empty (TorrentTable's)
  uint8_t body[7];

  SlotKind kind() const { return static_cast<SlotKind>(kind_and_downloaded & 3); }
  void set_kind(SlotKind kind) {
    kind_and_downloaded = (kind_and_downloaded & ~uint32_t{3}) | static_cast<uint32_t>(kind);
  }
  uint32_t downloaded() const { return kind_and_downloaded >> 2; }
  static constexpr uint32_t kDownloadedMax = (uint32_t{1} << 30) - 1;
  void count_download() {
    if (downloaded() < kDownloadedMax) kind_and_downloaded += 4;
  }
  void set_downloaded(uint32_t downloaded) {
    kind_and_downloaded = (kind_and_downloaded & 3) | std::min(downloaded, kDownloadedMax) << 2;
  }

  BlockRef block() const { return BlockRef::Load(body); }
  void set_block(BlockRef ref) { ref.Store(body); }

  // Of kNoPeers. Exact for 2^32 ticks.
  uint32_t TicksEmpty(Tick now) const {
    uint32_t since;
    std::memcpy(&since, body, sizeof(since));
    return static_cast<uint32_t>(now) - since;
  }
  void set_empty_since(Tick tick) {
    const auto since = static_cast<uint32_t>(tick);
    std::memcpy(body, &since, sizeof(since));
  }
};
static_assert(sizeof(TorrentSlot) == 32);

// Slots with the same home have the same one; see TorrentTable.
inline uintptr_t HomeOf(const TorrentSlot* slot) {
  return reinterpret_cast<uintptr_t>(slot) - slot->distance * sizeof(TorrentSlot);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_TORRENT_SLOT_H_
