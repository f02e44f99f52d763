#include "tracker/swarm/keyed_hash.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kKeys = 5'000;
constexpr uint32_t kInputs = 1024;
constexpr uint32_t kPlaces = 64;

// The mean of a place is 16. That one of all places of a test ever holds 80 has, by Chernoff's
// bound, a probability below 5'000 * 64 * e^-65 for a hash that is random.
constexpr uint32_t kFullestMax = 80;

struct Fullest {
  uint32_t by_low_bits = 0;
  uint32_t by_bits_32 = 0;     // as shards are chosen
  uint32_t by_lower_half = 0;  // as homes of a torrent table are chosen
};

// Over many secret keys: how full the fullest place becomes with the inputs.
Fullest FullestPlace(const std::function<uint64_t(const KeyedHash&, uint32_t)>& hash_of) {
  Fullest fullest;
  Random random(1);
  for (uint32_t i = 0; i < kKeys; ++i) {
    const KeyedHash hash({random.Next(), random.Next()});
    std::array<uint32_t, kPlaces> low{};
    std::array<uint32_t, kPlaces> bits_32{};
    std::array<uint32_t, kPlaces> lower_half{};
    for (uint32_t input = 0; input < kInputs; ++input) {
      const uint64_t h = hash_of(hash, input);
      ++low[h % kPlaces];
      ++bits_32[(h >> 32) % kPlaces];
      ++lower_half[(h & UINT32_MAX) * kPlaces >> 32];
    }
    fullest.by_low_bits = std::max(fullest.by_low_bits, *std::ranges::max_element(low));
    fullest.by_bits_32 = std::max(fullest.by_bits_32, *std::ranges::max_element(bits_32));
    fullest.by_lower_half = std::max(fullest.by_lower_half, *std::ranges::max_element(lower_half));
  }
  return fullest;
}

void ExpectSpread(const Fullest& fullest) {
  EXPECT_LT(fullest.by_low_bits, kFullestMax);
  EXPECT_LT(fullest.by_bits_32, kFullestMax);
  EXPECT_LT(fullest.by_lower_half, kFullestMax);
}

// Big-endian, as numbers in addresses are.
template <size_t kBytes>
void PutNumber(uint32_t number, std::array<uint8_t, kBytes>* bytes, size_t last) {
  for (size_t i = 0; i < 4 && i <= last; ++i) (*bytes)[last - i] = number >> (8 * i) & 0xff;
}

// A network full of peers, as those of one provider or one test are.
TEST(KeyedHash, SequentialIpv4AddressesAreSpread) {
  ExpectSpread(FullestPlace([](const KeyedHash& hash, uint32_t input) {
    std::array<uint8_t, 6> key = {10, 0, 0, 0, 0x1a, 0xe1};
    PutNumber(0x0a000000 + input, &key, 3);
    return hash.OfIpv4Peer(key.data());
  }));
}

TEST(KeyedHash, SequentialIpv6AddressesAreSpread) {
  ExpectSpread(FullestPlace([](const KeyedHash& hash, uint32_t input) {
    std::array<uint8_t, 18> key = {0x20, 0x01, 0x0d, 0xb8};
    PutNumber(input, &key, 15);
    return hash.OfIpv6Peer(key.data());
  }));
}

TEST(KeyedHash, SequentialPortsAreSpread) {
  ExpectSpread(FullestPlace([](const KeyedHash& hash, uint32_t input) {
    const std::array<uint8_t, 6> key = {
        192, 0, 2, 1, static_cast<uint8_t>(input >> 8), static_cast<uint8_t>(input)};
    return hash.OfIpv4Peer(key.data());
  }));
}

// Not what torrents have, but what somebody may make up.
TEST(KeyedHash, SequentialInfoHashesAreSpread) {
  for (const size_t last : {3, 7, 11, 19}) {
    SCOPED_TRACE(last);
    ExpectSpread(FullestPlace([last](const KeyedHash& hash, uint32_t input) {
      InfoHash info_hash{};
      PutNumber(input, &info_hash, last);
      return hash.OfInfoHash(info_hash);
    }));
  }
}

TEST(KeyedHash, ItIsAnotherOneWithAnotherKey) {
  const InfoHash info_hash{1, 2, 3};
  EXPECT_NE(KeyedHash({1, 2}).OfInfoHash(info_hash), KeyedHash({1, 3}).OfInfoHash(info_hash));
  EXPECT_NE(KeyedHash({1, 2}).OfInfoHash(info_hash), KeyedHash({2, 2}).OfInfoHash(info_hash));
  EXPECT_EQ(KeyedHash({1, 2}).OfInfoHash(info_hash), KeyedHash({1, 2}).OfInfoHash(info_hash));
}

}  // namespace
}  // namespace septet::tracker
