#include "tracker/udp/udp_handler.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

// Packets are written as the tables of BEP 15 show them: fields in hexadecimal.
std::string Bytes(absl::string_view hex) {
  std::string digits;
  for (const char c : hex) {
    if (c != ' ') digits += c;
  }
  return absl::HexStringToBytes(digits);
}

std::string Hex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

constexpr absl::string_view kConnect = "0000041727101980 00000000 c0ffee01";
const std::string kHash(20, 'h');

class UdpHandlerTest : public testing::Test {
 protected:
  static StoreOptions StoreWithKey() {
    StoreOptions options;
    options.hash_key = {1, 2};
    return options;
  }

  std::string Handle(absl::string_view packet, const Endpoint& source) {
    std::vector<uint8_t> reply(kUdpReplyBytesMax);
    // An allocation of its exact size, so that a sanitizer sees a read past the end.
    const std::vector<uint8_t> request(packet.begin(), packet.end());
    handler_.Prefetch(request);
    const size_t size = handler_.Handle(request, source, times_, random_, absl::MakeSpan(reply));
    return std::string(reply.begin(), reply.begin() + static_cast<ptrdiff_t>(size));
  }

  std::string Connect(const Endpoint& source) {
    const std::string reply = Handle(Bytes(kConnect), source);
    EXPECT_EQ(reply.size(), 16u);
    return reply.substr(8);
  }

  struct Fields {
    std::string left = "0000000000000001";
    std::string event = "00000000";
    std::string ip = "00000000";
    std::string numwant = "ffffffff";
    std::string port = "1ae1";  // 6881
    std::string tail;           // after byte 98
  };
  static std::string AnnouncePacket(absl::string_view connection_id, const Fields& fields,
                                    absl::string_view info_hash = kHash) {
    return std::string(connection_id) + Bytes("00000001 c0ffee02") + std::string(info_hash) +
           std::string("-XX0001-abcdefghijkl") + Bytes("0000000000000000") + Bytes(fields.left) +
           Bytes("0000000000000000") + Bytes(fields.event) + Bytes(fields.ip) + Bytes("0badcafe") +
           Bytes(fields.numwant) + Bytes(fields.port) + fields.tail;
  }
  std::string Announce(const Endpoint& source, const Fields& fields) {
    return Handle(AnnouncePacket(Connect(source), fields), source);
  }

  static Endpoint Ipv4(uint8_t last, uint16_t port = 5000) {
    const uint8_t address[4] = {192, 0, 2, last};
    return MakeIpv4(address, port);
  }
  static Endpoint Ipv6(uint8_t last, uint16_t port = 5000) {
    uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
    address[15] = last;
    return MakeIpv6(address, port);
  }

  static uint32_t Number(absl::string_view bytes) {
    uint32_t number = 0;
    for (const char c : bytes.substr(0, 4)) number = number << 8 | static_cast<uint8_t>(c);
    return number;
  }

  SwarmStore store_{StoreWithKey()};
  Service service_{ServiceOptions{}, &store_};
  UdpHandler handler_{UdpOptions{}, &service_};
  Random random_{1};
  UdpTimes times_{1000, 1'700'000'000'000};
};

TEST_F(UdpHandlerTest, ConnectIsAnsweredWithSixteenBytes) {
  const std::string reply = Handle(Bytes(kConnect), Ipv4(1));
  ASSERT_EQ(reply.size(), 16u);
  EXPECT_EQ(Hex(reply.substr(0, 8)), "00000000c0ffee01");
  // Longer packets are the same request.
  EXPECT_EQ(Handle(Bytes(kConnect) + "tail", Ipv4(1)), reply);
}

TEST_F(UdpHandlerTest, WhatIsNoRequestGetsNoAnswer) {
  EXPECT_EQ(Handle("", Ipv4(1)), "");
  EXPECT_EQ(Handle(Bytes(kConnect).substr(0, 15), Ipv4(1)), "");
  EXPECT_EQ(Handle(Bytes("0000041727101981 00000000 c0ffee01"), Ipv4(1)), "");
  const std::string id = Connect(Ipv4(1));
  EXPECT_EQ(Handle(id + Bytes("00000003 c0ffee01"), Ipv4(1)), "");
  EXPECT_EQ(Handle(id + Bytes("00000004 c0ffee01"), Ipv4(1)), "");
  EXPECT_EQ(Handle(id + Bytes("ffffffff c0ffee01"), Ipv4(1)), "");
}

