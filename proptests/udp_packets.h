// Packets of the UDP tracker protocol (BEP 15), written field by field as its tables say: what the
// tracker's own reader and writer are compared with.

#ifndef SEPTET_PROPTESTS_UDP_PACKETS_H_
#define SEPTET_PROPTESTS_UDP_PACKETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tracker/endpoint.h"

namespace septet::tracker {

// `bytes` bytes of `value` in network order, the obvious way.
inline std::string BigEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}
inline uint64_t FromBigEndian(const std::string& bytes) {
  uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

inline std::string ConnectPacket(uint32_t transaction_id) {
  return BigEndian(0x41727101980, 8) + BigEndian(0, 4) + BigEndian(transaction_id, 4);
}

struct AnnounceFields {
  uint32_t transaction_id = 0;
  std::string info_hash = std::string(20, 'h');
  uint64_t left = 1;
  uint32_t event = 0;
  int32_t numwant = -1;
  uint16_t port = 6881;
  std::string tail;  // the options of BEP 41, or what somebody sends for them
};

// The layout is BEP 15's table, field by field.
inline std::string AnnouncePacket(uint64_t connection_id, const AnnounceFields& fields) {
  return BigEndian(connection_id, 8) + BigEndian(1, 4) + BigEndian(fields.transaction_id, 4) +
         fields.info_hash + "-XX0001-abcdefghijkl" + BigEndian(7, 8) + BigEndian(fields.left, 8) +
         BigEndian(9, 8) + BigEndian(fields.event, 4) + BigEndian(0x08080808, 4) +
         BigEndian(0x0badcafe, 4) + BigEndian(static_cast<uint32_t>(fields.numwant), 4) +
         BigEndian(fields.port, 2) + fields.tail;
}

inline std::string ScrapePacket(uint64_t connection_id, uint32_t transaction_id,
                                const std::vector<std::string>& info_hashes) {
  std::string out = BigEndian(connection_id, 8) + BigEndian(2, 4) + BigEndian(transaction_id, 4);
  for (const std::string& info_hash : info_hashes) out += info_hash;
  return out;
}

// One of a few hundred sources of both families, each with some port.
inline Endpoint SourceNumber(uint32_t number) {
  uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
  address[14] = static_cast<uint8_t>(number >> 8);
  address[15] = static_cast<uint8_t>(number);
  const auto port = static_cast<uint16_t>(1024 + number);
  if (number % 3 == 0) return MakeIpv6(address, port);
  address[12] = 198;
  address[13] = 51;
  return MakeIpv4(address + 12, port);
}

inline std::string TorrentBytes(uint32_t number) {
  return std::string(19, 't') + static_cast<char>(number);
}

}  // namespace septet::tracker

#endif  // SEPTET_PROPTESTS_UDP_PACKETS_H_
