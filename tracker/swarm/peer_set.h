// A set of any number of peers of one family and one role, of one torrent.

#ifndef SEPTET_TRACKER_SWARM_PEER_SET_H_
#define SEPTET_TRACKER_SWARM_PEER_SET_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tracker/random.h"
#include "tracker/swarm/hash_slice.h"
#include "tracker/swarm/large_swarm.h"
#include "tracker/swarm/leaf_copy.h"
#include "tracker/swarm/peer_leaf.h"
#include "tracker/swarm/shard_memory.h"

namespace septet::tracker {

// Linear hashing (Litwin, 1980) over leaves: leaf i of L holds the peers whose hash ends
// in the bits of i, and growth splits one leaf at a time, in a fixed order, so that no
// insertion ever moves more than two leaves. The mean leaf is kept between about two
// thirds of Family::kPeersALeaf and all of it. A leaf without peers has no block.
//
// The directory is an allocation of its own, with an entry for each leaf.
//
// A view; the root must stay where it is while it is in use.
template <typename Family>
class PeerSet {
 public:
  // Where a peer lies. In one word: put together from smaller members it would be read
  // back before they are all written.
  class Position {
   public:
    constexpr Position() = default;
    constexpr Position(uint32_t leaf, uint32_t index) : bits_(uint64_t{leaf} << 32 | index) {}
    constexpr bool found() const { return index() != PeerLeaf<Family>::kNotFound; }
    constexpr uint32_t leaf() const { return static_cast<uint32_t>(bits_ >> 32); }
    constexpr uint32_t index() const { return static_cast<uint32_t>(bits_); }

   private:
    uint64_t bits_ = PeerLeaf<Family>::kNotFound;
  };

  PeerSet(PeerSetRoot* root, uint32_t torrent_hash, ShardMemory* memory)
      : root_(root), torrent_hash_(torrent_hash), memory_(memory) {}

  uint32_t count() const { return root_->count; }
  uint32_t leaves() const { return root_->leaves; }

  Position Find(const uint8_t* key) const {
    if (count() == 0) return {};
    const uint32_t number = LeafOf(key);
    if (LeafCount(number) == 0) return {};
    return {number, Leaf(number).Find(key)};
  }

  PeerState state(Position at) const { return Leaf(at.leaf()).state(at.index()); }
  void set_state(Position at, PeerState state) { Leaf(at.leaf()).set_state(at.index(), state); }

  // Adds a peer that is not in the set. Not found() when there is no memory.
  Position Add(const uint8_t* key, PeerState state, Purpose purpose);

  // Removes the peer. False, with nothing changed, when there is no memory to shrink.
  bool Remove(Position at);

  // Takes over a leaf's block as the only one of an empty set.
  void AdoptLeaf(BlockRef ref, uint32_t peers);

  // Removes expired peers of one leaf; returns how many peers it looked at.
  uint32_t SweepLeaf(uint32_t leaf);

  // Merges leaves while there are too many of them for the peers.
  void Shrink();

  // Merges all leaves into one. False if that is not possible now.
  bool ShrinkToOneLeaf();

  // The block of the only leaf, none if the set is empty.
  BlockRef OnlyLeaf() const { return count() == 0 ? BlockRef{} : LeafRef(0); }

  // Copies min(want, peers other than `self`) keys, each peer with the same chance:
  // a start chosen uniformly among them, and those that follow it in a fixed circle.
  uint32_t Sample(uint32_t want, Position self, Random& random, uint8_t* out) const;

  // Calls visit(key, state) for each peer of the slice.
  template <typename Visit>
  void VisitSlice(HashSlice slice, Visit visit) const;

  // If leaf block `from` is of this set, it lies at `to` now.
  bool BlockMoved(BlockRef from, BlockRef to);

  // Frees the directory and all blocks.
  void Destroy();

 private:
  // leaves > 1
  static constexpr uint32_t LeafNumber(uint32_t hash, uint32_t leaves) {
    const uint32_t mask = UINT32_MAX >> std::countl_zero(leaves - 1);
    const uint32_t number = hash & mask;
    return number < leaves ? number : number & (mask >> 1);
  }
  uint32_t HashOf(const uint8_t* key) const {
    return static_cast<uint32_t>(Family::Hash(*memory_->hash, key));
  }
  uint32_t LeafOf(const uint8_t* key) const {
    return leaves() <= 1 ? 0 : LeafNumber(HashOf(key), leaves());
  }

