#include "bench/load/reply_check.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace septet::bench {
namespace {

constexpr uint32_t kTransactionId = 0x01020304;

using Bytes = std::vector<uint8_t>;

void Append32(uint32_t value, Bytes* out) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<uint8_t>(value >> shift));
}

// By the table of BEP 15.
Bytes Announce(uint32_t leechers, uint32_t seeders, size_t peers, size_t peer_bytes = 6) {
  Bytes packet;
  for (const uint32_t value : {1u, kTransactionId, 1800u, leechers, seeders}) {
    Append32(value, &packet);
  }
  packet.insert(packet.end(), peers * peer_bytes, 7);
  return packet;
}

absl::string_view UdpFault(const Bytes& packet, const ExpectedReply& expected) {
  return CheckUdpReply(packet, kTransactionId, expected).fault;
}

constexpr ExpectedReply kFifty = {.numwant = 50};
constexpr ExpectedReply kScrape = {.is_scrape = true};

TEST(ReplyCheckUdp, ARightAnnounceIsRight) {
  const CheckedReply checked = CheckUdpReply(Announce(500, 500, 50), kTransactionId, kFifty);
  EXPECT_EQ(checked.fault, "");
  EXPECT_EQ(checked.peers, 50u);
  EXPECT_EQ(UdpFault(Announce(1, 0, 0), kFifty), "");
  EXPECT_EQ(UdpFault(Announce(5, 0, 4), kFifty), "");
  // A seeder among seeders is told of nobody.
  EXPECT_EQ(UdpFault(Announce(0, 500, 0), kFifty), "");
  EXPECT_EQ(UdpFault(Announce(500, 500, 50, 18), {.ipv6 = true, .numwant = 50}), "");
}

TEST(ReplyCheckUdp, WrongPacketsAreNamed) {
  EXPECT_EQ(UdpFault({0, 0, 0, 1}, kFifty), "a packet under 8 bytes");
  EXPECT_EQ(CheckUdpReply(Announce(1, 1, 0), kTransactionId + 1, kFifty).fault,
            "a wrong transaction id");
  EXPECT_EQ(UdpFault({0, 0, 0, 3, 1, 2, 3, 4, 'n', 'o'}, kFifty), "an error packet");
  EXPECT_EQ(UdpFault(Announce(1, 1, 0), kScrape), "a wrong action");
  EXPECT_EQ(UdpFault({0, 0, 0, 1, 1, 2, 3, 4, 0}, kFifty), "an announce under 20 bytes");
  EXPECT_EQ(UdpFault(Announce(500, 500, 1, 305), kFifty), "peers of a wrong length");
  Bytes no_interval = Announce(1, 0, 0);
  no_interval[10] = no_interval[11] = 0;
  EXPECT_EQ(UdpFault(no_interval, kFifty), "no interval");
  Bytes no_port = Announce(500, 500, 50);
  no_port[20 + 6 * 49 + 4] = no_port[20 + 6 * 49 + 5] = 0;
  EXPECT_EQ(UdpFault(no_port, kFifty), "a peer with port 0");
}

TEST(ReplyCheckUdp, CountsHaveToBePlausible) {
  EXPECT_EQ(UdpFault(Announce(500, 500, 51), kFifty), "more peers than wanted");
  EXPECT_EQ(UdpFault(Announce(3, 4, 8), kFifty), "more peers than are in the swarm");
  EXPECT_EQ(UdpFault(Announce(500, 500, 49), kFifty),
            "fewer peers than wanted, though the swarm has them");
  EXPECT_EQ(UdpFault(Announce(5, 0, 3), kFifty),
            "fewer peers than wanted, though the swarm has them");
  EXPECT_EQ(UdpFault(Announce(500, 500, 0), {.numwant = 50, .may_be_short = true}), "");
}

TEST(ReplyCheckUdp, AScrapeHasTwelveBytesForItsTorrent) {
  Bytes packet;
  for (const uint32_t value : {2u, kTransactionId, 5u, 6u, 7u}) Append32(value, &packet);
  EXPECT_EQ(UdpFault(packet, kScrape), "");
  packet.push_back(0);
  EXPECT_EQ(UdpFault(packet, kScrape), "a scrape of a wrong length");
}

