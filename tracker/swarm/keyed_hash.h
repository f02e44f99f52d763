// Hashing of keys that an outsider chooses: info-hashes and peers' addresses.

#ifndef SEPTET_TRACKER_SWARM_KEYED_HASH_H_
#define SEPTET_TRACKER_SWARM_KEYED_HASH_H_

#include <array>
#include <cstdint>
#include <cstring>

#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Multilinear hashing (Lemire and Kaser, "Strongly universal string hashing is fast",
// 2014): k0 + k1*x1 + k2*x2 + ... over 128 bits, of which the upper half is taken. For
// keys chosen without knowledge of the k's, two different inputs have the same 64 bits
// with a probability of 2^-64: proven, not hoped for.
//
// That says nothing of many inputs at once. Sequential addresses are sums with one step,
// which go round a part of the bits in a circle, and for some k's nearly all of them meet
// in a few places of it. So the 64 bits are mixed, one to one, until each of them depends
// on all. A few multiplications, 3 to 4 ns.
class KeyedHash {
 public:
  explicit KeyedHash(const std::array<uint64_t, 2>& key) {
    Random random(key[0]);
    Random other(key[1]);
    for (uint128& k : k_)
      k = static_cast<uint128>(random.Next() ^ other.Next()) << 64 | other.Next();
  }

  uint64_t OfInfoHash(const InfoHash& info_hash) const {
    return MixedUpper(k_[0] + k_[1] * Load64(info_hash.data()) +
                      k_[2] * Load64(info_hash.data() + 8) + k_[3] * Load32(info_hash.data() + 16));
  }
  // `key`: a peer in compact form.
  uint64_t OfIpv4Peer(const uint8_t* key) const {
    return MixedUpper(k_[4] + k_[5] * (Load32(key) | uint64_t{Load16(key + 4)} << 32));
  }
  uint64_t OfIpv6Peer(const uint8_t* key) const {
    return MixedUpper(k_[6] + k_[7] * Load64(key) + k_[8] * Load64(key + 8) +
                      k_[9] * Load16(key + 16));
  }

 private:
  // By two rounds of a shift and an odd multiplier, each of which can be undone: the constants
  // are the fractions of the golden ratio and of the square root of 3.
  static uint64_t Mix(uint64_t hash) {
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29) * 0xbb67ae8584caa73b;
    return hash ^ hash >> 32;
  }
  static uint64_t MixedUpper(uint128 sum) { return Mix(static_cast<uint64_t>(sum >> 64)); }
  template <typename T>
  static T Load(const uint8_t* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  static uint64_t Load64(const uint8_t* bytes) { return Load<uint64_t>(bytes); }
  static uint32_t Load32(const uint8_t* bytes) { return Load<uint32_t>(bytes); }
  static uint16_t Load16(const uint8_t* bytes) { return Load<uint16_t>(bytes); }

  std::array<uint128, 10> k_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_KEYED_HASH_H_
