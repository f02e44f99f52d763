// Random numbers for choices that need to be fair and fast, not secret: which
// peers a reply holds, the spread of intervals. One for each thread.

#ifndef SEPTET_TRACKER_RANDOM_H_
#define SEPTET_TRACKER_RANDOM_H_

#include <cstdint>

namespace septet::tracker {

__extension__ typedef unsigned __int128 uint128;

// wyrand: a 64-bit counter put through one wide multiplication. Passes BigCrush and
// PractRand; 8 bytes of state, about 1 ns a number. The same seed gives the same
// numbers, which is what lets a simulated run be replayed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0xa0761d6478bd642f;
    const auto product = static_cast<uint128>(state_) * (state_ ^ uint64_t{0xe7037ed1a0b428db});
    return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
  }

  // Uniform in [0, bound); bound > 0. The bias of the multiplication is below
  // bound / 2^64, which no test of this century sees.
  uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>((static_cast<uint128>(Next()) * bound) >> 64);
  }

 private:
  uint64_t state_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_RANDOM_H_