  // --- directory ---
  struct [[gnu::packed]] Entry {
    uint32_t index;  // of the leaf's block
    uint8_t count;   // peers in it, of which the class of its block follows
  };
  // Entries allocated for a number of leaves: an eighth more at the most. The step is a
  // power of two.
  static constexpr uint32_t DirectoryCapacity(uint32_t leaves) {
    const uint32_t step = std::max(uint32_t{4}, std::bit_floor(leaves) / 8);
    return (leaves + step - 1) & ~(step - 1);
  }
  // What the C library's allocator takes for it.
  static constexpr uint64_t DirectoryBytes(uint32_t leaves) {
    return (DirectoryCapacity(leaves) * sizeof(Entry) + 8 + 15) / 16 * 16;
  }
  Entry* entries() const { return reinterpret_cast<Entry*>(root_->directory); }
  uint32_t LeafCount(uint32_t leaf) const {
    return leaves() == 1 ? count() : entries()[leaf].count;
  }
  BlockRef LeafRef(uint32_t leaf) const {
    const bool is_only = leaves() == 1;
    const uint32_t peers = is_only ? count() : entries()[leaf].count;
    if (peers == 0) return {};
    return {LeafClass<Family>(peers), is_only ? root_->only_leaf : entries()[leaf].index};
  }
  PeerLeaf<Family> Leaf(uint32_t leaf) const { return View(LeafRef(leaf)); }
  PeerLeaf<Family> View(BlockRef ref) const {
    return PeerLeaf<Family>(memory_->arena.block(ref), ref.block_class);
  }
  // Says where leaf's block lies and how many peers it has; keeps count() right.
  void SetLeaf(uint32_t leaf, BlockRef ref, uint32_t peers) {
    root_->count += peers - LeafCount(leaf);
    if (leaves() == 1) {
      root_->only_leaf = ref.index;
      return;
    }
    entries()[leaf] = {ref.index, static_cast<uint8_t>(peers)};
    if (peers > root_->leaf_peers_max) root_->leaf_peers_max = static_cast<uint8_t>(peers);
  }
  bool ResizeDirectory(uint32_t leaves, Purpose purpose);

  // --- leaves ---
  BlockRef NewLeaf(uint32_t peers, Purpose purpose) {
    const BlockRef ref = memory_->arena.Allocate(LeafClass<Family>(peers), torrent_hash_, purpose);
    if (!ref.none()) View(ref).Clear();
    return ref;
  }
  void Split();
  bool MergeLast();

