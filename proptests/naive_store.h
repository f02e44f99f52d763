// The contract of the swarm store, written the obvious way: what the real one is
// compared with. It knows nothing of bytes, shards, sweeping in steps or caps.

#ifndef SEPTET_PROPTESTS_NAIVE_STORE_H_
#define SEPTET_PROPTESTS_NAIVE_STORE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tracker/swarm_store.h"

namespace septet::tracker {

class NaiveStore {
 public:
  // The peers that an announce may be told of; none is named to one that wants none.
  struct Eligible {
    std::set<std::string> ipv4;  // in compact form
    std::set<std::string> ipv6;
  };
  struct Result {
    SwarmCounts counts;
    bool has_ipv6 = false;
    Eligible eligible;
  };

  // The tick of the real store, in which both count time.
  NaiveStore(const StoreOptions& options, int64_t tick_ms)
      : tick_ms_(tick_ms),
        timeout_ticks_((options.peer_timeout_ms + tick_ms - 1) / tick_ms),
        retention_ticks_((options.downloaded_retention_ms + tick_ms - 1) / tick_ms) {}

  // What an announce does, without the answer.
  void Update(const AnnounceRequest& request, int64_t now_ms) {
    if (request.peer.port() == 0) return;
    const int64_t tick = TickAt(now_ms);
    const std::string key = Compact(request.peer);
    if (request.event == Event::kStopped) {
      Remove(request.info_hash, key, tick);
    } else {
      const Role role = RoleOf(request);
      Torrent& torrent = torrents_[request.info_hash];
      Peer& peer = torrent.peers[key];
      if (request.event == Event::kCompleted && !peer.counted) {
        peer.counted = true;
        ++torrent.downloaded;
      }
      // That it was counted is known only of a seeder.
      if (role != Role::kSeeder) peer.counted = false;
      peer.role = role;
      peer.tick = tick;
    }
  }

  Result Announce(const AnnounceRequest& request, int64_t now_ms) {
    Update(request, now_ms);
    const std::string key = Compact(request.peer);
    const bool stops = request.event == Event::kStopped;
    const Role role = RoleOf(request);
    Result result;
    const auto found = torrents_.find(request.info_hash);
    if (found == torrents_.end()) return result;
    result.counts = CountsOf(found->second);
    for (const auto& [other, peer] : found->second.peers) {
      const bool ipv6 = other.size() == kCompactIpv6Bytes;
      result.has_ipv6 |= ipv6;
      if (request.numwant == 0 || stops || other == key) continue;
      if (role == Role::kSeeder && peer.role == Role::kSeeder) continue;
      (ipv6 ? result.eligible.ipv6 : result.eligible.ipv4).insert(other);
    }
    return result;
  }

  SwarmCounts Scrape(const InfoHash& info_hash) const {
    const auto found = torrents_.find(info_hash);
    return found == torrents_.end() ? SwarmCounts{} : CountsOf(found->second);
  }

  // As if the real store's Sweep were called until it is done.
  void Sweep(int64_t now_ms) {
    const int64_t tick = TickAt(now_ms);
    for (auto torrent = torrents_.begin(); torrent != torrents_.end();) {
      auto& peers = torrent->second.peers;
      const bool had_peers = !peers.empty();
      for (auto peer = peers.begin(); peer != peers.end();) {
        peer = tick - peer->second.tick > timeout_ticks_ ? peers.erase(peer) : std::next(peer);
      }
      if (had_peers && peers.empty()) torrent->second.empty_since = tick;
      torrent = IsForgotten(torrent->second, tick) ? torrents_.erase(torrent) : std::next(torrent);
    }
  }

  uint64_t torrents() const { return torrents_.size(); }
  uint64_t peers(Family family) const {
    const size_t bytes = family == Family::kIpv4 ? kCompactIpv4Bytes : kCompactIpv6Bytes;
    uint64_t n = 0;
    for (const auto& [info_hash, torrent] : torrents_) {
      for (const auto& [key, peer] : torrent.peers) n += key.size() == bytes ? 1 : 0;
    }
    return n;
  }

  static std::string Compact(const Endpoint& peer) {
    return std::string(reinterpret_cast<const char*>(peer.compact.data()), peer.compact_bytes());
  }

 private:
  struct Peer {
    Role role = Role::kLeecher;
    bool counted = false;
    int64_t tick = 0;
  };
  struct Torrent {
    std::map<std::string, Peer> peers;
    uint32_t downloaded = 0;
    int64_t empty_since = 0;
  };

  // A completed download has everything, whatever `left` said.
  static Role RoleOf(const AnnounceRequest& request) {
    return request.event == Event::kCompleted ? Role::kSeeder : request.role;
  }

  int64_t TickAt(int64_t now_ms) const { return now_ms / tick_ms_; }

  bool IsForgotten(const Torrent& torrent, int64_t tick) const {
    if (!torrent.peers.empty()) return false;
    return torrent.downloaded == 0 || tick - torrent.empty_since > retention_ticks_;
  }

  void Remove(const InfoHash& info_hash, const std::string& key, int64_t tick) {
    const auto found = torrents_.find(info_hash);
    if (found == torrents_.end() || found->second.peers.erase(key) == 0) return;
    if (!found->second.peers.empty()) return;
    found->second.empty_since = tick;
    if (found->second.downloaded == 0) torrents_.erase(found);
  }

  static SwarmCounts CountsOf(const Torrent& torrent) {
    SwarmCounts counts;
    counts.downloaded = torrent.downloaded;
    for (const auto& [key, peer] : torrent.peers) {
      ++(peer.role == Role::kSeeder ? counts.complete : counts.incomplete);
    }
    return counts;
  }

  const int64_t tick_ms_;
  const int64_t timeout_ticks_;
  const int64_t retention_ticks_;
  std::map<InfoHash, Torrent> torrents_;
};

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_NAIVE_STORE_H_
