// Finding a peer among others that lie one after the other in compact form.

#ifndef SEPTET_TRACKER_SWARM_FIND_KEY_H_
#define SEPTET_TRACKER_SWARM_FIND_KEY_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracker/endpoint.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace septet::tracker {

inline constexpr uint32_t kKeyNotFound = UINT32_MAX;

inline uint32_t FindIpv6Key(const uint8_t* keys, uint32_t count, const uint8_t* key) {
  // The interface identifier is what differs most between peers.
  const auto telling = [](const uint8_t* bytes) {
    uint64_t value;
    std::memcpy(&value, bytes + 8, sizeof(value));
    return value;
  };
  const uint64_t wanted = telling(key);
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* const candidate = keys + i * kCompactIpv6Bytes;
    if (telling(candidate) == wanted && std::memcmp(candidate, key, kCompactIpv6Bytes) == 0) {
      return i;
    }
  }
  return kKeyNotFound;
}

#if defined(__SSE2__)

// Eight keys at a time: they are 24 words of 16 bits in three vectors, which are
// compared with the wanted key's three words over and over. Reads up to 42 bytes past
// the last key (kOverreadBytes).
inline uint32_t FindIpv4Key(const uint8_t* keys, uint32_t count, const uint8_t* key) {
  constexpr uint32_t kStep = 8;
  int16_t word[3];
  std::memcpy(word, key, sizeof(word));
  const int16_t a = word[0];
  const int16_t b = word[1];
  const int16_t c = word[2];
  const __m128i first = _mm_setr_epi16(a, b, c, a, b, c, a, b);
  const __m128i second = _mm_setr_epi16(c, a, b, c, a, b, c, a);
  const __m128i third = _mm_setr_epi16(b, c, a, b, c, a, b, c);
  for (uint32_t i = 0; i < count; i += kStep) {
    const auto* const at = reinterpret_cast<const __m128i*>(keys + i * kCompactIpv4Bytes);
    const __m128i x = _mm_cmpeq_epi16(_mm_loadu_si128(at), first);
    const __m128i y = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), second);
    const __m128i z = _mm_cmpeq_epi16(_mm_loadu_si128(at + 2), third);
    const auto low = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(x, y)));
    const auto high = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(z, z)) & 0xff);
    const uint32_t words = low | high << 16;
    const uint32_t equal = words & words >> 1 & words >> 2 & 0x249249;  // each third bit
    if (equal != 0) {
      const uint32_t found = i + static_cast<uint32_t>(std::countr_zero(equal)) / 3;
      return found < count ? found : kKeyNotFound;
    }
  }
  return kKeyNotFound;
}

#else

inline uint32_t FindIpv4Key(const uint8_t* keys, uint32_t count, const uint8_t* key) {
  for (uint32_t i = 0; i < count; ++i) {
    if (std::memcmp(keys + i * kCompactIpv4Bytes, key, kCompactIpv4Bytes) == 0) return i;
  }
  return kKeyNotFound;
}

#endif

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_FIND_KEY_H_
