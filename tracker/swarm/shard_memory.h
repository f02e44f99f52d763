// What the parts of a shard share: its blocks, its hash and its counters.

#ifndef SEPTET_TRACKER_SWARM_SHARD_MEMORY_H_
#define SEPTET_TRACKER_SWARM_SHARD_MEMORY_H_

#include <cstdint>

#include "tracker/swarm/block_arena.h"
#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/memory_budget.h"
#include "tracker/swarm/peer_state.h"

namespace septet::tracker {

// Guarded by the lock of the shard.
struct ShardMemory {
  template <typename Family>
  uint64_t& peers() {
    return Family::kKeyBytes == kCompactIpv4Bytes ? ipv4_peers : ipv6_peers;
  }

  const KeyedHash* hash = nullptr;
  MemoryBudget* budget = nullptr;
  BlockArena arena;
  uint64_t directory_bytes = 0;
  uint64_t ipv4_peers = 0;  // kept by whoever adds or removes one
  uint64_t ipv6_peers = 0;
  Tick tick = 0;  // now
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_SHARD_MEMORY_H_
