#include "tracker/swarm/block_arena.h"

#include <utility>

#include "tracker/swarm/large_swarm.h"
#include "tracker/swarm/two_families.h"

namespace septet::tracker {

size_t BlockArena::BlockBytes(uint8_t block_class) {
  if (block_class < kIpv6LeafClass) {
    return kLeafHeaderBytes + kIpv4LeafCapacities[block_class] * (kCompactIpv4Bytes + 1);
  }
  if (block_class < kLargeIpv4Class) {
    return kLeafHeaderBytes +
           kIpv6LeafCapacities[block_class - kIpv6LeafClass] * (kCompactIpv6Bytes + 1);
  }
  return block_class == kTwoFamiliesClass ? sizeof(TwoFamilies) : sizeof(LargeSwarm);
}

void BlockArena::Init(Reservation* reservation, MemoryBudget* budget, BlockMover* mover) {
  mover_ = mover;
  for (uint8_t c = 0; c < kBlockClasses; ++c) arrays_[c].Init(BlockBytes(c), reservation, budget);
}

BlockRef BlockArena::Allocate(uint8_t block_class, uint32_t hash, Purpose purpose) {
  BlockArray& array = arrays_[block_class];
  if (!array.Add(purpose)) return BlockRef{};
  const BlockRef ref{block_class, array.size() - 1};
  std::memcpy(block(ref), &hash, sizeof(hash));
  return ref;
}

void BlockArena::Free(BlockRef ref) {
  BlockArray& array = arrays_[ref.block_class];
  array.Remove(ref.index);
  if (ref.index != array.size()) mover_->BlockMoved({ref.block_class, array.size()}, ref);
}

void BlockArena::Free(BlockRef a, BlockRef b) {
  // The one further on first: it cannot then be a block without an owner that moves.
  if (a.index < b.index) std::swap(a, b);
  Free(a);
  Free(b);
}

size_t BlockArena::bytes() const {
  size_t sum = 0;
  for (const BlockArray& array : arrays_) sum += array.bytes();
  return sum;
}

size_t BlockArena::bytes_in_use() const {
  size_t sum = 0;
  for (const BlockArray& array : arrays_) sum += array.size() * array.block_bytes();
  return sum;
}

}  // namespace septet::tracker