TEST_F(UdpHandlerTest, ABadConnectionIdGetsAnErrorNoLongerThanTheRequest) {
  const std::string id = Connect(Ipv4(1));
  for (size_t size = 16; size <= 120; ++size) {
    const std::string packet = AnnouncePacket(id, {.tail = std::string(30, 'x')}).substr(0, size);
    const std::string reply = Handle(packet, Ipv4(2));
    ASSERT_GE(reply.size(), 8u);
    EXPECT_LE(reply.size(), packet.size());
    EXPECT_EQ(Hex(reply.substr(0, 8)), "00000003c0ffee02");
  }
  times_.wall_ms += 3 * 60 * 1000;
  EXPECT_EQ(Hex(Handle(AnnouncePacket(id, {}), Ipv4(1)).substr(0, 4)), "00000003");
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

TEST_F(UdpHandlerTest, ErrorsToWhoHasShownNoValidIdAreLimited) {
  TokenBucket errors(3);
  std::vector<uint8_t> reply(kUdpReplyBytesMax);
  const auto size_of_reply = [&](const std::string& packet, const Endpoint& source) {
    const std::vector<uint8_t> request(packet.begin(), packet.end());
    return handler_.Handle(request, source, times_, random_, absl::MakeSpan(reply), &errors);
  };
  const std::string id = Connect(Ipv4(1));
  const std::string announce = AnnouncePacket(id, {});
  for (int i = 0; i < 3; ++i) EXPECT_GT(size_of_reply(announce, Ipv4(2)), 0u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(size_of_reply(announce, Ipv4(2)), 0u);
  EXPECT_EQ(errors.refused(), 5u);
  // All others are answered as before: connects, requests with an id, and their errors.
  EXPECT_EQ(size_of_reply(Bytes(kConnect), Ipv4(2)), 16u);
  EXPECT_EQ(size_of_reply(announce, Ipv4(1)), 20u);
  EXPECT_GT(size_of_reply(announce.substr(0, 97), Ipv4(1)), 8u);
  times_.now_ms += 1000;
  EXPECT_GT(size_of_reply(announce, Ipv4(2)), 0u);
}

TEST_F(UdpHandlerTest, AnAnnounceIsCountedAndToldOfTheOthers) {
  std::string reply = Announce(Ipv4(1), {.left = "0000000000000000", .event = "00000002"});
  ASSERT_EQ(reply.size(), 20u);
  EXPECT_EQ(Hex(reply.substr(0, 8)), "00000001c0ffee02");
  EXPECT_GE(Number(reply.substr(8)), 1620u);  // 30 minutes less a tenth
  EXPECT_LE(Number(reply.substr(8)), 1980u);
  EXPECT_EQ(Hex(reply.substr(12)), "0000000000000001");  // leechers, seeders
  reply = Announce(Ipv4(2), {.event = "00000002"});
  EXPECT_EQ(Hex(reply.substr(12, 8)), "0000000100000001");
  EXPECT_EQ(Hex(reply.substr(20)), "c00002011ae1");
}

TEST_F(UdpHandlerTest, PeersAreOfTheAskersFamilyAlone) {
  Announce(Ipv4(1), {});
  Announce(Ipv6(2), {});
  EXPECT_EQ(Hex(Announce(Ipv4(3), {}).substr(20)), "c00002011ae1");
  EXPECT_EQ(Hex(Announce(Ipv6(3), {}).substr(20)), "20010db80000000000000000000000021ae1");
}

TEST_F(UdpHandlerTest, AReplyHoldsWhatFits1232Bytes) {
  for (uint32_t i = 0; i < 300; ++i) {
    const Endpoint ipv4 = Ipv4(static_cast<uint8_t>(i % 250));
    const std::string port = absl::StrCat(absl::Hex(1000 + i, absl::kZeroPad4));
    Announce(ipv4, {.numwant = "00000000", .port = port});
    Announce(Ipv6(static_cast<uint8_t>(i % 250)), {.numwant = "00000000", .port = port});
  }
  EXPECT_EQ(Announce(Ipv4(251), {.numwant = "7fffffff"}).size(), 20u + 200 * 6);
  EXPECT_EQ(Announce(Ipv6(251), {.numwant = "7fffffff"}).size(), 20u + 67 * 18);
  EXPECT_EQ(Announce(Ipv4(251), {.numwant = "ffffffff"}).size(), 20u + 50 * 6);
  EXPECT_EQ(Announce(Ipv4(251), {.numwant = "80000000"}).size(), 20u + 50 * 6);
  EXPECT_EQ(Announce(Ipv4(251), {.numwant = "00000003"}).size(), 20u + 3 * 6);
  EXPECT_EQ(Announce(Ipv4(251), {.numwant = "00000000"}).size(), 20u);
}

TEST_F(UdpHandlerTest, EventsAreThoseOfTheBepAndPaused) {
  const auto counts = [&] {
    return store_.Scrape([] {
      InfoHash info_hash;
      info_hash.fill('h');
      return info_hash;
    }());
  };
  Announce(Ipv4(1), {.event = "00000004"});  // paused: a partial seed is incomplete
  EXPECT_EQ(counts(), (SwarmCounts{0, 1, 0}));
  Announce(Ipv4(1), {.left = "0000000000000000", .event = "00000001"});
  EXPECT_EQ(counts(), (SwarmCounts{1, 0, 1}));
  Announce(Ipv4(1), {.left = "0000000000000000", .event = "00000001"});  // said once more
  EXPECT_EQ(counts(), (SwarmCounts{1, 0, 1}));
  Announce(Ipv4(1), {.left = "0000000000000000", .event = "00000009"});  // a plain update
  EXPECT_EQ(counts(), (SwarmCounts{1, 0, 1}));
  Announce(Ipv4(1), {.event = "00000003"});
  EXPECT_EQ(counts(), (SwarmCounts{0, 0, 1}));
}

TEST_F(UdpHandlerTest, ThePeerIsWhereThePacketCameFrom) {
  Announce(Ipv4(1), {.ip = "08080808"});
  EXPECT_EQ(Hex(Announce(Ipv4(2), {}).substr(20)), "c00002011ae1");
  // No port: answered, not listed.
  const std::string reply = Announce(Ipv4(3), {.port = "0000"});
  EXPECT_EQ(Hex(reply.substr(12, 8)), "0000000200000000");
  EXPECT_EQ(reply.size(), 20u + 2 * 6);
}

TEST_F(UdpHandlerTest, AllOfLeftCounts) {
  for (const absl::string_view left :
       {"0000000000000001", "0000000100000000", "8000000000000000"}) {
    const std::string reply = Announce(Ipv4(1), {.left = std::string(left)});
    EXPECT_EQ(Hex(reply.substr(12, 8)), "0000000100000000") << left;
  }
}

TEST_F(UdpHandlerTest, AStoppedPeerGetsNoPeers) {
  Announce(Ipv4(1), {});
  EXPECT_EQ(Announce(Ipv4(2), {.event = "00000003", .numwant = "00000032"}).size(), 20u);
}

TEST_F(UdpHandlerTest, ASourceThatIsMappedToIpv6IsIpv4) {
  Announce(Ipv4(1), {});
  const uint8_t mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 2};
  EXPECT_EQ(Hex(Announce(MakeIpv6(mapped, 5000), {}).substr(20)), "c00002011ae1");
  EXPECT_EQ(Hex(Announce(Ipv4(1), {}).substr(20)), "c00002021ae1");
}

// Swarms live by the monotonic clock: whoever sets the other one loses no peers.
TEST_F(UdpHandlerTest, AStepOfTheWallClockCostsNoPeers) {
  Announce(Ipv4(1), {});
  times_.wall_ms += int64_t{30} * 24 * 60 * 60 * 1000;
  EXPECT_EQ(Hex(Announce(Ipv4(2), {}).substr(20)), "c00002011ae1");
  times_.now_ms += int64_t{2} * 60 * 60 * 1000;
  while (!store_.Sweep(times_.now_ms, 1000)) {
  }
  EXPECT_EQ(store_.Usage().ipv4_peers, 0u);
}

TEST_F(UdpHandlerTest, NoTailCostsAnAnnounce) {
  for (const absl::string_view tail : {"00", "01", "0201", "02ff41", "0205", "0005ff", "ff"}) {
    const std::string reply = Announce(Ipv4(1), {.tail = Bytes(tail)});
    EXPECT_EQ(Hex(reply.substr(0, 4)), "00000001") << tail;
  }
}

TEST_F(UdpHandlerTest, AShortAnnounceGetsAnErrorThatSaysSo) {
  const std::string packet = AnnouncePacket(Connect(Ipv4(1)), {});
  for (size_t size = 16; size < 98; ++size) {
    const std::string reply = Handle(packet.substr(0, size), Ipv4(1));
    EXPECT_EQ(Hex(reply.substr(0, 4)), "00000003");
    EXPECT_NE(reply.find("98 bytes"), std::string::npos);
  }
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

TEST_F(UdpHandlerTest, AScrapeIsInTheOrderAskedDuplicatesToo) {
  Announce(Ipv4(1), {.left = "0000000000000000", .event = "00000001"});
  Announce(Ipv4(2), {.left = "0000000000000000"});
  for (uint8_t leecher = 3; leecher < 6; ++leecher) Announce(Ipv4(leecher), {});
  const std::string request = Connect(Ipv4(1)) + Bytes("00000002 c0ffee03");
  const std::string unknown(20, 'u');
  // Seeders, completed, leechers.
  const std::string known_entry = "000000020000000100000003";
  const std::string zeros(24, '0');
  EXPECT_EQ(Hex(Handle(request + kHash + unknown + kHash, Ipv4(1))),
            "00000002c0ffee03" + known_entry + zeros + known_entry);
  // A hash that is cut short does not count.
  EXPECT_EQ(Hex(Handle(request + kHash + unknown.substr(1), Ipv4(1))),
            "00000002c0ffee03" + known_entry);
  EXPECT_EQ(Hex(Handle(request, Ipv4(1)).substr(0, 4)), "00000003");
  std::string many = request;
  for (int i = 0; i < 74; ++i) many += unknown;
  EXPECT_EQ(Handle(many, Ipv4(1)).size(), 8u + 74 * 12);
  EXPECT_EQ(Handle(many + kHash, Ipv4(1)).size(), 8u + 74 * 12);
}

// However many peers the operator allows, and however much room there is.
TEST_F(UdpHandlerTest, NoReplyIsLongerThan1232Bytes) {
  for (uint32_t i = 0; i < 300; ++i) {
    const std::string port = absl::StrCat(absl::Hex(1000 + i, absl::kZeroPad4));
    Announce(Ipv4(1), {.numwant = "00000000", .port = port});
    Announce(Ipv6(1), {.numwant = "00000000", .port = port});
  }
  Service generous(ServiceOptions{.numwant_max = 1000}, &store_);
  UdpHandler handler(UdpOptions{}, &generous);
  for (const Endpoint& source : {Ipv4(2), Ipv6(2)}) {
    const std::string packet = AnnouncePacket(Connect(source), {.numwant = "000003e8"});
    const std::vector<uint8_t> request(packet.begin(), packet.end());
    std::vector<uint8_t> reply(8192);
    const size_t size = handler.Handle(request, source, times_, random_, absl::MakeSpan(reply));
    EXPECT_GT(size, 1200u);
    EXPECT_LE(size, 1232u);
  }
}

TEST(UdpHandler, ScrapeCanBeTurnedOff) {
  StoreOptions store_options;
  SwarmStore store(store_options);
  ServiceOptions options;
  options.allow_scrape = false;
  Service service(options, &store);
  UdpHandler handler(UdpOptions{}, &service);
  Random random(1);
  const uint8_t address[4] = {192, 0, 2, 1};
  const Endpoint source = MakeIpv4(address, 1);
  std::vector<uint8_t> reply(kUdpReplyBytesMax);
  const std::string connect = Bytes(kConnect);
  const std::vector<uint8_t> first(connect.begin(), connect.end());
  handler.Handle(first, source, {}, random, absl::MakeSpan(reply));
  const std::string scrape =
      std::string(reply.begin() + 8, reply.begin() + 16) + Bytes("00000002 c0ffee03") + kHash;
  const std::vector<uint8_t> second(scrape.begin(), scrape.end());
  const size_t size = handler.Handle(second, source, {}, random, absl::MakeSpan(reply));
  const std::string error(reply.begin(), reply.begin() + static_cast<ptrdiff_t>(size));
  EXPECT_EQ(Hex(error.substr(0, 8)), "00000003c0ffee03");
  EXPECT_NE(error.find("scrape"), std::string::npos);
}

}  // namespace
}  // namespace septet::tracker
