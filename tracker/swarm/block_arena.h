// The blocks of one shard, and what each size of block is for.

#ifndef SEPTET_TRACKER_SWARM_BLOCK_ARENA_H_
#define SEPTET_TRACKER_SWARM_BLOCK_ARENA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracker/endpoint.h"
#include "tracker/swarm/block_array.h"

namespace septet::tracker {

// Every block begins with the 32-bit hash of its torrent, by which its owner is found
// when the block has to move.
inline constexpr size_t kBlockHashBytes = 4;

// A leaf holds peers of one family: this header, the peers in compact form, seeders
// first, and a PeerState for each in the same order (see peer_leaf.h).
inline constexpr size_t kLeafHeaderBytes = kBlockHashBytes + 2;

// How many peers a leaf of each class has room for. Fine steps where a step is a large
// part of the block, coarse ones where it is not and each further class would cost a
// partly filled page.
inline constexpr auto kIpv4LeafCapacities = std::to_array<uint8_t>(
    {1,   2,   3,   4,   5,   6,   7,   8,   10,  12,  14,  16,  20,  24,  28,  32,
     36,  40,  44,  48,  52,  56,  60,  64,  68,  72,  76,  80,  84,  88,  92,  96,
     100, 104, 108, 112, 116, 120, 124, 128, 136, 144, 152, 160, 168, 176, 184, 192});
inline constexpr auto kIpv6LeafCapacities = std::to_array<uint8_t>(
    {1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28,  30,
     32, 34, 36, 38, 40, 42, 44, 46, 48, 52, 56, 60, 64, 72, 80, 88, 96, 104, 112});

// The classes of blocks, in this order: leaves of IPv4, leaves of IPv6, then
enum : uint8_t {
  kIpv4LeafClass = 0,
  kIpv6LeafClass = kIpv4LeafCapacities.size(),
  kLargeIpv4Class = kIpv6LeafClass + kIpv6LeafCapacities.size(),  // see large_swarm.h
  kLargeIpv6Class,
  kTwoFamiliesClass,  // see two_families.h
  kBlockClasses,
};

// Where a block lies. A value.
struct BlockRef {
  uint8_t block_class = kBlockClasses;  // kBlockClasses: none
  uint32_t index = 0;

  static constexpr size_t kBytes = 5;
  bool none() const { return block_class == kBlockClasses; }
  bool is_ipv4_leaf() const { return block_class < kIpv6LeafClass; }
  bool is_leaf() const { return block_class < kLargeIpv4Class; }
  // False for none.
  bool is_ipv4() const { return is_ipv4_leaf() || block_class == kLargeIpv4Class; }

  static BlockRef Load(const uint8_t* bytes) {
    BlockRef ref;
    ref.block_class = bytes[0];
    std::memcpy(&ref.index, bytes + 1, sizeof(ref.index));
    return ref;
  }
  void Store(uint8_t* bytes) const {
    bytes[0] = block_class;
    std::memcpy(bytes + 1, &index, sizeof(index));
  }
  friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

// Is told that a block moved: `to` holds what lay at `from` before.
class BlockMover {
 public:
  virtual void BlockMoved(BlockRef from, BlockRef to) = 0;

 protected:
  ~BlockMover() = default;
};

// Not thread-safe.
class BlockArena {
 public:
  // Takes a region of the reservation for each class. All three must outlive the arena.
  void Init(Reservation* reservation, MemoryBudget* budget, BlockMover* mover);

  char* block(BlockRef ref) const { return arrays_[ref.block_class].block(ref.index); }

  // Takes a block, whose content is unspecified but for the hash. `none()` when there
  // is no memory.
  BlockRef Allocate(uint8_t block_class, uint32_t hash, Purpose purpose);

  // Gives a block back. Nothing may refer to it any more, and something must refer to
  // every other block: one of them may move, and the BlockMover is told.
  void Free(BlockRef ref);

  // The same for two blocks that nothing refers to.
  void Free(BlockRef a, BlockRef b);

  // Gives back what classes without blocks still hold. Call it now and then.
  void ReleaseEmpty() {
    for (BlockArray& array : arrays_) array.ReleaseIfEmpty();
  }

  size_t bytes() const;         // taken from the system
  size_t bytes_in_use() const;  // of them, blocks

  static size_t BlockBytes(uint8_t block_class);

 private:
  std::array<BlockArray, kBlockClasses> arrays_;
  BlockMover* mover_ = nullptr;
};

inline uint32_t BlockHash(const char* block) {
  uint32_t hash;
  std::memcpy(&hash, block, sizeof(hash));
  return hash;
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_BLOCK_ARENA_H_
