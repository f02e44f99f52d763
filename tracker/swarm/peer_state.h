// The one byte that the store keeps of a peer beside its address and port.

#ifndef SEPTET_TRACKER_SWARM_PEER_STATE_H_
#define SEPTET_TRACKER_SWARM_PEER_STATE_H_

#include <cstdint>

#include "tracker/swarm_store.h"

namespace septet::tracker {

// Time as the store counts it: see SwarmStore::tick_ms.
using Tick = uint64_t;

// Bits 0-1: what the peer is; bits 2-7: the tick of its last announce, modulo 64.
using PeerState = uint8_t;

enum class Standing : uint8_t {
  kLeecher = 0,
  kPartialSeed = 1,
  kSeeder = 2,
  kCountedSeeder = 3,  // its download is in the torrent's `downloaded` already
};

// Ticks are told apart modulo 64. A timeout is this many of them; the rest is how far
// the sweep may lag before an old peer could be taken for a fresh one.
inline constexpr uint32_t kTimeoutTicks = 48;
inline constexpr uint32_t kSweepLagTicksMax = 64 - kTimeoutTicks - 2;

constexpr PeerState MakePeerState(Standing standing, Tick tick) {
  return static_cast<PeerState>(static_cast<Tick>(standing) | tick << 2);
}
constexpr Standing StandingOf(PeerState state) { return static_cast<Standing>(state & 3); }
constexpr bool IsSeeder(Standing standing) { return standing >= Standing::kSeeder; }
constexpr bool IsSeederState(PeerState state) { return (state & 2) != 0; }

// Whether the peer last announced more than kTimeoutTicks before `tick`.
constexpr bool IsExpired(PeerState state, Tick tick) {
  return ((static_cast<uint32_t>(tick) - (state >> 2)) & 63) > kTimeoutTicks;
}

// What a peer that stands so, or is new (kLeecher), becomes by an announce.
struct Transition {
  Standing standing;
  bool counts_download;
};
constexpr Transition Advance(Standing before, Role role, Event event) {
  if (event == Event::kCompleted)
    return {Standing::kCountedSeeder, before != Standing::kCountedSeeder};
  if (role == Role::kLeecher) return {Standing::kLeecher, false};
  if (role == Role::kPartialSeed) return {Standing::kPartialSeed, false};
  return {before == Standing::kCountedSeeder ? before : Standing::kSeeder, false};
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_PEER_STATE_H_
