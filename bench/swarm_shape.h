// The swarms of the benchmarks: so many torrents, so many peers each, the same each time.

#ifndef SEPTET_BENCH_SWARM_SHAPE_H_
#define SEPTET_BENCH_SWARM_SHAPE_H_

#include <cstdint>
#include <vector>

#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

struct SwarmShape {
  uint32_t torrents = 2000;
  uint32_t peers = 1000;  // of each torrent; below 65,536 over a socket: a port each
  bool ipv6 = false;

  uint64_t all_peers() const { return uint64_t{torrents} * peers; }
};

// As random as a real info-hash is.
inline tracker::InfoHash TorrentHash(uint32_t torrent) {
  tracker::Random random(torrent * 0x9e3779b97f4a7c15);
  tracker::InfoHash hash;
  for (uint8_t& byte : hash) byte = static_cast<uint8_t>(random.Next());
  return hash;
}

inline std::vector<tracker::InfoHash> TorrentHashes(uint32_t torrents) {
  std::vector<tracker::InfoHash> hashes(torrents);
  for (uint32_t i = 0; i < torrents; ++i) hashes[i] = TorrentHash(i);
  return hashes;
}

// Every second peer is a seeder.
inline bool IsSeeder(uint32_t peer) { return peer % 2 == 0; }

// Another address for each peer, as over the Internet.
inline tracker::Endpoint PeerEndpoint(const SwarmShape& shape, uint32_t torrent, uint32_t peer) {
  tracker::Random random((uint64_t{torrent} << 32 | peer) * 0x9e3779b97f4a7c15);
  const uint64_t bits = random.Next();
  uint8_t address[16] = {0x20, 0x01};
  for (int i = 2; i < 16; ++i) address[i] = static_cast<uint8_t>(bits >> (4 * i));
  const auto port = static_cast<uint16_t>(1024 + bits % 60000);
  return shape.ipv6 ? tracker::MakeIpv6(address, port) : tracker::MakeIpv4(address + 4, port);
}

}  // namespace septet::bench

#endif  // SEPTET_BENCH_SWARM_SHAPE_H_
