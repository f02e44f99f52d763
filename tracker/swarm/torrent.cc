#include "tracker/swarm/torrent.h"

#include <algorithm>
#include <cstring>

namespace septet::tracker {

void Torrent::SetInline(const uint8_t* key, PeerState state) {
  slot_->set_kind(SlotKind::kOnePeer);
  std::memcpy(slot_->body, key, kCompactIpv4Bytes);
  slot_->body[kCompactIpv4Bytes] = state;
}

Torrent::Census Torrent::Count() const {
  Census census;
  if (slot_->kind() == SlotKind::kOnePeer) {
    census.ipv4 = 1;
    census.ipv4_seeders = IsSeederState(inline_state()) ? 1 : 0;
    return census;
  }
  if (uint8_t* const where = Where(Family::kIpv4)) {
    const auto peers = PeersIpv4(where);
    census.ipv4 = peers.count();
    census.ipv4_seeders = peers.seeders();
  }
  if (uint8_t* const where = Where(Family::kIpv6)) {
    const auto peers = PeersIpv6(where);
    census.ipv6 = peers.count();
    census.ipv6_seeders = peers.seeders();
  }
  return census;
}

// From one family to two: what the slot held becomes the part of its family.
bool Torrent::MakeTwoFamilies() {
  const BlockRef at = memory_->arena.Allocate(kTwoFamiliesClass, hash_, Purpose::kGrow);
  if (at.none()) return false;
  auto* const block = reinterpret_cast<TwoFamilies*>(memory_->arena.block(at));
  BlockRef{}.Store(block->ipv4);
  BlockRef{}.Store(block->ipv6);
  if (slot_->kind() == SlotKind::kOneFamily) {
    slot_->block().Store(slot_->block().is_ipv4() ? block->ipv4 : block->ipv6);
  } else if (slot_->kind() == SlotKind::kOnePeer &&
             !PeersIpv4(block->ipv4).Add(inline_key(), inline_state()).found()) {
    memory_->arena.Free(at);
    return false;
  }
  slot_->set_kind(SlotKind::kTwoFamilies);
  slot_->set_block(at);
  return true;
}

// Back to one family or none, if one of the two parts is empty.
void Torrent::LeaveTwoFamilies() {
  if (slot_->kind() != SlotKind::kTwoFamilies) return;
  const BlockRef ipv4 = BlockRef::Load(two()->ipv4);
  const BlockRef ipv6 = BlockRef::Load(two()->ipv6);
  if (!ipv4.none() && !ipv6.none()) return;
  const BlockRef block = slot_->block();
  slot_->set_kind(SlotKind::kOneFamily);
  slot_->set_block(ipv4.none() ? ipv6 : ipv4);
  memory_->arena.Free(block);
}

// Makes Where(kIpv4) other than null, for a torrent that has peers.
bool Torrent::PrepareIpv4() {
  if (Where(Family::kIpv4) != nullptr) return true;
  if (slot_->kind() == SlotKind::kOneFamily) return MakeTwoFamilies();
  BlockRef at;
  uint8_t where[BlockRef::kBytes];
  at.Store(where);
  if (!PeersIpv4(where).Add(inline_key(), inline_state()).found()) return false;
  slot_->set_kind(SlotKind::kOneFamily);
  slot_->set_block(BlockRef::Load(where));
  return true;
}

bool Torrent::PrepareIpv6() {
  if (Where(Family::kIpv6) != nullptr) return true;
  if (slot_->kind() != SlotKind::kNoPeers) return MakeTwoFamilies();
  slot_->set_kind(SlotKind::kOneFamily);
  slot_->set_block(BlockRef{});  // counts as IPv6's: see BlockRef::is_ipv4
  return true;
}

// An IPv4 peer of a torrent that has no peer, or only this one.
Torrent::Listed Torrent::UpsertInline(const Endpoint& peer, Role role, Event event) {
  const bool is_new = slot_->kind() == SlotKind::kNoPeers;
  if (is_new) ++memory_->ipv4_peers;
  const Standing before = is_new ? Standing::kLeecher : StandingOf(inline_state());
  const Transition transition = Advance(before, role, event);
  if (transition.counts_download) slot_->count_download();
  SetInline(peer.compact.data(), MakePeerState(transition.standing, memory_->tick));
  Listed listed;
  listed.found = true;
  listed.is_seeder = IsSeeder(transition.standing);
  listed.ipv4.in_set = {0, 0};
  return listed;
}

Torrent::Listed Torrent::Upsert(const Endpoint& peer, Role role, Event event) {
  const uint8_t* const key = peer.compact.data();
  const bool ipv4 = peer.family == Family::kIpv4;
  if (ipv4) {
    const SlotKind kind = slot_->kind();
    const bool same =
        kind == SlotKind::kOnePeer && std::memcmp(inline_key(), key, kCompactIpv4Bytes) == 0;
    if (kind == SlotKind::kNoPeers || same) return UpsertInline(peer, role, event);
  }
  Listed listed;
  if (!(ipv4 ? PrepareIpv4() : PrepareIpv6())) return listed;
  Transition transition{};
  if (ipv4) {
    listed.ipv4 = PeersIpv4(Where(Family::kIpv4)).Upsert(key, role, event, &transition);
    listed.found = listed.ipv4.found();
  } else {
    listed.ipv6 = PeersIpv6(Where(Family::kIpv6)).Upsert(key, role, event, &transition);
    listed.found = listed.ipv6.found();
  }
  if (!listed.found) {
    Settle();
    return listed;
  }
  listed.is_seeder = IsSeeder(transition.standing);
  if (transition.counts_download) slot_->count_download();
  return listed;
}

void Torrent::SetTick(const Listed& listed, Tick tick) {
  if (slot_->kind() == SlotKind::kOnePeer) {
    slot_->body[kCompactIpv4Bytes] = MakePeerState(StandingOf(inline_state()), tick);
  } else if (listed.ipv4.found()) {
    PeersIpv4(Where(Family::kIpv4)).SetTick(listed.ipv4, tick);
  } else {
    PeersIpv6(Where(Family::kIpv6)).SetTick(listed.ipv6, tick);
  }
}

void Torrent::RemoveInline() {
  slot_->set_kind(SlotKind::kNoPeers);
  slot_->set_empty_since(memory_->tick);
  --memory_->ipv4_peers;
}

void Torrent::Remove(const Endpoint& peer) {
  const uint8_t* const key = peer.compact.data();
  if (peer.family == Family::kIpv6) {
    if (uint8_t* const where = Where(Family::kIpv6)) PeersIpv6(where).Remove(key);
    return;
  }
  if (slot_->kind() == SlotKind::kOnePeer) {
    if (std::memcmp(inline_key(), key, kCompactIpv4Bytes) == 0) RemoveInline();
    return;
  }
  if (uint8_t* const where = Where(Family::kIpv4)) PeersIpv4(where).Remove(key);
}

void Torrent::Settle() {
  LeaveTwoFamilies();
  if (slot_->kind() != SlotKind::kOneFamily) return;
  const BlockRef ref = slot_->block();
  if (ref.none()) {
    slot_->set_kind(SlotKind::kNoPeers);
    slot_->set_empty_since(memory_->tick);
    return;
  }
  if (!ref.is_ipv4() || !PeersIpv4(slot_->body).IsSinglePeer()) return;
  const PeerLeaf<Ipv4> leaf = PeersIpv4(slot_->body).SingleLeaf();
  SetInline(leaf.key(0), leaf.state(0));
  memory_->arena.Free(ref);
}

Torrent::Sampled Torrent::Sample(uint32_t want, bool with_seeders, const Listed& self,
                                 const Census& census, Random& random,
                                 const PeerOutput& out) const {
  const auto room_ipv4 = static_cast<uint32_t>(out.ipv4.size() / kCompactIpv4Bytes);
  const auto room_ipv6 = static_cast<uint32_t>(out.ipv6.size() / kCompactIpv6Bytes);
  Sampled sampled;
  if (slot_->kind() == SlotKind::kOnePeer) {
    const bool eligible = !self.ipv4.found() && (with_seeders || !IsSeederState(inline_state()));
    if (!eligible || want == 0 || room_ipv4 == 0) return sampled;
    std::memcpy(out.ipv4.data(), inline_key(), kCompactIpv4Bytes);
    sampled.ipv4 = 1;
    return sampled;
  }
  // Only who may be told of at all has a share.
  const bool self_counts = self.found && (with_seeders || !self.is_seeder);
  uint32_t ipv4 = census.ipv4 - (with_seeders ? 0 : census.ipv4_seeders);
  uint32_t ipv6 = census.ipv6 - (with_seeders ? 0 : census.ipv6_seeders);
  if (self_counts && self.ipv4.found()) --ipv4;
  if (self_counts && self.ipv6.found()) --ipv6;
  if (room_ipv4 == 0) ipv4 = 0;
  if (room_ipv6 == 0) ipv6 = 0;

  want = std::min(want, ipv4 + ipv6);
  const uint32_t share = ShareOf(want, ipv4, ipv4 + ipv6, random);
  if (share > 0) {
    sampled.ipv4 =
        PeersIpv4(Where(Family::kIpv4))
            .Sample(std::min(share, room_ipv4), with_seeders, self.ipv4, random, out.ipv4.data());
  }
  if (want > share) {
    sampled.ipv6 = PeersIpv6(Where(Family::kIpv6))
                       .Sample(std::min(want - share, room_ipv6), with_seeders, self.ipv6, random,
                               out.ipv6.data());
  }
  return sampled;
}

bool Torrent::Sweep(TorrentSweepPlace* place, uint32_t* budget) {
  *budget -= std::min(*budget, uint32_t{1});
  if (slot_->kind() == SlotKind::kOnePeer) {
    if (IsExpired(inline_state(), memory_->tick)) RemoveInline();
    return true;
  }
  if (!place->ipv4_done) {
    uint8_t* const where = Where(Family::kIpv4);
    if (where != nullptr && !PeersIpv4(where).Sweep(&place->in_family, budget)) return false;
    *place = {true, {}};
  }
  uint8_t* const where = Where(Family::kIpv6);
  return where == nullptr || PeersIpv6(where).Sweep(&place->in_family, budget);
}

bool Torrent::BlockMoved(BlockRef from, BlockRef to) {
  if (slot_->kind() != SlotKind::kOneFamily && slot_->kind() != SlotKind::kTwoFamilies) {
    return false;
  }
  if (slot_->block() == from) {
    slot_->set_block(to);
    return true;
  }
  if (from.block_class == kTwoFamiliesClass) return false;
  if (from.is_ipv4()) {
    uint8_t* const where = Where(Family::kIpv4);
    return where != nullptr && PeersIpv4(where).BlockMoved(from, to);
  }
  uint8_t* const where = Where(Family::kIpv6);
  return where != nullptr && PeersIpv6(where).BlockMoved(from, to);
}

void Torrent::Destroy() {
  if (uint8_t* const where = Where(Family::kIpv4)) PeersIpv4(where).Destroy();
  if (uint8_t* const where = Where(Family::kIpv6)) PeersIpv6(where).Destroy();
}

}  // namespace septet::tracker
