// Blocks of one size, packed without holes.

#ifndef SEPTET_TRACKER_SWARM_BLOCK_ARRAY_H_
#define SEPTET_TRACKER_SWARM_BLOCK_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracker/swarm/region.h"

namespace septet::tracker {

// Block i lies at i * block_bytes. A removed block's place is taken by the last one, so
// that size() blocks never take more than size() * block_bytes, rounded up to a page,
// plus one page, whatever was added and removed before. That is what bounds the bytes
// of the store: there is no fragmentation to bound. Not thread-safe.
class BlockArray {
 public:
  // Takes a region of the reservation, which must outlive it, as the budget must.
  void Init(size_t block_bytes, Reservation* reservation, MemoryBudget* budget) {
    block_bytes_ = block_bytes;
    budget_ = budget;
    region_.Init(reservation, budget);
  }

  uint32_t size() const { return size_; }
  size_t block_bytes() const { return block_bytes_; }
  size_t bytes() const { return region_.bytes(); }
  char* block(uint32_t index) const { return region_.data() + size_t{index} * block_bytes_; }

  // Adds a block with unspecified content; its index is size() - 1. False, with nothing
  // changed, when there is no memory for it.
  bool Add(Purpose purpose) {
    if (size_ == UINT32_MAX ||
        !region_.Extend((size_t{size_} + 1) * block_bytes_ + kOverreadBytes, purpose)) {
      return false;
    }
    ++size_;
    return true;
  }

  // Removes block `index`. If it was not the last, the last one lies there now.
  void Remove(uint32_t index) {
    --size_;
    if (index != size_) std::memcpy(block(index), block(size_), block_bytes_);
    const size_t used = size_ == 0 ? 0 : size_t{size_} * block_bytes_ + kOverreadBytes;
    // One page is kept, so that an array whose end moves to and fro over the start of a
    // page does not ask the system each time; not by an array that became empty, unless
    // it does so again and again: see ReleaseIfEmpty.
    const bool gives_all = size_ == 0 && empties_ < kEmptiesMax;
    if (gives_all) ++empties_;
    const size_t kept = gives_all || budget_->tight() ? 0 : kPageBytes;
    if (region_.end() > RoundUpToPage(used) + kept) region_.TruncateTo(used);
  }

  // Gives the last page of an empty array back. Call it now and then.
  void ReleaseIfEmpty() {
    empties_ = 0;
    if (size_ == 0) region_.TruncateTo(0);
  }

 private:
  static constexpr uint8_t kEmptiesMax = 8;

  Region region_;
  size_t block_bytes_ = 0;
  uint32_t size_ = 0;
  uint8_t empties_ = 0;  // times it became empty since ReleaseIfEmpty, up to kEmptiesMax
  MemoryBudget* budget_ = nullptr;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_BLOCK_ARRAY_H_
