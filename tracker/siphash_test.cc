#include "tracker/siphash.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

// The vectors of the reference implementation: the key is 00 01 ... 0f, message n is
// 00 01 ... n-1, the output is written as bytes in little-endian order.
struct Vector {
  size_t message_bytes;
  uint64_t hash;
};
constexpr Vector kVectors[] = {
    {0, 0x726fdb47dd0e0e31},  {1, 0x74f839c593dc67fd},  {4, 0xcf2794e0277187b7},
    {7, 0xab0200f58b01d137},  {8, 0x93f5f5799a932462},  {12, 0x751e8fbc860ee5fb},
    {15, 0xa129ca6149be45e5}, {16, 0x3f2acc7f57c29bdb}, {24, 0xb8ad50c6f649af94},
    {63, 0x958a324ceb064572},
};

TEST(SipHash, AgreesWithTheReferenceVectors) {
  SipHashKey key;
  for (uint8_t i = 0; i < 16; ++i) key[i] = i;
  for (const Vector& vector : kVectors) {
    std::vector<uint8_t> message(vector.message_bytes);
    for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<uint8_t>(i);
    EXPECT_EQ(SipHash24(key, message), vector.hash) << message.size() << " bytes";
  }
}

}  // namespace
}  // namespace septet::tracker
