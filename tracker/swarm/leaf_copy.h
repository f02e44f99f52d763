// Copying chosen peers of a leaf: into another leaf, or into a reply.

#ifndef SEPTET_TRACKER_SWARM_LEAF_COPY_H_
#define SEPTET_TRACKER_SWARM_LEAF_COPY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tracker/random.h"
#include "tracker/swarm/peer_leaf.h"

namespace septet::tracker {

// How many peers `chosen(index, state)` is true of.
template <typename Family, typename Chosen>
uint32_t CountIf(const PeerLeaf<Family>& leaf, Chosen chosen) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < leaf.count(); ++i) n += chosen(i, leaf.state(i)) ? 1 : 0;
  return n;
}

// Adds those peers to another leaf, which has room for them.
template <typename Family, typename Chosen>
void AddIf(const PeerLeaf<Family>& from, Chosen chosen, PeerLeaf<Family>* to) {
  for (uint32_t i = 0; i < from.count(); ++i) {
    if (chosen(i, from.state(i))) to->Add(from.key(i), from.state(i));
  }
}

// memcpy for the short runs of a reply: in line, with few branches that are hard to
// predict.
inline void CopyShort(const uint8_t* from, size_t bytes, uint8_t* to) {
  constexpr size_t kStep = 64;
  if (bytes < kStep) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t at = 0; at + kStep < bytes; at += kStep) std::memcpy(to + at, from + at, kStep);
  std::memcpy(to + bytes - kStep, from + bytes - kStep, kStep);
}

// Copies the keys of peers begin to end - 1 but `skipped`, at most `want` of them.
// Returns how many.
template <typename Family>
uint32_t CopyKeys(const PeerLeaf<Family>& leaf, uint32_t begin, uint32_t end, uint32_t skipped,
                  uint32_t want, uint8_t* out) {
  if (skipped < begin || skipped >= end) {
    const uint32_t n = std::min(want, end - begin);
    CopyShort(leaf.key(begin), n * Family::kKeyBytes, out);
    return n;
  }
  const uint32_t before = std::min(want, skipped - begin);
  CopyShort(leaf.key(begin), before * Family::kKeyBytes, out);
  const uint32_t after = std::min(want - before, end - skipped - 1);
  CopyShort(leaf.key(skipped + 1), after * Family::kKeyBytes, out + before * Family::kKeyBytes);
  return before + after;
}

// How many of `want` peers come from a part that holds `part` of `all` of them: in
// proportion, the fraction decided by lot, so that each peer has the same chance.
// want <= all; at most `part`, and want less it is at most all - part.
inline uint32_t ShareOf(uint32_t want, uint32_t part, uint32_t all, Random& random) {
  if (want == all || part == 0) return part;
  if (part == all) return want;
  return static_cast<uint32_t>((uint64_t{want} * part + random.Below(all)) / all);
}

// Peers begin to end - 1 of a leaf as a circle: min(want, all but `self`) of them, each
// with the same chance. `self` may be UINT32_MAX: nobody.
template <typename Family>
uint32_t SampleRange(const PeerLeaf<Family>& leaf, uint32_t begin, uint32_t end, uint32_t self,
                     uint32_t want, Random& random, uint8_t* out) {
  const bool has_self = self >= begin && self < end;
  const uint32_t others = end - begin - (has_self ? 1 : 0);
  want = std::min(want, others);
  if (want == 0) return 0;
  uint32_t start = begin;
  if (want < others) {
    start += random.Below(others);
    if (has_self && start >= self) ++start;
  }
  const uint32_t n = CopyKeys(leaf, start, end, self, want, out);
  return n + CopyKeys(leaf, begin, start, self, want - n, out + n * Family::kKeyBytes);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_LEAF_COPY_H_