  PeerSetRoot* root_;
  uint32_t torrent_hash_;
  ShardMemory* memory_;
};

template <typename Family>
typename PeerSet<Family>::Position PeerSet<Family>::Add(const uint8_t* key, PeerState state,
                                                        Purpose purpose) {
  if (leaves() == 0) root_->leaves = 1;
  if (count() >= leaves() * Family::kPeersALeaf) Split();
  const uint32_t number = LeafOf(key);
  const uint32_t peers = LeafCount(number);
  if (peers == kLeafMax<Family>) return {};

  const BlockRef before = LeafRef(number);
  BlockRef ref = before;
  if (before.block_class != LeafClass<Family>(peers + 1)) {
    ref = NewLeaf(peers + 1, purpose);
    if (ref.none()) return {};
    if (!before.none()) View(ref).CopyFrom(View(before));
  }
  const Position at{number, View(ref).Add(key, state)};
  SetLeaf(number, ref, peers + 1);
  if (ref != before && !before.none()) memory_->arena.Free(before);
  return at;
}

template <typename Family>
bool PeerSet<Family>::Remove(Position at) {
  const uint32_t peers = LeafCount(at.leaf());
  const BlockRef before = LeafRef(at.leaf());
  BlockRef ref = before;
  if (peers == 1) {
    ref = {};
  } else if (LeafClass<Family>(peers - 1) != before.block_class) {
    ref = NewLeaf(peers - 1, Purpose::kShrink);
    if (ref.none()) return false;
  }
  View(before).Remove(at.index());
  if (ref != before && !ref.none()) View(ref).CopyFrom(View(before));
  SetLeaf(at.leaf(), ref, peers - 1);
  if (ref != before) memory_->arena.Free(before);
  Shrink();
  return true;
}

template <typename Family>
void PeerSet<Family>::AdoptLeaf(BlockRef ref, uint32_t peers) {
  root_->leaves = 1;
  SetLeaf(0, ref, peers);
}

template <typename Family>
uint32_t PeerSet<Family>::SweepLeaf(uint32_t number) {
  const uint32_t peers = LeafCount(number);
  if (peers == 0) return 1;
  const BlockRef before = LeafRef(number);
  const Tick tick = memory_->tick;
  if (!View(before).AnyExpired(tick)) return peers;
  const auto fresh = [&](uint32_t, PeerState state) { return !IsExpired(state, tick); };
  const uint32_t left = CountIf(View(before), fresh);
  BlockRef ref;
  if (left > 0) {
    ref = NewLeaf(left, Purpose::kShrink);
    if (ref.none()) return peers;
    PeerLeaf<Family> leaf = View(ref);
    AddIf(View(before), fresh, &leaf);
  }
  SetLeaf(number, ref, left);
  memory_->template peers<Family>() -= peers - left;
  memory_->arena.Free(before);
  return peers;
}

template <typename Family>
bool PeerSet<Family>::ResizeDirectory(uint32_t new_leaves, Purpose purpose) {
  const uint32_t old_leaves = leaves();
  const uint64_t old_bytes = old_leaves <= 1 ? 0 : DirectoryBytes(old_leaves);
  const uint64_t new_bytes = new_leaves <= 1 ? 0 : DirectoryBytes(new_leaves);
  if (old_bytes == new_bytes &&
      (new_leaves <= 1 || DirectoryCapacity(old_leaves) == DirectoryCapacity(new_leaves))) {
    root_->leaves = new_leaves;
    return true;
  }
  char* directory = nullptr;
  if (new_leaves > 1) {
    if (!memory_->budget->TryTake(new_bytes, purpose)) return false;
    directory = static_cast<char*>(std::malloc(DirectoryCapacity(new_leaves) * sizeof(Entry)));
    if (directory == nullptr) {
      memory_->budget->Return(new_bytes);
      return false;
    }
  }
  memory_->directory_bytes += new_bytes;

  if (new_leaves <= 1) {
    const uint32_t only = LeafRef(0).index;
    std::free(root_->directory);
    root_->only_leaf = only;
  } else {
    auto* const to = reinterpret_cast<Entry*>(directory);
    if (old_leaves > 1) {
      const uint32_t kept = std::min(old_leaves, new_leaves);
      std::memcpy(directory, root_->directory, kept * sizeof(Entry));
      root_->leaf_peers_max = 0;
      for (uint32_t i = 0; i < kept; ++i) {
        if (to[i].count > root_->leaf_peers_max) root_->leaf_peers_max = to[i].count;
      }
      std::free(root_->directory);
    } else {
      to[0] = {root_->only_leaf, static_cast<uint8_t>(count())};
      root_->leaf_peers_max = to[0].count;
    }
    root_->directory = directory;
  }
  root_->leaves = new_leaves;
  memory_->directory_bytes -= old_bytes;
  memory_->budget->Return(old_bytes);
  return true;
}

// Adds a leaf and moves to it the peers that belong there. Without memory the set stays
// as it is, with leaves that are fuller than they should be.
template <typename Family>
void PeerSet<Family>::Split() {
  const uint32_t added = leaves();
  const uint32_t source = added - std::bit_floor(added);
  const uint32_t peers = LeafCount(source);
  const BlockRef before = LeafRef(source);
  const auto moves = [&](uint32_t i, PeerState) {
    return LeafNumber(HashOf(View(before).key(i)), added + 1) == added;
  };
  const auto stays = [&](uint32_t i, PeerState state) { return !moves(i, state); };
  const uint32_t moving = peers == 0 ? 0 : CountIf(View(before), moves);

  BlockRef kept = before;
  BlockRef moved;
  if (moving == peers) {
    std::swap(kept, moved);
  } else if (moving > 0) {
    kept = NewLeaf(peers - moving, Purpose::kGrow);
    moved = NewLeaf(moving, Purpose::kGrow);
  }
  const bool copied = moving > 0 && moving < peers;
  const auto undo = [&] {
    if (!copied) return;
    if (!kept.none() && !moved.none()) {
      memory_->arena.Free(kept, moved);
    } else if (!kept.none()) {
      memory_->arena.Free(kept);
    } else if (!moved.none()) {
      memory_->arena.Free(moved);
    }
  };
  if ((copied && (kept.none() || moved.none())) || !ResizeDirectory(added + 1, Purpose::kGrow)) {
    undo();
    return;
  }
  entries()[added] = {0, 0};
  SetLeaf(source, BlockRef{}, 0);
  if (copied) {
    PeerLeaf<Family> kept_leaf = View(kept);
    PeerLeaf<Family> moved_leaf = View(moved);
    AddIf(View(before), stays, &kept_leaf);
    AddIf(View(before), moves, &moved_leaf);
  }
  SetLeaf(source, kept, peers - moving);
  SetLeaf(added, moved, moving);
  if (copied) memory_->arena.Free(before);
}

// Undoes the last split. Peers that have expired are left out: a sweep that has passed
// the target would not meet them.
template <typename Family>
bool PeerSet<Family>::MergeLast() {
  const uint32_t last = leaves() - 1;
  const uint32_t target = last - std::bit_floor(last);
  const BlockRef a = LeafRef(target);
  const BlockRef b = LeafRef(last);
  const Tick tick = memory_->tick;
  const auto fresh = [&](uint32_t, PeerState state) { return !IsExpired(state, tick); };
  const uint32_t peers =
      (a.none() ? 0 : CountIf(View(a), fresh)) + (b.none() ? 0 : CountIf(View(b), fresh));
  if (peers > kLeafMax<Family>) return false;

  BlockRef merged;
  if (peers > 0) {
    merged = NewLeaf(peers, Purpose::kShrink);
    if (merged.none()) return false;
    PeerLeaf<Family> leaf = View(merged);
    if (!a.none()) AddIf(View(a), fresh, &leaf);
    if (!b.none()) AddIf(View(b), fresh, &leaf);
  }
  const uint32_t a_peers = LeafCount(target);
  const uint32_t b_peers = LeafCount(last);
  SetLeaf(target, merged, peers);
  SetLeaf(last, BlockRef{}, 0);
  if (!ResizeDirectory(last, Purpose::kShrink)) {
    SetLeaf(target, a, a_peers);
    SetLeaf(last, b, b_peers);
    if (!merged.none()) memory_->arena.Free(merged);
    return false;
  }
  memory_->template peers<Family>() -= a_peers + b_peers - peers;
  if (!a.none() && !b.none()) {
    memory_->arena.Free(a, b);
  } else if (!a.none() || !b.none()) {
    memory_->arena.Free(a.none() ? b : a);
  }
  return true;
}

template <typename Family>
void PeerSet<Family>::Shrink() {
  while (leaves() > 1 &&
         count() < leaves() * Family::kPeersALeaf / 3 * 2 - Family::kPeersALeaf / 2) {
    if (!MergeLast()) return;
  }
}

template <typename Family>
bool PeerSet<Family>::ShrinkToOneLeaf() {
  while (leaves() > 1) {
    if (!MergeLast()) return false;
  }
  return true;
}

template <typename Family>
uint32_t PeerSet<Family>::Sample(uint32_t want, Position self, Random& random, uint8_t* out) const {
  const uint32_t others = count() - (self.found() ? 1 : 0);
  want = std::min(want, others);
  if (want == 0) return 0;

  // A uniform start: a random place in a random leaf, drawn again if nobody is there.
  uint32_t number = 0;
  uint32_t begin = 0;
  if (want < others) {
    const uint32_t places = leaves() == 1 ? count() : root_->leaf_peers_max;
    do {
      const uint64_t draw = random.Next();
      number = static_cast<uint32_t>(((draw >> 32) * leaves()) >> 32);
      begin = static_cast<uint32_t>(((draw & UINT32_MAX) * places) >> 32);
    } while (begin >= LeafCount(number) || (number == self.leaf() && begin == self.index()));
  }

  uint32_t copied = 0;
  for (;;) {
    const uint32_t peers = LeafCount(number);
    if (peers > begin) {
      copied +=
          CopyKeys(Leaf(number), begin, peers, number == self.leaf() ? self.index() : UINT32_MAX,
                   want - copied, out + copied * Family::kKeyBytes);
      if (copied == want) return copied;
    }
    begin = 0;
    if (++number == leaves()) number = 0;
  }
}

template <typename Family>
template <typename Visit>
void PeerSet<Family>::VisitSlice(HashSlice slice, Visit visit) const {
  if (count() == 0) return;
  // With that many leaves each lies in one slice whole; with fewer, one leaf holds all of the
  // slice, and others beside it.
  const uint32_t step = slice.slices();
  const bool is_whole = leaves() >= step;
  uint32_t number = leaves() == 1 ? 0 : LeafNumber(slice.number, leaves());
  for (; number < leaves(); number += step) {
    if (LeafCount(number) > 0)
      VisitLeaf<Family>(Leaf(number), is_whole ? HashSlice{} : slice, *memory_->hash, visit);
  }
}

template <typename Family>
bool PeerSet<Family>::BlockMoved(BlockRef from, BlockRef to) {
  if (count() == 0) return false;
  // All peers of a leaf have its number in their hash. Their keys lie at `to` already.
  const uint32_t number = LeafOf(View(to).key(0));
  if (LeafRef(number) != from) return false;
  SetLeaf(number, to, LeafCount(number));
  return true;
}

template <typename Family>
void PeerSet<Family>::Destroy() {
  if (leaves() > 1) std::free(root_->directory);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_PEER_SET_H_
