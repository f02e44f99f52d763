// What must hold of every reply over UDP (BEP 15), whatever the packet was: the contract
// of properties and of the fuzz target.

#ifndef SEPTET_PROPTESTS_UDP_CHECK_H_
#define SEPTET_PROPTESTS_UDP_CHECK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "proptests/udp_packets.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

// The most peers that the announce may be told of by a tracker with the default options.
inline size_t PeersMax(const std::string& packet) {
  constexpr uint64_t kStopped = 3;
  if (FromBigEndian(packet.substr(80, 4)) == kStopped) return 0;
  const auto numwant = static_cast<int32_t>(FromBigEndian(packet.substr(92, 4)));
  return numwant < 0 ? 50 : std::min(numwant, 200);
}

inline constexpr uint64_t kDefaultIntervalS = 30 * 60;

// What is wrong with the reply to an announce whose connection id is valid, or "".
inline std::string AnnounceFault(const std::string& packet, const Endpoint& source,
                                 const std::string& reply,
                                 uint64_t asked_interval_s = kDefaultIntervalS) {
  if (FromBigEndian(reply.substr(0, 4)) != 1 || reply.size() < 20) {
    return "an announce reply of another shape";
  }
  // Give or take a tenth.
  const uint64_t interval_s = FromBigEndian(reply.substr(8, 4));
  const uint64_t tenth_s = asked_interval_s / 10;
  if (interval_s < asked_interval_s - tenth_s || interval_s > asked_interval_s + tenth_s) {
    return "an interval out of its bounds";
  }
  const size_t peer_bytes = source.family == Family::kIpv4 ? 6 : 18;
  if ((reply.size() - 20) % peer_bytes != 0) return "peers of another family";
  if ((reply.size() - 20) / peer_bytes > PeersMax(packet)) return "more peers than wanted";
  const std::string asker(source.compact.begin(),
                          source.compact.begin() + static_cast<ptrdiff_t>(peer_bytes - 2));
  std::set<std::string> peers = {asker + packet.substr(96, 2)};
  for (size_t at = 20; at < reply.size(); at += peer_bytes) {
    if (!peers.insert(reply.substr(at, peer_bytes)).second) return "a peer twice, or the asker";
  }
  return "";
}

// What is wrong with the reply, or "". `has_valid_id`: the packet began with a connection
// id that is valid for its source. `reply` is empty if there was none.
inline std::string UdpFault(const std::string& packet, const Endpoint& source, bool has_valid_id,
                            const std::string& reply,
                            uint64_t asked_interval_s = kDefaultIntervalS) {
  if (packet.size() < 16) return reply.empty() ? "" : "a reply to less than 16 bytes";
  const uint64_t action = FromBigEndian(packet.substr(8, 4));
  const bool is_connect = action == 0;
  const bool has_magic = FromBigEndian(packet.substr(0, 8)) == 0x41727101980;
  if (action > 2 || (is_connect && !has_magic)) return reply.empty() ? "" : "a reply to nothing";
  if (reply.size() < 8) return "no reply";
  if (reply.size() > 1232) return "a reply that does not fit";
  if (reply.substr(4, 4) != packet.substr(12, 4)) return "another transaction id";
  const uint64_t reply_action = FromBigEndian(reply.substr(0, 4));
  if (is_connect) {
    return reply_action == 0 && reply.size() == 16 ? "" : "a connect reply of another shape";
  }
  if (!has_valid_id) {
    if (reply_action != 3) return "served without a connection id";
    return reply.size() <= packet.size() ? "" : "a reply longer than the request";
  }
  if (action == 1 && packet.size() >= 98) {
    return AnnounceFault(packet, source, reply, asked_interval_s);
  }
  const size_t hashes = (packet.size() - 16) / 20;
  if (action == 2 && hashes > 0) {
    const size_t answered = hashes < 74 ? hashes : 74;
    const bool fits = reply_action == 2 && reply.size() == 8 + 12 * answered;
    return fits ? "" : "a scrape reply of another shape";
  }
  return reply_action == 3 ? "" : "served though too short";
}

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_UDP_CHECK_H_
