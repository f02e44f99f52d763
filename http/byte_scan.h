// Finding the few bytes that mean something to a parser among many that do not, 16 at
// a time where the machine can.

#ifndef SEPTET_HTTP_BYTE_SCAN_H_
#define SEPTET_HTTP_BYTE_SCAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace septet::http {

#if defined(__SSE2__)

// 16 bytes; the result of a comparison has bit i set where byte i is meant.
class Bytes16 {
 public:
  static constexpr size_t kSize = 16;
  explicit Bytes16(const char* at)
      : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}
  uint32_t Equal(char byte) const { return Mask(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(byte))); }
  uint32_t AtMost(char byte) const {
    return Mask(_mm_cmpeq_epi8(_mm_min_epu8(bytes_, _mm_set1_epi8(byte)), bytes_));
  }

 private:
  static uint32_t Mask(__m128i equal) { return static_cast<uint32_t>(_mm_movemask_epi8(equal)); }
  __m128i bytes_;
};

#else

class Bytes16 {
 public:
  static constexpr size_t kSize = 16;
  explicit Bytes16(const char* at) : at_(at) {}
  uint32_t Equal(char byte) const {
    return Mask([byte](char c) { return c == byte; });
  }
  uint32_t AtMost(char byte) const {
    return Mask([byte](char c) { return static_cast<uint8_t>(c) <= static_cast<uint8_t>(byte); });
  }

 private:
  template <typename Meant>
  uint32_t Mask(Meant meant) const {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < kSize; ++i) mask |= static_cast<uint32_t>(meant(at_[i])) << i;
    return mask;
  }
  const char* at_;
};

#endif

// The first byte from `at` on that is meant, or `end`. `mask` says it of a Bytes16, `is`
// of one byte.
template <typename Mask, typename Is>
const char* FindFirst(const char* at, const char* end, Mask mask, Is is) {
  for (; static_cast<size_t>(end - at) >= Bytes16::kSize; at += Bytes16::kSize) {
    const uint32_t found = mask(Bytes16(at));
    if (found != 0) return at + std::countr_zero(found);
  }
  while (at < end && !is(*at)) ++at;
  return at;
}

}  // namespace septet::http

#endif  // SEPTET_HTTP_BYTE_SCAN_H_
