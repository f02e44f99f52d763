// A leaf: some peers of one family, in one block, without order but for seeders first.

#ifndef SEPTET_TRACKER_SWARM_PEER_LEAF_H_
#define SEPTET_TRACKER_SWARM_PEER_LEAF_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracker/swarm/block_arena.h"
#include "tracker/swarm/find_key.h"
#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/peer_state.h"

namespace septet::tracker {

// What differs between the families.
struct Ipv4 {
  static constexpr size_t kKeyBytes = kCompactIpv4Bytes;
  static constexpr auto& kCapacities = kIpv4LeafCapacities;
  static constexpr uint8_t kLeafClass = kIpv4LeafClass;
  static constexpr uint8_t kLargeClass = kLargeIpv4Class;
  // A swarm of more peers is large (see large_swarm.h), one of fewer than kSmallAgain
  // is not.
  static constexpr uint32_t kSmallMax = 128;
  static constexpr uint32_t kSmallAgain = 96;
  static constexpr uint32_t kPeersALeaf = 48;  // of a large swarm, the mean at the most
  static uint32_t Find(const uint8_t* keys, uint32_t count, const uint8_t* key) {
    return FindIpv4Key(keys, count, key);
  }
  static uint64_t Hash(const KeyedHash& hash, const uint8_t* key) { return hash.OfIpv4Peer(key); }
};
struct Ipv6 {
  static constexpr size_t kKeyBytes = kCompactIpv6Bytes;
  static constexpr auto& kCapacities = kIpv6LeafCapacities;
  static constexpr uint8_t kLeafClass = kIpv6LeafClass;
  static constexpr uint8_t kLargeClass = kLargeIpv6Class;
  static constexpr uint32_t kSmallMax = 64;
  static constexpr uint32_t kSmallAgain = 48;
  static constexpr uint32_t kPeersALeaf = 24;
  static uint32_t Find(const uint8_t* keys, uint32_t count, const uint8_t* key) {
    return FindIpv6Key(keys, count, key);
  }
  static uint64_t Hash(const KeyedHash& hash, const uint8_t* key) { return hash.OfIpv6Peer(key); }
};

// The most peers in a leaf.
template <typename Family>
inline constexpr uint32_t kLeafMax = Family::kCapacities.back();

template <typename Family>
inline constexpr auto kLeafClasses = [] {
  std::array<uint8_t, kLeafMax<Family> + 1> classes{};
  uint8_t c = 0;
  for (uint32_t n = 1; n <= kLeafMax<Family>; ++n) {
    if (n > Family::kCapacities[c]) ++c;
    classes[n] = static_cast<uint8_t>(Family::kLeafClass + c);
  }
  return classes;
}();

// The class of a leaf of `count` peers, 1 to kLeafMax: it follows from the count alone.
template <typename Family>
constexpr uint8_t LeafClass(uint32_t count) {
  return kLeafClasses<Family>[count];
}

// A view of a leaf's block. The block must stay where it is while the view is in use.
template <typename Family>
class PeerLeaf {
 public:
  static constexpr uint32_t kNotFound = kKeyNotFound;

  PeerLeaf(char* block, uint8_t block_class)
      : block_(reinterpret_cast<uint8_t*>(block)),
        capacity_(Family::kCapacities[block_class - Family::kLeafClass]) {}

  void Clear() { block_[kBlockHashBytes] = block_[kBlockHashBytes + 1] = 0; }

  uint32_t seeders() const { return block_[kBlockHashBytes]; }
  uint32_t count() const { return block_[kBlockHashBytes + 1]; }
  uint32_t capacity() const { return capacity_; }

  const uint8_t* keys() const { return block_ + kLeafHeaderBytes; }
  const uint8_t* key(uint32_t i) const { return keys() + i * Family::kKeyBytes; }
  const uint8_t* states() const { return keys() + capacity_ * Family::kKeyBytes; }
  PeerState state(uint32_t i) const { return states()[i]; }

  // Changes a state without changing whether the peer is a seeder.
  void set_state(uint32_t i, PeerState state) { mutable_states()[i] = state; }

  uint32_t Find(const uint8_t* key) const { return Family::Find(keys(), count(), key); }

  // There must be room. Returns where the peer lies; others may have moved.
  uint32_t Add(const uint8_t* key, PeerState state) {
    uint32_t i = count();
    set_count(i + 1);
    if (IsSeederState(state)) {
      const uint32_t first_other = seeders();
      Copy(i, first_other);
      i = first_other;
      set_seeders(first_other + 1);
    }
    std::memcpy(mutable_key(i), key, Family::kKeyBytes);
    mutable_states()[i] = state;
    return i;
  }

  void Remove(uint32_t i) {
    const uint32_t last = count() - 1;
    if (i < seeders()) {
      const uint32_t last_seeder = seeders() - 1;
      Copy(i, last_seeder);
      set_seeders(last_seeder);
      i = last_seeder;
    }
    Copy(i, last);
    set_count(last);
  }

  // Copies all peers from a leaf that may have another capacity.
  void CopyFrom(const PeerLeaf& other) {
    set_seeders(other.seeders());
    set_count(other.count());
    std::memcpy(block_ + kLeafHeaderBytes, other.keys(), other.count() * Family::kKeyBytes);
    std::memcpy(mutable_states(), other.states(), other.count());
  }

  // Whether any peer has gone over the timeout.
  bool AnyExpired(Tick tick) const {
    const uint8_t* const all = states();
    const uint32_t n = count();
    bool any = false;
    for (uint32_t i = 0; i < n; ++i) any |= IsExpired(all[i], tick);
    return any;
  }

 private:
  uint8_t* mutable_key(uint32_t i) { return block_ + kLeafHeaderBytes + i * Family::kKeyBytes; }
  uint8_t* mutable_states() { return block_ + kLeafHeaderBytes + capacity_ * Family::kKeyBytes; }
  void set_seeders(uint32_t n) { block_[kBlockHashBytes] = static_cast<uint8_t>(n); }
  void set_count(uint32_t n) { block_[kBlockHashBytes + 1] = static_cast<uint8_t>(n); }
  void Copy(uint32_t to, uint32_t from) {
    if (to == from) return;
    std::memcpy(mutable_key(to), key(from), Family::kKeyBytes);
    mutable_states()[to] = states()[from];
  }

  uint8_t* block_;
  uint32_t capacity_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_PEER_LEAF_H_
