// Random torrents, peers and announces, in the terms of //tracker: what arrives at a tracker
// whatever it speaks. RapidCheck shrinks them to few torrents and plain addresses.

#ifndef SEPTET_PROPTESTS_SWARM_GENERATORS_H_
#define SEPTET_PROPTESTS_SWARM_GENERATORS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "rapidcheck.h"
#include "tracker/endpoint.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

inline std::string BytesOfInfoHash(const InfoHash& info_hash) {
  return std::string(info_hash.begin(), info_hash.end());
}

// Evenly spread, as those of real torrents are, so that two are hardly ever the same.
inline rc::Gen<InfoHash> AnyInfoHash() { return rc::gen::arbitrary<InfoHash>(); }

// One of `torrents` (at least 1) info-hashes, so that those who draw from the same number meet in
// the same swarms.
inline rc::Gen<InfoHash> InfoHashAmong(uint32_t torrents) {
  return rc::gen::map(rc::gen::inRange<uint32_t>(0, torrents), [](uint32_t number) {
    InfoHash info_hash{};
    for (int i = 0; i < 4; ++i) info_hash[i] = static_cast<uint8_t>(number >> (8 * i));
    return info_hash;
  });
}

// Where a peer may listen: not port 0, which means that it does not.
inline rc::Gen<uint16_t> ListeningPort() {
  return rc::gen::oneOf(rc::gen::element<uint16_t>(6881, 51413, 1, 65535),
                        rc::gen::inRange<uint16_t>(1, std::numeric_limits<uint16_t>::max()));
}

// Any IPv4 address; many differ from each other in one byte or in the port alone.
inline rc::Gen<Endpoint> Ipv4Peer() {
  const auto address = rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<uint8_t>(),
                   [](uint8_t last) { return std::array<uint8_t, 4>{198, 51, 100, last}; }),
      rc::gen::arbitrary<std::array<uint8_t, 4>>());
  return rc::gen::apply([](const std::array<uint8_t, 4>& bytes,
                           uint16_t port) { return MakeIpv4(bytes.data(), port); },
                        address, ListeningPort());
}

// Any address of 2000::/3, the global ones; so none is an IPv4-mapped one.
inline rc::Gen<Endpoint> Ipv6Peer() {
  const auto address =
      rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<uint8_t>(),
                                  [](uint8_t last) {
                                    std::array<uint8_t, 16> bytes = {0x20, 0x01, 0x0d, 0xb8};
                                    bytes[15] = last;
                                    return bytes;
                                  }),
                     rc::gen::map(rc::gen::arbitrary<std::array<uint8_t, 16>>(),
                                  [](std::array<uint8_t, 16> bytes) {
                                    bytes[0] = static_cast<uint8_t>(0x20 | (bytes[0] & 0x1f));
                                    return bytes;
                                  }));
  return rc::gen::apply([](const std::array<uint8_t, 16>& bytes,
                           uint16_t port) { return MakeIpv6(bytes.data(), port); },
                        address, ListeningPort());
}

inline rc::Gen<Endpoint> AnyPeer() { return rc::gen::oneOf(Ipv4Peer(), Ipv6Peer()); }

// Bytes that a peer says are left: often none, which is what makes it a seeder.
inline rc::Gen<uint64_t> AnyLeft() {
  return rc::gen::oneOf(rc::gen::just<uint64_t>(0), rc::gen::just<uint64_t>(UINT64_MAX),
                        rc::gen::arbitrary<uint64_t>());
}

// Of one of `torrents` swarms (at least 1). All that Service::Announce and SwarmStore::Announce
// take may come, peers that do not listen (port 0) too.
inline rc::Gen<AnnounceRequest> AnyAnnounce(uint32_t torrents) {
  const auto peer = rc::gen::map(rc::gen::pair(AnyPeer(), rc::gen::inRange(0, 20)),
                                 [](std::pair<Endpoint, int> drawn) {
                                   if (drawn.second == 19) drawn.first.set_port(0);
                                   return drawn.first;
                                 });
  return rc::gen::build<AnnounceRequest>(
      rc::gen::set(&AnnounceRequest::info_hash, InfoHashAmong(torrents)),
      rc::gen::set(&AnnounceRequest::peer, peer),
      rc::gen::set(&AnnounceRequest::role,
                   rc::gen::element(Role::kLeecher, Role::kSeeder, Role::kPartialSeed)),
      rc::gen::set(&AnnounceRequest::event, rc::gen::element(Event::kNone, Event::kStarted,
                                                             Event::kCompleted, Event::kStopped)),
      rc::gen::set(&AnnounceRequest::numwant, rc::gen::inRange<uint32_t>(0, 201)));
}

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_SWARM_GENERATORS_H_
