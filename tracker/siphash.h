// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash whose values an outsider
// cannot predict or tell from random ones.

#ifndef SEPTET_TRACKER_SIPHASH_H_
#define SEPTET_TRACKER_SIPHASH_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace septet::tracker {

// 16 secret bytes, in the order of the specification.
using SipHashKey = std::array<uint8_t, 16>;

// About 20 ns for the two dozen bytes it is used on here.
uint64_t SipHash24(const SipHashKey& key, absl::Span<const uint8_t> message);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SIPHASH_H_
