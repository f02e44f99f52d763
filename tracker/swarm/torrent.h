// One torrent: the peers of both families behind its slot, and the changes from one
// layout to another as they come and go.

#ifndef SEPTET_TRACKER_SWARM_TORRENT_H_
#define SEPTET_TRACKER_SWARM_TORRENT_H_

#include <cstdint>

#include "tracker/random.h"
#include "tracker/swarm/family_peers.h"
#include "tracker/swarm/hash_slice.h"
#include "tracker/swarm/shard_memory.h"
#include "tracker/swarm/torrent_slot.h"
#include "tracker/swarm/two_families.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Where a sweep stands within a torrent.
struct TorrentSweepPlace {
  bool ipv4_done = false;
  SweepPlace in_family;
};

// A view of a slot. The slot must stay where it is while it is in use: nothing here
// inserts into or erases from the table.
class Torrent {
 public:
  // How many peers there are, by family.
  struct Census {
    uint32_t ipv4_seeders = 0;
    uint32_t ipv4 = 0;
    uint32_t ipv6_seeders = 0;
    uint32_t ipv6 = 0;
    uint32_t seeders() const { return ipv4_seeders + ipv6_seeders; }
    uint32_t peers() const { return ipv4 + ipv6; }
  };

  // A peer of this torrent; valid until the next change.
  struct Listed {
    bool found = false;
    bool is_seeder = false;
    FamilyPeers<Ipv4>::Position ipv4;
    FamilyPeers<Ipv6>::Position ipv6;
  };

  // `hash`: TorrentTable::HashOf its info-hash.
  Torrent(TorrentSlot* slot, uint32_t hash, ShardMemory* memory)
      : slot_(slot), hash_(hash), memory_(memory) {}

  Census Count() const;

  // Lists the peer, or refreshes it, and counts its download. Not found when there is no
  // memory for it.
  Listed Upsert(const Endpoint& peer, Role role, Event event);

  // Removes the peer if it is listed. Settle afterwards.
  void Remove(const Endpoint& peer);

  // Copies up to `want` peers other than `self`, of those that are no seeders if not
  // `with_seeders`, to `out`, within its room. Each has the same chance. `census` is Count().
  struct Sampled {
    uint32_t ipv4 = 0;
    uint32_t ipv6 = 0;
  };
  Sampled Sample(uint32_t want, bool with_seeders, const Listed& self, const Census& census,
                 Random& random, const PeerOutput& out) const;

  // Removes expired peers from *place on, at most about *budget of them looked at, which
  // is counted down. True when the end was reached; then Settle.
  bool Sweep(TorrentSweepPlace* place, uint32_t* budget);

  // Calls visit.template operator()<Family>(key, state), Family Ipv4 or Ipv6, for each peer of the
  // slice.
  template <typename Visit>
  void VisitSlice(HashSlice slice, Visit& visit) const;

  // Makes it a peer that last announced at `tick`.
  void SetTick(const Listed& listed, Tick tick);

  // Brings the peers that are left into their smallest layout.
  void Settle();

  // If block `from` belongs to this torrent, it lies at `to` now.
  bool BlockMoved(BlockRef from, BlockRef to);

  // Frees what does not lie in the arena.
  void Destroy();

 private:
  // The one peer of a kOnePeer slot.
  const uint8_t* inline_key() const { return slot_->body; }
  PeerState inline_state() const { return slot_->body[kCompactIpv4Bytes]; }
  void SetInline(const uint8_t* key, PeerState state);
  void RemoveInline();

  // Where the BlockRef of the family's peers lies; null if it has none.
  uint8_t* Where(Family family) const {
    const bool ipv4 = family == Family::kIpv4;
    if (slot_->kind() == SlotKind::kOneFamily) {
      return slot_->block().is_ipv4() == ipv4 ? slot_->body : nullptr;
    }
    if (slot_->kind() == SlotKind::kTwoFamilies) return ipv4 ? two()->ipv4 : two()->ipv6;
    return nullptr;
  }
  TwoFamilies* two() const {
    return reinterpret_cast<TwoFamilies*>(memory_->arena.block(slot_->block()));
  }
  FamilyPeers<Ipv4> PeersIpv4(uint8_t* where) const { return {where, hash_, memory_}; }
  FamilyPeers<Ipv6> PeersIpv6(uint8_t* where) const { return {where, hash_, memory_}; }

  bool PrepareIpv4();
  bool PrepareIpv6();
  bool MakeTwoFamilies();
  void LeaveTwoFamilies();
  Listed UpsertInline(const Endpoint& peer, Role role, Event event);

  TorrentSlot* slot_;
  uint32_t hash_;
  ShardMemory* memory_;
};

template <typename Visit>
void Torrent::VisitSlice(HashSlice slice, Visit& visit) const {
  const auto ipv4 = [&](const uint8_t* key, PeerState state) {
    visit.template operator()<Ipv4>(key, state);
  };
  const auto ipv6 = [&](const uint8_t* key, PeerState state) {
    visit.template operator()<Ipv6>(key, state);
  };
  if (slot_->kind() == SlotKind::kOnePeer) {
    if (slice.Holds<Ipv4>(*memory_->hash, inline_key())) ipv4(inline_key(), inline_state());
    return;
  }
  if (uint8_t* const where = Where(Family::kIpv4)) PeersIpv4(where).VisitSlice(slice, ipv4);
  if (uint8_t* const where = Where(Family::kIpv6)) PeersIpv6(where).VisitSlice(slice, ipv6);
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_TORRENT_H_
