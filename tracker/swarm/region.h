// Ranges of addresses that are reserved at once and backed by memory page by page.

#ifndef SEPTET_TRACKER_SWARM_REGION_H_
#define SEPTET_TRACKER_SWARM_REGION_H_

#include <cstddef>
#include <cstdint>

#include "tracker/swarm/memory_budget.h"

namespace septet::tracker {

// The unit in which memory is taken and given back.
inline constexpr size_t kPageBytes = 4096;

// Readers of a region may load up to this many bytes past what they use, as vector
// instructions do: they are there, with any content.
inline constexpr size_t kOverreadBytes = 64;

constexpr size_t RoundUpToPage(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// How many bytes each of `regions` regions can reserve: `bytes_max` (a power of two), or
// less where addresses are scarce, as under a limit of address space, valgrind or thread
// sanitizer; at least 16 MiB, or 0 if the system has not even those.
size_t ReservableBytes(size_t regions, size_t bytes_max);

// Addresses for several regions, reserved by one system call: one for each region would
// be most of the cost of a small store. Not thread-safe.
class Reservation {
 public:
  Reservation() = default;
  // Its regions, which are gone with it, must be in nobody's use.
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // For `regions` regions of `region_bytes` (a multiple of kPageBytes) each. False if
  // the system refuses.
  bool Reserve(size_t regions, size_t region_bytes);

  // The addresses of the next region; at most as many as were reserved.
  char* Take();
  size_t region_bytes() const { return region_bytes_; }

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0;
  size_t taken_ = 0;  // bytes of the regions that have theirs
  size_t region_bytes_ = 0;
};

// Reserved addresses cost no memory: pages are made readable and writable, and are
// counted against the budget, only when Extend reaches them. So an array in a region
// grows in place, by a page at a time, without a copy, and gives its tail (or its
// front) back to the operating system.
//
// Bytes that were never written, or were given back, read as zero. Not thread-safe.
class Region {
 public:
  Region() = default;
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Takes its addresses from `reservation`, which must outlive it, as `budget` must.
  void Init(Reservation* reservation, MemoryBudget* budget);

  char* data() const { return data_; }

  // Makes [begin(), end) usable; never makes it smaller. False, with nothing changed,
  // if the budget, the reservation or the system does not allow it.
  bool Extend(size_t end, Purpose purpose);

  // Gives back whole pages at or after `end`, if it is less than the end so far.
  void TruncateTo(size_t end);

  // Gives back whole pages before `begin`.
  void DropBefore(size_t begin);

  // Gives everything back: the region is as it was after Init.
  void Clear();

  // Bytes taken from the system now.
  size_t bytes() const { return end_ - begin_; }
  size_t end() const { return end_; }

 private:
  bool Protect(size_t end);

  char* data_ = nullptr;
  size_t reserved_ = 0;
  size_t begin_ = 0;     // pages before it were given back
  size_t end_ = 0;       // pages before it (and from begin_ on) count as taken
  size_t writable_ = 0;  // pages before it are readable and writable
  MemoryBudget* budget_ = nullptr;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_REGION_H_
