// A share of the peers of a torrent, chosen by their hash.

#ifndef SEPTET_TRACKER_SWARM_HASH_SLICE_H_
#define SEPTET_TRACKER_SWARM_HASH_SLICE_H_

#include <cstdint>

#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/peer_leaf.h"

namespace septet::tracker {

// The peers whose hash ends in the `bits` bits of `number`. Which slice a peer is in depends on
// the peer alone, not on where it lies, so that whoever takes the slices of a swarm one after
// another meets each peer once, however the swarm changes its form meanwhile. All zero: every
// peer.
struct HashSlice {
  uint32_t bits = 0;  // up to 31
  uint32_t number = 0;

  uint32_t slices() const { return uint32_t{1} << bits; }

  template <typename Family>
  bool Holds(const KeyedHash& hash, const uint8_t* key) const {
    return bits == 0 || (static_cast<uint32_t>(Family::Hash(hash, key)) & (slices() - 1)) == number;
  }
};

// Calls visit(key, state) for each peer of the leaf that is in the slice.
template <typename Family, typename Visit>
void VisitLeaf(const PeerLeaf<Family>& leaf, HashSlice slice, const KeyedHash& hash, Visit visit) {
  for (uint32_t i = 0; i < leaf.count(); ++i) {
    if (slice.Holds<Family>(hash, leaf.key(i))) visit(leaf.key(i), leaf.state(i));
  }
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_HASH_SLICE_H_
