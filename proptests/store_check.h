// What must hold of the swarm store beside the naive model, and the small world in which
// the two are compared: shared by the properties and the fuzz target.

#ifndef SEPTET_PROPTESTS_STORE_CHECK_H_
#define SEPTET_PROPTESTS_STORE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// The promise: bytes of the store <= 9 x IPv4 peers + 24 x IPv6 peers + 96 x torrents + a
// constant for each shard, which is a partly filled page or two for each size of block.
inline uint64_t BytesBound(const StoreUsage& usage, uint32_t shards) {
  constexpr uint64_t kIpv4 = 9;
  constexpr uint64_t kIpv6 = 24;
  constexpr uint64_t kTorrent = 96;
  constexpr uint64_t kShard = 832 << 10;
  return kIpv4 * usage.ipv4_peers + kIpv6 * usage.ipv6_peers + kTorrent * usage.torrents +
         kShard * shards;
}

// What is wrong with the account of bytes, or "".
inline std::string BytesFault(const StoreUsage& usage, uint32_t shards) {
  if (usage.bytes_total != usage.bytes_slots + usage.bytes_peers + usage.bytes_directories +
                               usage.bytes_slack + usage.bytes_fixed) {
    return "the parts are not the total";
  }
  return usage.bytes_total <= BytesBound(usage, shards) ? "" : "more bytes than promised";
}

// What is wrong with the peers that an announce was told of, or "": `peers` of them lie at
// the front of `bytes`, in compact form of `peer_bytes` each.
inline std::string ChosenFault(const std::vector<uint8_t>& bytes, uint32_t peers, size_t peer_bytes,
                               const std::set<std::string>& eligible) {
  std::set<std::string> given;
  for (uint32_t i = 0; i < peers; ++i) {
    const std::string peer(reinterpret_cast<const char*>(bytes.data()) + i * peer_bytes,
                           peer_bytes);
    if (eligible.count(peer) == 0) return "a peer that is not to be named";
    if (!given.insert(peer).second) return "a peer twice";
  }
  return "";
}

// A timeout and a retention that a run passes many times.
inline StoreOptions ShortLivedStore(uint64_t key, uint32_t shards = 1) {
  StoreOptions options;
  options.peer_timeout_ms = 48'000;
  options.downloaded_retention_ms = 200'000;
  options.shards = shards;
  options.hash_key = {key, ~key};
  return options;
}

inline InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  for (int i = 0; i < 4; ++i) info_hash[i] = static_cast<uint8_t>(number >> (8 * i));
  return info_hash;
}

// Peers of either family. Every seventh shares one address and has a port of its own.
inline Endpoint PeerNumber(uint32_t number, bool is_ipv6) {
  const bool by_port = number % 7 == 0;
  uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
  for (int i = 0; i < 4; ++i) {
    address[15 - i] = static_cast<uint8_t>((by_port ? 1 : number) >> (8 * i));
  }
  const auto port = static_cast<uint16_t>(by_port ? 1 + number % 65535 : 6881);
  return is_ipv6 ? MakeIpv6(address, port) : MakeIpv4(address + 12, port);
}

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_STORE_CHECK_H_
