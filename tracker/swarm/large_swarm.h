// The block of the peers of one family in a torrent that has many of them.

#ifndef SEPTET_TRACKER_SWARM_LARGE_SWARM_H_
#define SEPTET_TRACKER_SWARM_LARGE_SWARM_H_

#include <cstdint>

namespace septet::tracker {

// The root of a set of peers; see peer_set.h. Zeroed: an empty set.
struct [[gnu::packed]] PeerSetRoot {
  uint32_t count;          // peers
  uint32_t leaves;         // of the directory, at least 1 (0 in an empty set that never had one)
  uint8_t leaf_peers_max;  // no leaf has more, when there is more than one
  union {
    uint32_t only_leaf;  // its block's index, when there is one leaf
    char* directory;     // otherwise
  };
};

// Seeders and the others apart, so that a seeder, which is told of no seeder, need not
// look for a few leechers among many seeders.
struct [[gnu::packed]] LargeSwarm {
  uint32_t hash;  // of the torrent: see block_arena.h
  PeerSetRoot seeders;
  PeerSetRoot others;
};
static_assert(sizeof(LargeSwarm) == 38);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_LARGE_SWARM_H_
