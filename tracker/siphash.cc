#include "tracker/siphash.h"

#include <bit>
#include <cstring>

namespace septet::tracker {
namespace {

uint64_t LoadTail(const uint8_t* bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{bytes[i]} << (8 * i);
  return value;
}

// 8 bytes, little-endian: one load on the machines that are so themselves.
uint64_t LoadWord(const uint8_t* bytes) {
  if constexpr (std::endian::native != std::endian::little) return LoadTail(bytes, 8);
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

struct State {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void Compress(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

}  // namespace

uint64_t SipHash24(const SipHashKey& key, absl::Span<const uint8_t> message) {
  const uint64_t k0 = LoadWord(key.data());
  const uint64_t k1 = LoadWord(key.data() + 8);
  State state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
              k1 ^ 0x7465646279746573};
  const uint8_t* at = message.data();
  size_t left = message.size();
  for (; left >= 8; at += 8, left -= 8) state.Compress(LoadWord(at));
  state.Compress(LoadTail(at, left) | uint64_t{message.size()} << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace septet::tracker
