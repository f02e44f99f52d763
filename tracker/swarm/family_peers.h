// All peers of one family in one torrent: a leaf, or a large swarm.

#ifndef SEPTET_TRACKER_SWARM_FAMILY_PEERS_H_
#define SEPTET_TRACKER_SWARM_FAMILY_PEERS_H_

#include <algorithm>
#include <cstdint>

#include "tracker/random.h"
#include "tracker/swarm/hash_slice.h"
#include "tracker/swarm/leaf_copy.h"
#include "tracker/swarm/peer_leaf.h"
#include "tracker/swarm/peer_set.h"
#include "tracker/swarm/peer_state.h"
#include "tracker/swarm/shard_memory.h"

namespace septet::tracker {

// Where a sweep stands within the peers of one family: leaf by leaf, seeders first.
struct SweepPlace {
  bool in_others = false;
  uint32_t leaf = 0;
};

// A view of the BlockRef at `where` (in a slot or a TwoFamilies block), which it changes
// as the peers need another block. `where` must stay in its place while it is in use.
template <typename Family>
class FamilyPeers {
 public:
  // Where one peer lies. Invalid after the next change.
  struct Position {
    bool found() const { return in_set.found(); }
    bool in_others = false;                     // of a large swarm
    typename PeerSet<Family>::Position in_set;  // of a large swarm, or the index in a leaf
  };

  FamilyPeers(uint8_t* where, uint32_t torrent_hash, ShardMemory* memory)
      : where_(where), torrent_hash_(torrent_hash), memory_(memory) {}

  uint32_t seeders() const {
    const BlockRef at = ref();
    if (at.none()) return 0;
    return is_large() ? large()->seeders.count : Leaf(at).seeders();
  }
  uint32_t count() const {
    const BlockRef at = ref();
    if (at.none()) return 0;
    return is_large() ? large()->seeders.count + large()->others.count : Leaf(at).count();
  }

  // Lists the peer, or refreshes it. `*transition` says what became of it. Not found when
  // there is no memory for it; a peer that was listed stays so.
  Position Upsert(const uint8_t* key, Role role, Event event, Transition* transition);

  // Adds a peer that is not listed here, but counts in ShardMemory already.
  Position Add(const uint8_t* key, PeerState state);

  // Removes the peer if it is listed.
  void Remove(const uint8_t* key);

  // Copies the keys of min(want, peers but `self`) peers, of those that are no seeders if
  // not `with_seeders`. Each has the same chance. Returns how many.
  uint32_t Sample(uint32_t want, bool with_seeders, const Position& self, Random& random,
                  uint8_t* out) const;

  // Removes expired peers from *place on, at most about *budget of them looked at, which
  // is counted down. True when the end was reached.
  bool Sweep(SweepPlace* place, uint32_t* budget);

  // Calls visit(key, state) for each peer of the slice.
  template <typename Visit>
  void VisitSlice(HashSlice slice, Visit visit) const;

  // Makes it a peer that last announced at `tick`.
  void SetTick(const Position& at, Tick tick);

  // If block `from` belongs to these peers, it lies at `to` now.
  bool BlockMoved(BlockRef from, BlockRef to);

  // Frees what does not lie in the arena.
  void Destroy();

  // The only peer's key and state, when count() is 1 and it lies in a leaf.
  bool IsSinglePeer() const { return !ref().none() && !is_large() && Leaf(ref()).count() == 1; }
  PeerLeaf<Family> SingleLeaf() const { return Leaf(ref()); }

 private:
  BlockRef ref() const { return BlockRef::Load(where_); }
  void set_ref(BlockRef ref) { ref.Store(where_); }
  bool is_large() const { return ref().block_class == Family::kLargeClass; }
  LargeSwarm* large() const { return reinterpret_cast<LargeSwarm*>(memory_->arena.block(ref())); }
  PeerSet<Family> Set(bool others) const {
    return PeerSet<Family>(others ? &large()->others : &large()->seeders, torrent_hash_, memory_);
  }
  PeerLeaf<Family> Leaf(BlockRef at) const {
    return PeerLeaf<Family>(memory_->arena.block(at), at.block_class);
  }
  BlockRef NewLeaf(uint32_t peers, Purpose purpose) {
    const BlockRef at = memory_->arena.Allocate(LeafClass<Family>(peers), torrent_hash_, purpose);
    if (!at.none()) Leaf(at).Clear();
    return at;
  }
  Position InLeaf(uint32_t index) const { return {false, {0, index}}; }