std::string Body(int complete, int incomplete, size_t peers_bytes) {
  return absl::StrCat("d8:completei", complete, "e10:downloadedi3e10:incompletei", incomplete,
                      "e8:intervali1800e5:peers", peers_bytes, ":", std::string(peers_bytes, 'p'),
                      "e");
}

absl::string_view HttpFault(absl::string_view body, const ExpectedReply& expected) {
  return CheckHttpBody(body, expected).fault;
}

TEST(ReplyCheckHttp, ARightAnnounceIsRight) {
  EXPECT_EQ(HttpFault(Body(500, 500, 300), kFifty), "");
  EXPECT_EQ(CheckHttpBody(Body(500, 500, 300), kFifty).peers, 50u);
  // Of both families: their sum counts.
  const std::string both =
      absl::StrCat("d8:completei9e10:incompletei9e8:intervali9e5:peers12:ABCDEFabcdef6:peers618:",
                   "0123456789abcdefghe");
  EXPECT_EQ(CheckHttpBody(both, {.numwant = 3}).fault, "");
  EXPECT_EQ(CheckHttpBody(both, {.numwant = 3}).peers, 3u);
  EXPECT_EQ(HttpFault(both, {.numwant = 2}), "more peers than wanted");
  // Keys that it does not know do not matter, whatever is in them.
  EXPECT_EQ(HttpFault("d8:completei0e10:incompletei1e8:intervali9e5:peers0:1:zld1:ai1eeee", kFifty),
            "");
}

TEST(ReplyCheckHttp, WrongBodiesAreNamed) {
  EXPECT_EQ(HttpFault("", kFifty), "not a dictionary");
  EXPECT_EQ(HttpFault("Not Found", kFifty), "not a dictionary");
  EXPECT_EQ(HttpFault("d14:failure reason4:nonee", kFifty), "a failure reason");
  EXPECT_EQ(HttpFault(Body(500, 500, 300) + "x", kFifty), "not bencoded as BEP 3 has it");
  EXPECT_EQ(HttpFault(Body(500, 500, 300).substr(0, 100), kFifty), "not bencoded as BEP 3 has it");
  EXPECT_EQ(HttpFault(Body(500, 500, 301), kFifty), "peers of a wrong length");
  EXPECT_EQ(HttpFault(Body(500, 500, 294), kFifty),
            "fewer peers than wanted, though the swarm has them");
  EXPECT_EQ(HttpFault(Body(-1, 500, 300), kFifty), "a count is missing or negative");
  EXPECT_EQ(HttpFault("d8:completei0e10:incompletei1e5:peers0:e", kFifty), "no interval");
  EXPECT_EQ(HttpFault("d8:completei0e10:incompletei1e8:intervali9ee", kFifty),
            "no peers, not even an empty string");
  // Keys out of order.
  EXPECT_EQ(HttpFault("d10:incompletei1e8:completei0e8:intervali9e5:peers0:e", kFifty),
            "not bencoded as BEP 3 has it");
}

TEST(ReplyCheckHttp, AScrapeIsOfTheTorrentAskedFor) {
  tracker::InfoHash hash;
  hash.fill('h');
  const ExpectedReply expected = {.is_scrape = true, .hash = &hash};
  const auto files = [](char c) {
    return absl::StrCat("d5:filesd20:", std::string(20, c),
                        "d8:completei1e10:downloadedi0e10:incompletei2eeee");
  };
  EXPECT_EQ(HttpFault(files('h'), expected), "");
  EXPECT_EQ(HttpFault(files('i'), expected), "another torrent than asked for");
  EXPECT_EQ(HttpFault(files('i'), kScrape), "");
  EXPECT_EQ(HttpFault("d5:filesdee", expected), "no torrent in the files");
  EXPECT_EQ(HttpFault("de", expected), "no files");
  EXPECT_EQ(HttpFault("d14:failure reason4:nonee", expected), "a failure reason");
  EXPECT_EQ(HttpFault(files('h').substr(0, 60), expected), "more torrents than asked for");
  EXPECT_EQ(HttpFault(files('h') + "i", expected), "not bencoded as BEP 3 has it");
}

}  // namespace
}  // namespace septet::bench
