#include "tracker/swarm/region.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>

namespace septet::tracker {
namespace {

// Pages become writable in steps of at least this, or of an eighth of the region, so
// that growth is not one system call a page.
constexpr size_t kProtectStepBytes = 16 * kPageBytes;

constexpr size_t kReservableBytesMin = size_t{1} << 24;

void* ReserveAddresses(size_t bytes) {
  return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

size_t ReservableBytes(size_t regions, size_t bytes_max) {
  for (size_t bytes = bytes_max; bytes >= kReservableBytesMin; bytes /= 2) {
    void* const address = ReserveAddresses(regions * bytes);
    if (address == MAP_FAILED) continue;
    munmap(address, regions * bytes);
    return bytes;
  }
  return 0;
}

Reservation::~Reservation() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

bool Reservation::Reserve(size_t regions, size_t region_bytes) {
  const size_t bytes = regions * region_bytes;
  void* const address = ReserveAddresses(bytes);
  if (address == MAP_FAILED) return false;
  // A huge page would make memory resident that nobody asked for, and counted nowhere.
  madvise(address, bytes, MADV_NOHUGEPAGE);
  data_ = static_cast<char*>(address);
  bytes_ = bytes;
  region_bytes_ = region_bytes;
  return true;
}

char* Reservation::Take() {
  assert(taken_ + region_bytes_ <= bytes_);
  char* const region = data_ + taken_;
  taken_ += region_bytes_;
  return region;
}

Region::~Region() {
  if (data_ != nullptr) budget_->Return(bytes());
}

void Region::Init(Reservation* reservation, MemoryBudget* budget) {
  data_ = reservation->Take();
  reserved_ = reservation->region_bytes();
  budget_ = budget;
}

bool Region::Protect(size_t end) {
  if (end <= writable_) return true;
  const size_t step = std::max(kProtectStepBytes, RoundUpToPage(writable_ / 8));
  const size_t target = std::min(reserved_, std::max(end, writable_ + step));
  if (mprotect(data_ + writable_, target - writable_, PROT_READ | PROT_WRITE) != 0) return false;
  writable_ = target;
  return true;
}

bool Region::Extend(size_t end, Purpose purpose) {
  if (end <= end_) return true;
  if (end > reserved_) return false;
  const size_t target = RoundUpToPage(end);
  if (!budget_->TryTake(target - end_, purpose)) return false;
  if (!Protect(target)) {
    budget_->Return(target - end_);
    return false;
  }
  end_ = target;
  return true;
}

void Region::TruncateTo(size_t end) {
  const size_t target = std::max(begin_, RoundUpToPage(end));
  if (target >= end_) return;
  madvise(data_ + target, end_ - target, MADV_DONTNEED);
  budget_->Return(end_ - target);
  end_ = target;
}

void Region::DropBefore(size_t begin) {
  const size_t target = std::min(end_, begin / kPageBytes * kPageBytes);
  if (target <= begin_) return;
  madvise(data_ + begin_, target - begin_, MADV_DONTNEED);
  budget_->Return(target - begin_);
  begin_ = target;
}

void Region::Clear() {
  if (end_ > begin_) madvise(data_ + begin_, end_ - begin_, MADV_DONTNEED);
  budget_->Return(bytes());
  begin_ = 0;
  end_ = 0;
}

}  // namespace septet::tracker