  Position AddNew(const uint8_t* key, Role role, Event event, Transition* transition);
  Position AddToLeaf(const uint8_t* key, PeerState state);
  Position UpsertInLarge(const uint8_t* key, Role role, Event event, Transition* transition);
  bool MakeLarge();
  void MakeSmall();
  void RemoveFromLeaf(uint32_t index);
  void SweepOnlyLeaf(uint32_t* budget);

  uint8_t* where_;
  uint32_t torrent_hash_;
  ShardMemory* memory_;
};

template <typename Family>
typename FamilyPeers<Family>::Position FamilyPeers<Family>::Upsert(const uint8_t* key, Role role,
                                                                   Event event,
                                                                   Transition* transition) {
  if (!ref().none()) {
    if (is_large()) return UpsertInLarge(key, role, event, transition);
    PeerLeaf<Family> leaf = Leaf(ref());
    const uint32_t i = leaf.Find(key);
    if (i != PeerLeaf<Family>::kNotFound) {
      const Standing before = StandingOf(leaf.state(i));
      *transition = Advance(before, role, event);
      const PeerState state = MakePeerState(transition->standing, memory_->tick);
      if (IsSeeder(before) == IsSeeder(transition->standing)) {
        leaf.set_state(i, state);
        return InLeaf(i);
      }
      leaf.Remove(i);
      return InLeaf(leaf.Add(key, state));
    }
  }
  return AddNew(key, role, event, transition);
}

template <typename Family>
typename FamilyPeers<Family>::Position FamilyPeers<Family>::AddNew(const uint8_t* key, Role role,
                                                                   Event event,
                                                                   Transition* transition) {
  *transition = Advance(Standing::kLeecher, role, event);
  const Position at = Add(key, MakePeerState(transition->standing, memory_->tick));
  if (at.found()) ++memory_->template peers<Family>();
  return at;
}

template <typename Family>
typename FamilyPeers<Family>::Position FamilyPeers<Family>::Add(const uint8_t* key,
                                                                PeerState state) {
  if (!is_large() && (count() < Family::kSmallMax || !MakeLarge())) {
    // Without memory for a large swarm the leaf may still have room.
    return count() < Family::kSmallMax ? AddToLeaf(key, state) : Position{};
  }
  const bool others = !IsSeederState(state);
  const auto at = Set(others).Add(key, state, Purpose::kGrow);
  return {others, at};
}

template <typename Family>
typename FamilyPeers<Family>::Position FamilyPeers<Family>::AddToLeaf(const uint8_t* key,
                                                                      PeerState state) {
  const BlockRef before = ref();
  const uint32_t peers = before.none() ? 0 : Leaf(before).count();
  BlockRef at = before;
  if (before.none() || before.block_class != LeafClass<Family>(peers + 1)) {
    at = NewLeaf(peers + 1, Purpose::kGrow);
    if (at.none()) return {};
    if (!before.none()) Leaf(at).CopyFrom(Leaf(before));
  }
  const uint32_t index = Leaf(at).Add(key, state);
  set_ref(at);
  if (at != before && !before.none()) memory_->arena.Free(before);
  return InLeaf(index);
}

template <typename Family>
typename FamilyPeers<Family>::Position FamilyPeers<Family>::UpsertInLarge(const uint8_t* key,
                                                                          Role role, Event event,
                                                                          Transition* transition) {
  // Where the peer will be is where it most likely is; a download that completes was
  // not a seeder's.
  const bool likely_others = role != Role::kSeeder || event == Event::kCompleted;
  for (const bool others : {likely_others, !likely_others}) {
    PeerSet<Family> set = Set(others);
    const auto at = set.Find(key);
    if (!at.found()) continue;
    *transition = Advance(StandingOf(set.state(at)), role, event);
    const PeerState state = MakePeerState(transition->standing, memory_->tick);
    if (IsSeederState(state) != others) {
      set.set_state(at, state);
      return {others, at};
    }
    // It changes sides, which takes no memory but for rounding: the reserve may be used.
    PeerSet<Family> target = Set(!others);
    const auto added = target.Add(key, state, Purpose::kShrink);
    if (!added.found()) {
      *transition = {StandingOf(set.state(at)), false};
      return {others, at};
    }
    if (set.Remove(at)) return {!others, added};
    target.Remove(added);
    *transition = {StandingOf(set.state(at)), false};
    return {others, at};
  }
  return AddNew(key, role, event, transition);
}

template <typename Family>
void FamilyPeers<Family>::Remove(const uint8_t* key) {
  if (ref().none()) return;
  if (!is_large()) {
    const uint32_t i = Leaf(ref()).Find(key);
    if (i != PeerLeaf<Family>::kNotFound) RemoveFromLeaf(i);
    return;
  }
  for (const bool others : {true, false}) {
    PeerSet<Family> set = Set(others);
    const auto at = set.Find(key);
    if (!at.found()) continue;
    if (set.Remove(at)) --memory_->template peers<Family>();
    break;
  }
  if (count() < Family::kSmallAgain) MakeSmall();
}

template <typename Family>
void FamilyPeers<Family>::RemoveFromLeaf(uint32_t index) {
  const BlockRef before = ref();
  const uint32_t left = Leaf(before).count() - 1;
  BlockRef at = before;
  if (left == 0) {
    at = {};
  } else if (LeafClass<Family>(left) != before.block_class) {
    at = NewLeaf(left, Purpose::kShrink);
    if (at.none()) return;
  }
  Leaf(before).Remove(index);
  if (at != before && !at.none()) Leaf(at).CopyFrom(Leaf(before));
  set_ref(at);
  --memory_->template peers<Family>();
  if (at != before) memory_->arena.Free(before);
}

// From a full leaf to two sets, each with one leaf.
template <typename Family>
bool FamilyPeers<Family>::MakeLarge() {
  const BlockRef before = ref();
  const PeerLeaf<Family> leaf = Leaf(before);
  const uint32_t seeders = leaf.seeders();
  const uint32_t others = leaf.count() - seeders;
  const BlockRef at = memory_->arena.Allocate(Family::kLargeClass, torrent_hash_, Purpose::kGrow);
  const BlockRef seeders_at = seeders == 0 ? BlockRef{} : NewLeaf(seeders, Purpose::kGrow);
  const BlockRef others_at = others == 0 ? BlockRef{} : NewLeaf(others, Purpose::kGrow);
  if (at.none() || (seeders > 0 && seeders_at.none()) || (others > 0 && others_at.none())) {
    // The last ones of their arrays: nothing moves, whatever the order.
    if (!others_at.none()) memory_->arena.Free(others_at);
    if (!seeders_at.none()) memory_->arena.Free(seeders_at);
    if (!at.none()) memory_->arena.Free(at);
    return false;
  }
  auto* const swarm = reinterpret_cast<LargeSwarm*>(memory_->arena.block(at));
  swarm->seeders = PeerSetRoot{};
  swarm->others = PeerSetRoot{};
  set_ref(at);
  const auto fill = [&](BlockRef into, bool seeding) {
    if (into.none()) return;
    PeerLeaf<Family> target = Leaf(into);
    AddIf(leaf, [&](uint32_t, PeerState s) { return IsSeederState(s) == seeding; }, &target);
    Set(!seeding).AdoptLeaf(into, target.count());
  };
  fill(seeders_at, true);
  fill(others_at, false);
  memory_->arena.Free(before);
  return true;
}

// Back to one leaf; without memory for it the swarm stays large.
template <typename Family>
void FamilyPeers<Family>::MakeSmall() {
  if (!Set(false).ShrinkToOneLeaf() || !Set(true).ShrinkToOneLeaf()) return;
  const BlockRef before = ref();
  const BlockRef seeders_at = Set(false).OnlyLeaf();
  const BlockRef others_at = Set(true).OnlyLeaf();
  const uint32_t peers = count();
  BlockRef at;
  if (peers > 0) {
    at = NewLeaf(peers, Purpose::kShrink);
    if (at.none()) return;
    PeerLeaf<Family> leaf = Leaf(at);
    const auto all = [](uint32_t, PeerState) { return true; };
    if (!seeders_at.none()) AddIf(Leaf(seeders_at), all, &leaf);
    if (!others_at.none()) AddIf(Leaf(others_at), all, &leaf);
  }
  set_ref(at);
  if (!seeders_at.none() && !others_at.none()) {
    memory_->arena.Free(seeders_at, others_at);
  } else if (peers > 0) {
    memory_->arena.Free(seeders_at.none() ? others_at : seeders_at);
  }
  memory_->arena.Free(before);
}

template <typename Family>
uint32_t FamilyPeers<Family>::Sample(uint32_t want, bool with_seeders, const Position& self,
                                     Random& random, uint8_t* out) const {
  const BlockRef at = ref();
  if (at.none() || want == 0) return 0;
  using SetPosition = typename PeerSet<Family>::Position;
  if (!is_large()) {
    const PeerLeaf<Family> leaf = Leaf(at);
    return SampleRange(leaf, with_seeders ? 0 : leaf.seeders(), leaf.count(),
                       self.found() ? self.in_set.index() : UINT32_MAX, want, random, out);
  }
  const SetPosition in_others = self.found() && self.in_others ? self.in_set : SetPosition{};
  if (!with_seeders) return Set(true).Sample(want, in_others, random, out);

  const SetPosition in_seeders = self.found() && !self.in_others ? self.in_set : SetPosition{};
  const uint32_t seeders = Set(false).count() - (in_seeders.found() ? 1 : 0);
  const uint32_t others = Set(true).count() - (in_others.found() ? 1 : 0);
  want = std::min(want, seeders + others);
  const uint32_t share = ShareOf(want, seeders, seeders + others, random);
  const uint32_t n = Set(false).Sample(share, in_seeders, random, out);
  return n + Set(true).Sample(want - share, in_others, random, out + n * Family::kKeyBytes);
}

template <typename Family>
void FamilyPeers<Family>::SweepOnlyLeaf(uint32_t* budget) {
  const BlockRef before = ref();
  const uint32_t peers = Leaf(before).count();
  *budget -= std::min(*budget, peers);
  const Tick tick = memory_->tick;
  if (!Leaf(before).AnyExpired(tick)) return;
  const auto fresh = [&](uint32_t, PeerState state) { return !IsExpired(state, tick); };
  const uint32_t left = CountIf(Leaf(before), fresh);
  BlockRef at;
  if (left > 0) {
    at = NewLeaf(left, Purpose::kShrink);
    if (at.none()) return;
    PeerLeaf<Family> leaf = Leaf(at);
    AddIf(Leaf(before), fresh, &leaf);
  }
  set_ref(at);
  memory_->template peers<Family>() -= peers - left;
  memory_->arena.Free(before);
}

template <typename Family>
bool FamilyPeers<Family>::Sweep(SweepPlace* place, uint32_t* budget) {
  if (ref().none()) return true;
  if (!is_large()) {
    SweepOnlyLeaf(budget);
    return true;
  }
  for (;;) {
    PeerSet<Family> set = Set(place->in_others);
    while (place->leaf < set.leaves()) {
      if (*budget == 0) return false;
      *budget -= std::min(*budget, set.SweepLeaf(place->leaf++));
    }
    set.Shrink();
    place->leaf = 0;
    if (place->in_others) break;
    place->in_others = true;
  }
  if (count() < Family::kSmallAgain) MakeSmall();
  return true;
}

template <typename Family>
template <typename Visit>
void FamilyPeers<Family>::VisitSlice(HashSlice slice, Visit visit) const {
  const BlockRef at = ref();
  if (at.none()) return;
  if (!is_large()) return VisitLeaf(Leaf(at), slice, *memory_->hash, visit);
  Set(false).VisitSlice(slice, visit);
  Set(true).VisitSlice(slice, visit);
}

template <typename Family>
void FamilyPeers<Family>::SetTick(const Position& at, Tick tick) {
  if (is_large()) {
    PeerSet<Family> set = Set(at.in_others);
    set.set_state(at.in_set, MakePeerState(StandingOf(set.state(at.in_set)), tick));
    return;
  }
  PeerLeaf<Family> leaf = Leaf(ref());
  const uint32_t i = at.in_set.index();
  leaf.set_state(i, MakePeerState(StandingOf(leaf.state(i)), tick));
}

template <typename Family>
bool FamilyPeers<Family>::BlockMoved(BlockRef from, BlockRef to) {
  if (ref() == from) {
    set_ref(to);
    return true;
  }
  if (!is_large() || !from.is_leaf()) return false;
  return Set(false).BlockMoved(from, to) || Set(true).BlockMoved(from, to);
}

template <typename Family>
void FamilyPeers<Family>::Destroy() {
  if (!is_large()) return;
  Set(false).Destroy();
  Set(true).Destroy();
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_FAMILY_PEERS_H_
