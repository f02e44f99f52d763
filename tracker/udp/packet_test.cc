#include "tracker/udp/packet.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::tracker::udp {
namespace {

// The tables of BEP 15, a field a line, each with a value of its own.
constexpr absl::string_view kAnnounceFields[] = {
    "0102030405060708",                          // connection id
    "00000001",                                  // action
    "11121314",                                  // transaction id
    "202122232425262728292a2b2c2d2e2f30313233",  // info_hash
    "404142434445464748494a4b4c4d4e4f50515253",  // peer_id
    "6061626364656667",                          // downloaded
    "7071727374757677",                          // left
    "8081828384858687",                          // uploaded
    "90919293",                                  // event
    "a0a1a2a3",                                  // IP address
    "b0b1b2b3",                                  // key
    "c0c1c2c3",                                  // num_want
    "d0d1",                                      // port
};

std::vector<uint8_t> FromHex(absl::string_view hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

std::vector<uint8_t> AnnounceOfTheBep() {
  std::string hex;
  for (const absl::string_view field : kAnnounceFields) hex.append(field.data(), field.size());
  return FromHex(hex);
}

// Writes with `write` to a buffer and returns what it said it wrote, in hexadecimal. The
// bytes behind that must not change.
template <typename Write>
std::string Written(Write write) {
  constexpr uint8_t kGuard = 0xa5;
  std::array<uint8_t, 64> out;
  out.fill(kGuard);
  const size_t size = write(out.data());
  for (size_t i = size; i < out.size(); ++i) EXPECT_EQ(out[i], kGuard) << i;
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(out.data()), size));
}

TEST(Packet, AnnounceFieldsLieWhereTheBepPutsThem) {
  const std::vector<uint8_t> packet = AnnounceOfTheBep();
  ASSERT_EQ(packet.size(), kAnnounceBytes);
  const RequestHeader header = ReadRequestHeader(packet);
  EXPECT_EQ(header.connection_id, 0x0102030405060708u);
  EXPECT_EQ(header.action, 1u);
  EXPECT_EQ(header.transaction_id, 0x11121314u);
  const Announce announce = ReadAnnounce(packet);
  for (size_t i = 0; i < announce.info_hash.size(); ++i) {
    EXPECT_EQ(announce.info_hash[i], 0x20 + i);
  }
  EXPECT_EQ(announce.left, 0x7071727374757677u);
  EXPECT_EQ(announce.event, 0x90919293u);
  EXPECT_EQ(announce.numwant, -0x3f3e3d3d);  // c0c1c2c3 as a signed number
  EXPECT_EQ(announce.port, 0xd0d1u);
}

TEST(Packet, ConnectReply) {
  EXPECT_EQ(
      Written([](uint8_t* out) { return WriteConnectReply(0x11121314, 0x0102030405060708, out); }),
      "00000000"
      "11121314"
      "0102030405060708");
}

TEST(Packet, AnnounceReplyHeaderHasLeechersBeforeSeeders) {
  const AnnounceReplyHeader header = {
      .transaction_id = 0x11121314, .interval_s = 1800, .leechers = 0x21222324, .seeders = 3};
  EXPECT_EQ(Written([&](uint8_t* out) { return WriteAnnounceReplyHeader(header, out); }),
            "00000001"
            "11121314"
            "00000708"
            "21222324"
            "00000003");
}

TEST(Packet, ScrapeReplyHasSeedersCompletedLeechers) {
  EXPECT_EQ(Written([](uint8_t* out) { return WriteScrapeReplyHeader(0x11121314, out); }),
            "00000002"
            "11121314");
  const SwarmCounts counts = {.complete = 1, .incomplete = 0x31323334, .downloaded = 0x21222324};
  EXPECT_EQ(Written([&](uint8_t* out) { return WriteScrapeEntry(counts, out); }),
            "00000001"
            "21222324"
            "31323334");
}

TEST(Packet, AScrapeAsksForWholeInfoHashesAndNoMoreThan74) {
  const auto count = [](size_t bytes) {
    return ScrapeHashCount(std::vector<uint8_t>(kRequestHeaderBytes + bytes));
  };
  EXPECT_EQ(count(0), 0u);
  EXPECT_EQ(count(19), 0u);
  EXPECT_EQ(count(20), 1u);
  EXPECT_EQ(count(39), 1u);
  EXPECT_EQ(count(40), 2u);
  EXPECT_EQ(count(74 * 20), 74u);
  EXPECT_EQ(count(75 * 20), 74u);
  // The reply to the most that can be asked fits.
  EXPECT_LE(kReplyHeaderBytes + kScrapeHashesMax * kScrapeEntryBytes, kReplyBytesMax);

  std::vector<uint8_t> packet(kRequestHeaderBytes + 2 * 20);
  for (size_t i = 0; i < packet.size(); ++i) packet[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(ReadScrapeHash(packet, 0).front(), 16);
  EXPECT_EQ(ReadScrapeHash(packet, 0).back(), 35);
  EXPECT_EQ(ReadScrapeHash(packet, 1).front(), 36);
  EXPECT_EQ(ReadScrapeHash(packet, 1).back(), 55);
}

TEST(Packet, AnErrorIsCutToItsRoom) {
  const auto error = [](absl::string_view message, size_t bytes_max) {
    return Written([&](uint8_t* out) { return WriteError(0x11121314, message, bytes_max, out); });
  };
  EXPECT_EQ(error("wrong", 64),
            "0000000311121314"
            "77726f6e67");
  EXPECT_EQ(error("wrong", 13),
            "0000000311121314"
            "77726f6e67");
  EXPECT_EQ(error("wrong", 12),
            "0000000311121314"
            "77726f6e");
  EXPECT_EQ(error("wrong", 8), "0000000311121314");
  EXPECT_EQ(error("", 64), "0000000311121314");
}

}  // namespace
}  // namespace septet::tracker::udp
