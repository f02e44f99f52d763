// Random packets of the UDP tracker protocol (BEP 15): good ones, and ones that were changed on the
// way. For RapidCheck, which shrinks them; and for whoever needs many in little time.

#ifndef SEPTET_PROPTESTS_UDP_GENERATORS_H_
#define SEPTET_PROPTESTS_UDP_GENERATORS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proptests/swarm_generators.h"
#include "proptests/udp_packets.h"
#include "rapidcheck.h"
#include "tracker/random.h"

namespace septet::tracker {

// --- For RapidCheck --------------------------------------------------------------------

inline rc::Gen<std::string> GoodUdpConnect() {
  return rc::gen::map(rc::gen::arbitrary<uint32_t>(), ConnectPacket);
}

// Each field may have any value that it can hold; those that mean something come more often. No
// options (BEP 41) follow.
inline rc::Gen<AnnounceFields> GoodUdpAnnounceFields() {
  return rc::gen::build<AnnounceFields>(
      rc::gen::set(&AnnounceFields::transaction_id, rc::gen::arbitrary<uint32_t>()),
      rc::gen::set(&AnnounceFields::info_hash, rc::gen::map(AnyInfoHash(), BytesOfInfoHash)),
      rc::gen::set(&AnnounceFields::left, AnyLeft()),
      rc::gen::set(&AnnounceFields::event, rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 5),
                                                          rc::gen::arbitrary<uint32_t>())),
      rc::gen::set(&AnnounceFields::numwant, rc::gen::oneOf(rc::gen::inRange<int32_t>(-1, 300),
                                                            rc::gen::arbitrary<int32_t>())),
      rc::gen::set(&AnnounceFields::port, rc::gen::arbitrary<uint16_t>()));
}

// `connection_id`: what the tracker's connect reply held, for it to be served.
inline rc::Gen<std::string> GoodUdpAnnounce(uint64_t connection_id) {
  return rc::gen::map(GoodUdpAnnounceFields(), [=](const AnnounceFields& fields) {
    return AnnouncePacket(connection_id, fields);
  });
}

// Of 1 to 74 torrents, as many as BEP 15 has in one packet; some come twice.
inline rc::Gen<std::string> GoodUdpScrape(uint64_t connection_id) {
  const auto hashes = rc::gen::mapcat(rc::gen::inRange<size_t>(1, 75), [](size_t count) {
    return rc::gen::container<std::vector<std::string>>(
        count, rc::gen::map(AnyInfoHash(), BytesOfInfoHash));
  });
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<uint32_t>(), hashes),
                      [=](const std::pair<uint32_t, std::vector<std::string>>& scrape) {
                        return ScrapePacket(connection_id, scrape.first, scrape.second);
                      });
}

inline rc::Gen<std::string> GoodUdpPacket(uint64_t connection_id) {
  return rc::gen::oneOf(GoodUdpConnect(), GoodUdpAnnounce(connection_id),
                        GoodUdpScrape(connection_id));
}

// A good packet of which one to three bytes were changed, or that was cut, or has something
// behind it that may be options of BEP 41.
inline rc::Gen<std::string> MutatedUdpPacket(uint64_t connection_id) {
  return rc::gen::exec([=] {
    std::string packet = *GoodUdpPacket(connection_id);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        packet.resize(*rc::gen::inRange<size_t>(0, packet.size()));
        break;
      case 1:
        packet += *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
        break;
      default:
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
          packet[*rc::gen::inRange<size_t>(0, packet.size())] = *rc::gen::arbitrary<char>();
        }
    }
    return packet;
  });
}

// --- Without RapidCheck: a few nanoseconds a byte, not shrunk ----------------------------

inline std::string RandomBytes(Random& random, size_t size) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random.Next());
  return out;
}

inline AnnounceFields DrawAnnounce(Random& random) {
  AnnounceFields fields;
  fields.transaction_id = static_cast<uint32_t>(random.Next());
  fields.info_hash = TorrentBytes(random.Below(4));
  fields.left = random.Below(3) == 0 ? 0 : random.Next();
  fields.event = random.Below(8) == 0 ? static_cast<uint32_t>(random.Next()) : random.Below(6);
  fields.numwant = random.Below(4) == 0 ? static_cast<int32_t>(random.Next())
                                        : static_cast<int32_t>(random.Below(300)) - 1;
  fields.port = static_cast<uint16_t>(random.Below(4) == 0 ? random.Next() : 6881);
  if (random.Below(4) == 0) fields.tail = RandomBytes(random, random.Below(40));
  return fields;
}

// A packet that is good, nearly so, or no packet at all.
inline std::string DrawPacket(Random& random, uint64_t connection_id) {
  std::string packet;
  switch (random.Below(8)) {
    case 0:
      packet = ConnectPacket(static_cast<uint32_t>(random.Next()));
      break;
    case 1:
    case 2: {
      std::vector<std::string> hashes(random.Below(80));
      for (std::string& hash : hashes) hash = TorrentBytes(random.Below(6));
      packet = ScrapePacket(connection_id, static_cast<uint32_t>(random.Next()), hashes);
      break;
    }
    case 3:
      packet = RandomBytes(random, random.Below(200));
      break;
    default:
      packet = AnnouncePacket(connection_id, DrawAnnounce(random));
  }
  if (random.Below(6) == 0) packet.resize(random.Below(static_cast<uint32_t>(packet.size()) + 1));
  if (random.Below(6) == 0 && !packet.empty()) {
    packet[random.Below(static_cast<uint32_t>(packet.size()))] = static_cast<char>(random.Next());
  }
  return packet;
}

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_UDP_GENERATORS_H_
