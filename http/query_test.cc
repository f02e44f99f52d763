#include "http/query.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

using absl::string_view;

constexpr string_view kHash = "info_hash=aaaaaaaaaaaaaaaaaaaa";
constexpr string_view kPeerId = "peer_id=-XX0001-abcdefghijkl";

std::string Good(string_view more) { return absl::StrCat(kHash, "&", kPeerId, "&", more); }

AnnounceQuery Parse(string_view query) {
  AnnounceQuery parsed;
  const QueryError error = ParseAnnounceQuery(query, &parsed);
  EXPECT_EQ(error.reason, "") << query;
  return parsed;
}

std::string ErrorOf(string_view query) {
  AnnounceQuery parsed;
  return std::string(ParseAnnounceQuery(query, &parsed).reason);
}

InfoHash Hash(string_view bytes) {
  InfoHash hash{};
  EXPECT_EQ(bytes.size(), hash.size());
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

TEST(AnnounceQuery, HasDefaults) {
  const AnnounceQuery query = Parse(absl::StrCat(kHash, "&", kPeerId));
  EXPECT_EQ(query.info_hash, Hash("aaaaaaaaaaaaaaaaaaaa"));
  EXPECT_EQ(query.port, 0);
  EXPECT_EQ(query.event, AnnounceEvent::kNone);
  EXPECT_FALSE(query.is_seeder);
  EXPECT_EQ(query.left, UINT64_MAX);
  EXPECT_EQ(query.numwant, -1);
  EXPECT_TRUE(query.compact);
  EXPECT_EQ(query.ip.view(), "");
}

// What the clients really send; the info-hash is 12 34 56 78 9a bc de f1 23 45 67 89 ab
// cd ef 12 34 56 78 9a in each.
TEST(AnnounceQuery, ReadsTheClientsOfTheField) {
  const InfoHash hash =
      Hash("\x12\x34\x56\x78\x9a\xbc\xde\xf1\x23\x45\x67\x89\xab\xcd\xef\x12\x34\x56\x78\x9a");
  const AnnounceQuery libtorrent = Parse(
      "info_hash=%124Vx%9a%bc%de%f1%23Eg%89%ab%cd%ef%124Vx%9a&peer_id=-LT2080-dgh5y7H6*(2g"
      "&port=6881&uploaded=0&downloaded=0&left=16384&corrupt=0&key=4B3F1A2C&event=started"
      "&numwant=200&compact=1&no_peer_id=1&supportcrypto=1&redundant=0");
  EXPECT_EQ(libtorrent.info_hash, hash);
  EXPECT_EQ(libtorrent.port, 6881);
  EXPECT_EQ(libtorrent.left, 16384u);
  EXPECT_EQ(libtorrent.event, AnnounceEvent::kStarted);
  EXPECT_EQ(libtorrent.numwant, 200);

  const AnnounceQuery transmission = Parse(
      "info_hash=%124Vx%9A%BC%DE%F1%23Eg%89%AB%CD%EF%124Vx%9A&peer_id=-TR4050-k8hj0wgej6ch"
      "&port=51413&uploaded=0&downloaded=0&left=9223372036854775807&numwant=80&key=7e2a"
      "&compact=1&supportcrypto=1&event=paused&ipv6=2001%3Adb8%3A%3A1");
  EXPECT_EQ(transmission.info_hash, hash);
  EXPECT_EQ(transmission.left, 9223372036854775807u);
  EXPECT_EQ(transmission.event, AnnounceEvent::kPaused);
  EXPECT_EQ(transmission.ipv6.view(), "2001:db8::1");

  const AnnounceQuery aria2 = Parse(
      "info_hash=%124Vx%9A%BC%DE%F1%23Eg%89%AB%CD%EF%124Vx%9A&peer_id=A2-1-36-0-%AA%BB%CC%DD"
      "%EE%FF%00%11%22%33&uploaded=0&downloaded=0&left=1&compact=1&key=A%2A&numwant=50"
      "&no_peer_id=1&event=started&supportcrypto=1");
  EXPECT_EQ(aria2.port, 0);
  EXPECT_EQ(aria2.numwant, 50);

  const AnnounceQuery rtorrent = Parse(
      "info_hash=%124Vx%9A%BC%DE%F1%23Eg%89%AB%CD%EF%124Vx%9A&peer_id=-lt0D80-%A1%B2%C3%D4"
      "%E5%F6%01%02%03%04%05%06&key=5d1c7a22&compact=1&port=6890&uploaded=0&downloaded=7"
      "&left=0&event=completed");
  EXPECT_EQ(rtorrent.info_hash, hash);
  EXPECT_EQ(rtorrent.event, AnnounceEvent::kCompleted);
  EXPECT_TRUE(rtorrent.is_seeder);
  EXPECT_EQ(rtorrent.numwant, -1);

  const AnnounceQuery utorrent = Parse(
      "info_hash=%124Vx%9a%bc%de%f1%23Eg%89%ab%cd%ef%124Vx%9a&peer_id=-UT355W-%14%b4%ec%0a"
      "%d2k%9f%ef%d9%d7%15%e3&port=26881&uploaded=1&downloaded=2&left=0&corrupt=0"
      "&key=DD8B9B11&event=stopped&numwant=0&compact=1&no_peer_id=1&ipv6=fe80%3a%3a1");
  EXPECT_EQ(utorrent.info_hash, hash);
  EXPECT_EQ(utorrent.event, AnnounceEvent::kStopped);
  EXPECT_EQ(utorrent.numwant, 0);
  EXPECT_EQ(utorrent.ipv6.view(), "fe80::1");

  const AnnounceQuery webtorrent = Parse(
      "info_hash=%124Vx%9a%bc%de%f1%23Eg%89%ab%cd%ef%124Vx%9a&peer_id=-WW0102-abcdefghijkl"
      "&port=6881&left=18446744073709551615&numwant=50&uploaded=0&downloaded=0");
  EXPECT_EQ(webtorrent.left, UINT64_MAX);
  EXPECT_FALSE(webtorrent.is_seeder);
}

struct Left {
  const char* value;
  uint64_t left;
};

TEST(AnnounceQuery, LeftIsASeedersOnlyWhenItIsTheNumberZero) {
  constexpr Left kRows[] = {
      {"0", 0},
      {"000", 0},
      {"%30", 0},
      {"1", 1},
      {"18446744073709551615", UINT64_MAX},
      {"18446744073709551616", UINT64_MAX},
      {"99999999999999999999999999999999999999", UINT64_MAX},
      {"", UINT64_MAX},
      {"-0", UINT64_MAX},
      {"-1", UINT64_MAX},
      {"+0", UINT64_MAX},
      {" 0", UINT64_MAX},
      {"0x0", UINT64_MAX},
      {"0.0", UINT64_MAX},
      {"nan", UINT64_MAX},
      {"0%", UINT64_MAX},
  };
  for (const Left& row : kRows) {
    const AnnounceQuery query = Parse(Good(absl::StrCat("left=", row.value)));
    EXPECT_EQ(query.left, row.left) << row.value;
    EXPECT_EQ(query.is_seeder, row.left == 0) << row.value;
  }
  EXPECT_FALSE(Parse(Good("left")).is_seeder);
  // Of any number of digits.
  EXPECT_TRUE(Parse(Good("left=" + std::string(500, '0'))).is_seeder);
  EXPECT_EQ(Parse(Good("left=" + std::string(500, '0') + "7")).left, 7u);
  EXPECT_EQ(Parse(Good("left=18446744073709551614")).left, UINT64_MAX - 1);
  EXPECT_FALSE(Parse(Good("left=" + std::string(500, '0') + "x")).is_seeder);
  EXPECT_FALSE(Parse(Good("left=" + std::string(100, '0') + "1")).is_seeder);
}

TEST(AnnounceQuery, EventsThatAreUnknownArePlainUpdates) {
  EXPECT_EQ(Parse(Good("event=started")).event, AnnounceEvent::kStarted);
  EXPECT_EQ(Parse(Good("event=stopped")).event, AnnounceEvent::kStopped);
  EXPECT_EQ(Parse(Good("event=completed")).event, AnnounceEvent::kCompleted);
  EXPECT_EQ(Parse(Good("event=paused")).event, AnnounceEvent::kPaused);
  EXPECT_EQ(Parse(Good("event=%73topped")).event, AnnounceEvent::kStopped);
  for (const char* event : {"", "none", "Started", "complete", "update", "stoppedx"}) {
    EXPECT_EQ(Parse(Good(absl::StrCat("event=", event))).event, AnnounceEvent::kNone) << event;
  }
}

TEST(AnnounceQuery, NumwantThatIsNoCountIsTheDefault) {
  EXPECT_EQ(Parse(Good("numwant=0")).numwant, 0);
  EXPECT_EQ(Parse(Good("numwant=7")).numwant, 7);
  EXPECT_EQ(Parse(Good("numwant=4294967295")).numwant, INT32_MAX);
  EXPECT_EQ(Parse(Good("numwant=" + std::string(100, '9'))).numwant, INT32_MAX);
  for (const char* numwant : {"", "-1", "many", "1.5"}) {
    EXPECT_EQ(Parse(Good(absl::StrCat("numwant=", numwant))).numwant, -1) << numwant;
  }
}

TEST(AnnounceQuery, CompactIsOffForZeroAlone) {
  EXPECT_FALSE(Parse(Good("compact=0")).compact);
  EXPECT_FALSE(Parse(Good("compact=%30")).compact);
  for (const char* compact : {"compact=1", "compact=", "compact", "compact=2"}) {
    EXPECT_TRUE(Parse(Good(compact)).compact) << compact;
  }
}

TEST(AnnounceQuery, AQuestionMarkSeparatesToo) {
  const AnnounceQuery query =
      Parse(absl::StrCat("passkey=x?", kHash, "&", kPeerId, "?port=1&&?&left=0"));
  EXPECT_EQ(query.port, 1);
  EXPECT_TRUE(query.is_seeder);
}

TEST(AnnounceQuery, WhatDoesNotMatterCostsNothing) {
  Parse(
      Good("uploaded&downloaded=x&corrupt=%&redundant=%zz&key&supportcrypto=&requirecrypto=1"
           "&no_peer_id&trackerid=abc&%69=1&=&==&%=%&unknown=" +
           std::string(5000, 'x')));
  EXPECT_EQ(Parse(Good("%70ort=99")).port, 99);
  EXPECT_EQ(Parse(Good("ip=" + std::string(65, '1'))).ip.view(), "");
  EXPECT_EQ(Parse(Good("port=1&port=2")).port, 2);
}

TEST(AnnounceQuery, UnescapedBytesAreThemselves) {
  const AnnounceQuery query =
      Parse("info_hash=+,/;<>:!aaaa\xff\x80zzzzzz&peer_id=-TR2940-+,/;<>:!abcd");
  EXPECT_EQ(query.info_hash, Hash("+,/;<>:!aaaa\xff\x80zzzzzz"));
}

struct Fault {
  std::string query;
  const char* names;
  const char* says;
};

TEST(AnnounceQuery, EachFaultIsNamed) {
  const std::string hash(kHash);
  const std::string id(kPeerId);
  const Fault kFaults[] = {
      {"", "info_hash", "missing"},
      {id, "info_hash", "missing"},
      {hash, "peer_id", "missing"},
      {"info_hash&" + id, "info_hash", "empty"},
      {"info_hash=&" + id, "info_hash", "empty"},
      {hash + "&" + hash + "&" + id, "info_hash", "more than once"},
      {"info_hash=aaaaaaaaaaaaaaaaaaa&" + id, "info_hash", "20 bytes"},
      {"info_hash=aaaaaaaaaaaaaaaaaaaaa&" + id, "info_hash", "20 bytes"},
      {"info_hash=0123456789abcdefABCDEF01234567890abcdef0&" + id, "info_hash", "hexadecimal"},
      {"info_hash=aaaaaaaaaaaaaaaaaaa%&" + id, "info_hash", "broken percent"},
      {"info_hash=aaaaaaaaaaaaaaaaaaa%4&" + id, "info_hash", "broken percent"},
      {"info_hash=aaaaaaaaaaaaaaaaaaa%4g&" + id, "info_hash", "broken percent"},
      {"info_hash=aaaaaaaaaaaaaaaaaaa%g4&" + id, "info_hash", "broken percent"},
      {hash + "&peer_id=short", "peer_id", "20 bytes"},
      {hash + "&peer_id=", "peer_id", "20 bytes"},
      {hash + "&peer_id=-XX0001-abcdefghijklm", "peer_id", "20 bytes"},
      {Good("port=65536"), "port", "65535"},
      {Good("port=99999999999999999999"), "port", "65535"},
      {Good("port="), "port", "not a number"},
      {Good("port=-1"), "port", "not a number"},
      {Good("port=http"), "port", "not a number"},
  };
  for (const Fault& fault : kFaults) {
    const std::string error = ErrorOf(fault.query);
    EXPECT_EQ(error.substr(0, error.find(':')), fault.names) << fault.query;
    EXPECT_NE(error.find(fault.says), std::string::npos) << fault.query << ": " << error;
  }
  EXPECT_EQ(Parse(Good("port=0")).port, 0);
  EXPECT_EQ(Parse(Good("port=65535")).port, 65535);
}

TEST(ScrapeQuery, VisitsAllHashesInOrderDuplicatesToo) {
  std::vector<InfoHash> visited;
  size_t count = 0;
  const QueryError error = ParseScrapeQuery(
      "info_hash=aaaaaaaaaaaaaaaaaaaa&x=y&info_hash=%62bbbbbbbbbbbbbbbbbbb"
      "?info_hash=aaaaaaaaaaaaaaaaaaaa",
      [&](const InfoHash& hash) { visited.push_back(hash); }, &count);
  EXPECT_EQ(error.reason, "");
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(visited,
            (std::vector<InfoHash>{Hash("aaaaaaaaaaaaaaaaaaaa"), Hash("bbbbbbbbbbbbbbbbbbbb"),
                                   Hash("aaaaaaaaaaaaaaaaaaaa")}));
}

TEST(ScrapeQuery, SixtyHashesOfTransmissionAreRead) {
  std::string query;
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&query, i == 0 ? "" : "&", "info_hash=", "%AB%CD%EF%01%23", "xxxxxxxxxxxxx",
                    absl::Dec(10 + i));
  }
  size_t count = 0;
  size_t visited = 0;
  EXPECT_EQ(ParseScrapeQuery(query, [&](const InfoHash&) { ++visited; }, &count).reason, "");
  EXPECT_EQ(count, 60u);
  EXPECT_EQ(visited, 60u);
}

TEST(ScrapeQuery, AFaultAnywhereVisitsNothing) {
  size_t count = 0;
  const QueryError error = ParseScrapeQuery(
      "info_hash=aaaaaaaaaaaaaaaaaaaa&info_hash=short",
      [](const InfoHash&) { ADD_FAILURE() << "visited"; }, &count);
  EXPECT_NE(error.reason.find("20 bytes"), string_view::npos);
  EXPECT_EQ(ParseScrapeQuery("", [](const InfoHash&) {}, &count).reason, "");
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace septet::http
