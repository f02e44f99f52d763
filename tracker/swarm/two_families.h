// The block of a torrent that has peers of both families.

#ifndef SEPTET_TRACKER_SWARM_TWO_FAMILIES_H_
#define SEPTET_TRACKER_SWARM_TWO_FAMILIES_H_

#include <cstdint>

#include "tracker/swarm/block_arena.h"

namespace septet::tracker {

struct [[gnu::packed]] TwoFamilies {
  uint32_t hash;                   // of the torrent: see block_arena.h
  uint8_t ipv4[BlockRef::kBytes];  // where the peers of each family lie
  uint8_t ipv6[BlockRef::kBytes];
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_TWO_FAMILIES_H_
