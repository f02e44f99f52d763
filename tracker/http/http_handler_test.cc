#include "tracker/http/http_handler.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/networks.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Response {
  std::string head;
  std::string body;
};

Endpoint Ipv4(uint8_t last) {
  const uint8_t bytes[] = {192, 0, 2, last};
  return MakeIpv4(bytes, 50000);
}

// 2001:db8::LAST
Endpoint Ipv6(uint8_t last) {
  const uint8_t bytes[16] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last};
  return MakeIpv6(bytes, 50000);
}

// An info-hash of one letter, as a client may send it.
std::string HashOf(char letter) { return std::string(20, letter); }

std::string Announce(char torrent, uint16_t port, absl::string_view more) {
  return absl::StrCat("/announce?info_hash=", HashOf(torrent),
                      "&peer_id=-XX0000-012345678901&port=", port, more);
}

// Bytes with their zeros.
template <size_t kSize>
std::string Bytes(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

class HttpHandlerTest : public ::testing::Test {
 protected:
  HttpHandlerTest() { Restart(DefaultOptions()); }

  static ServiceOptions DefaultOptions() {
    ServiceOptions options;
    // So short that 10 % of it, the spread, is nothing.
    options.interval_s = 1;
    options.min_interval_s = 1;
    return options;
  }

  void Restart(const ServiceOptions& options) {
    handler_.reset();
    store_ = std::make_unique<SwarmStore>(StoreOptions());
    service_ = std::make_unique<Service>(options, store_.get());
    handler_ = std::make_unique<HttpHandler>(service_.get());
  }

  Response Ask(absl::string_view method, absl::string_view target, const Endpoint& source,
               absl::string_view version = "HTTP/1.1") {
    const std::string request =
        absl::StrCat(method, " ", target, " ", version, "\r\nHost: tracker.example\r\n\r\n");
    http::RequestHeadParser parser;
    auto head = std::make_unique<http::RequestHead>();
    EXPECT_EQ(parser.Parse(request, head.get()), http::HeadStatus::kComplete) << request;
    return Handle(*head, source);
  }

  Response Handle(const http::RequestHead& head, const Endpoint& source, bool keep_alive = true) {
    // Of exactly the size that is promised to be enough, so that a sanitizer sees more.
    std::vector<char> out(kHttpResponseBytesMax);
    const HttpRequestContext context = {source, now_ms_, keep_alive};
    const size_t size = handler_->Handle(head, context, random_, absl::MakeSpan(out));
    EXPECT_LE(size, out.size());
    const std::string all(out.data(), size);
    const size_t end = all.find("\r\n\r\n");
    EXPECT_NE(end, std::string::npos);
    return {all.substr(0, end + 4), all.substr(end + 4)};
  }

  std::string Get(absl::string_view target, const Endpoint& source = Ipv4(1)) {
    const Response response = Ask("GET", target, source);
    EXPECT_THAT(response.head, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(response.head,
                HasSubstr(absl::StrCat("Content-Length: ", response.body.size(), "\r\n")));
    EXPECT_THAT(response.head, HasSubstr("Content-Type: text/plain"));
    return response.body;
  }

  int64_t now_ms_ = 1'000'000;
  Random random_{1};
  std::unique_ptr<SwarmStore> store_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpHandler> handler_;
};

// --- Paths and methods -----------------------------------------------------------

TEST_F(HttpHandlerTest, StatusFollowsPathAndMethod) {
  const struct {
    absl::string_view method;
    absl::string_view path;
    int status;
  } kCases[] = {
      {"GET", "/announce", 200},
      {"GET", "/announce/", 200},
      {"GET", "//announce", 200},
      {"GET", "/x/announce", 200},
      {"GET", "/announce.php", 200},
      {"HEAD", "/announce", 200},
      {"GET", "/scrape", 200},
      {"HEAD", "/scrape", 200},
      {"GET", "/x/scrape.php", 200},
      {"POST", "/announce", 405},
      {"PUT", "/scrape", 405},
      {"get", "/announce", 405},
      {"OPTIONS", "/announce", 405},
      {"GET", "/", 404},
      {"GET", "/stats", 404},
      {"GET", "/announce/x", 404},
      {"POST", "/", 404},
      {"HEAD", "/", 404},
  };
  for (const auto& test : kCases) {
    const Response response = Ask(test.method, test.path, Ipv4(1));
    EXPECT_THAT(response.head, StartsWith(absl::StrCat("HTTP/1.1 ", test.status, " ")))
        << test.method << " " << test.path;
    EXPECT_EQ(absl::StrContains(response.head, "Allow: GET, HEAD"), test.status == 405);
    EXPECT_EQ(response.body.empty(), test.method == "HEAD");
    EXPECT_LT(response.body.size(), 200u);
  }
}

TEST_F(HttpHandlerTest, HeadHasTheHeadOfGetAndNoBody) {
  for (const absl::string_view target : {"/announce?info_hash=x", "/scrape", "/"}) {
    const Response get = Ask("GET", target, Ipv4(1));
    const Response head = Ask("HEAD", target, Ipv4(1));
    EXPECT_EQ(head.head, get.head);
    EXPECT_EQ(head.body, "");
  }
}

TEST_F(HttpHandlerTest, SaysWhetherTheConnectionStays) {
  http::RequestHeadParser parser;
  auto head = std::make_unique<http::RequestHead>();
  ASSERT_EQ(parser.Parse("GET /announce HTTP/1.1\r\n\r\n", head.get()),
            http::HeadStatus::kComplete);
  EXPECT_THAT(Handle(*head, Ipv4(1), false).head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(Handle(*head, Ipv4(1), true).head, Not(HasSubstr("Connection: close\r\n")));
}

// --- Announce --------------------------------------------------------------------

TEST_F(HttpHandlerTest, TheFirstPeerOfASwarmIsAnsweredInFull) {
  EXPECT_EQ(Get(Announce('a', 6881, "&left=5")),
            absl::StrCat("d8:completei0e10:downloadedi0e11:external ip4:\xc0", Bytes("\0\x02\x01"),
                         "10:incompletei1e8:intervali1e12:min intervali1e5:peers0:e"));
}

TEST_F(HttpHandlerTest, ASecondPeerGetsTheFirst) {
  Get(Announce('a', 6881, "&left=0"), Ipv4(1));
  EXPECT_EQ(Get(Announce('a', 0x1234, "&left=5"), Ipv4(2)),
            absl::StrCat("d8:completei1e10:downloadedi0e11:external ip4:", Bytes("\xc0\0\x02\x02"),
                         "10:incompletei1e8:intervali1e12:min intervali1e5:peers6:",
                         Bytes("\xc0\0\x02\x01\x1a\xe1"), "e"));
}

TEST_F(HttpHandlerTest, AnIpv6AskerGetsPeers6EvenIfThereAreNone) {
  const std::string address = Bytes("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01");
  EXPECT_EQ(Get(Announce('a', 6881, "&left=5"), Ipv6(1)),
            absl::StrCat("d8:completei0e10:downloadedi0e11:external ip16:", address,
                         "10:incompletei1e8:intervali1e12:min intervali1e5:peers0:6:peers60:e"));
}

TEST_F(HttpHandlerTest, AnIpv6AskerThatIsNotListedGetsPeers6Too) {
  EXPECT_THAT(Get(Announce('a', 0, "&left=5"), Ipv6(1)), HasSubstr("5:peers0:6:peers60:e"));
  EXPECT_THAT(Get(Announce('a', 0, "&left=5"), Ipv4(1)), Not(HasSubstr("peers6")));
}

TEST_F(HttpHandlerTest, BothFamiliesAreInOneReply) {
  Get(Announce('a', 0x0101, "&left=5"), Ipv6(9));
  Get(Announce('a', 0x0202, "&left=5"), Ipv4(9));
  const std::string body = Get(Announce('a', 0x0303, "&left=5"), Ipv4(1));
  EXPECT_THAT(body, HasSubstr(absl::StrCat(
                        "5:peers6:", Bytes("\xc0\0\x02\x09\x02\x02"), "6:peers618:",
                        Bytes("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09\x01\x01"), "e")));
}

TEST_F(HttpHandlerTest, PeersThatAreNotCompactAreDictionariesOfBothFamilies) {
  Get(Announce('a', 80, "&left=5"), Ipv6(9));
  Get(Announce('a', 6881, "&left=5"), Ipv4(9));
  const std::string body = Get(Announce('a', 1, "&left=5&compact=0"), Ipv4(1));
  EXPECT_THAT(body, HasSubstr("12:min intervali1e5:peersl"
                              "d2:ip9:192.0.2.94:porti6881ee"
                              "d2:ip11:2001:db8::94:porti80ee"
                              "ee"));
  EXPECT_THAT(body, Not(HasSubstr("peers6")));
}

TEST_F(HttpHandlerTest, NoPeersThatAreNotCompactAreAnEmptyList) {
  EXPECT_THAT(Get(Announce('a', 1, "&left=5&compact=0"), Ipv4(1)), HasSubstr("5:peerslee"));
}

TEST_F(HttpHandlerTest, RoleAndEventAreCounted) {
  const struct {
    absl::string_view what;
    absl::string_view counts;
  } kCases[] = {
      {"&left=0", "d8:completei1e10:downloadedi0e"},
      {"&left=1", "10:incompletei1e"},
      {"", "10:incompletei1e"},
      {"&left=-1", "10:incompletei1e"},
      {"&left=", "10:incompletei1e"},
      {"&left=5&event=paused", "10:incompletei1e"},
      {"&left=5&event=started", "10:incompletei1e"},
      {"&left=5&event=", "10:incompletei1e"},
      {"&left=5&event=none", "10:incompletei1e"},
      {"&left=5&event=unknown", "10:incompletei1e"},
      {"&left=5&event=stopped", "10:incompletei0e"},
      {"&left=0&event=stopped", "d8:completei0e"},
      {"&left=0&trackerid=x", "d8:completei1e"},
      {"&left=0&uploaded=&downloaded=x&corrupt&key=%zz&supportcrypto=1&no_peer_id", "completei1e"},
  };
  for (const auto& test : kCases) {
    Restart(DefaultOptions());
    EXPECT_THAT(Get(Announce('a', 6881, test.what)), HasSubstr(std::string(test.counts)))
        << test.what;
  }
}

TEST_F(HttpHandlerTest, CompletingIsADownload) {
  Get(Announce('a', 6881, "&left=5&event=started"));
  EXPECT_THAT(Get(Announce('a', 6881, "&left=0&event=completed")),
              StartsWith("d8:completei1e10:downloadedi1e"));
}

TEST_F(HttpHandlerTest, APeerWithoutAPortIsAnsweredButNotListed) {
  Get(Announce('a', 6881, "&left=0"), Ipv4(2));
  const std::string body = Get(Announce('a', 0, "&left=5"), Ipv4(1));
  EXPECT_THAT(body, HasSubstr("10:incompletei0e"));
  EXPECT_THAT(body, HasSubstr("5:peers6:"));
}

TEST_F(HttpHandlerTest, NumwantLimitsThePeers) {
  for (uint8_t i = 10; i < 250; ++i) Get(Announce('a', 6881, "&left=5"), Ipv4(i));
  const struct {
    absl::string_view what;
    size_t peers;
  } kCases[] = {
      {"", 50},
      {"&numwant=", 50},
      {"&numwant=-1", 50},
      {"&numwant=x", 50},
      {"&numwant=0", 0},
      {"&numwant=1", 1},
      {"&numwant=200", 200},
      {"&numwant=201", 200},
      {"&numwant=99999999999", 200},
      {"&event=stopped", 0},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(Get(Announce('a', 1, absl::StrCat("&left=5", test.what))),
                HasSubstr(absl::StrCat("5:peers", test.peers * 6, ":")))
        << test.what;
  }
}

TEST_F(HttpHandlerTest, TheLongestReplyFits) {
  ServiceOptions options = DefaultOptions();
  options.numwant_max = kHttpNumwantLimit;
  Restart(options);
  // Addresses and ports of the longest text.
  uint8_t address[16];
  std::memset(address, 0xff, sizeof(address));
  for (uint32_t i = 0; i < 1100; ++i) {
    address[14] = static_cast<uint8_t>(0x10 + (i >> 8));
    address[15] = static_cast<uint8_t>(i);
    Get(Announce('a', 65535, "&left=5"), MakeIpv6(address, 1));
  }
  const std::string body = Get(Announce('a', 1, "&left=5&compact=0&numwant=1000"), Ipv4(1));
  EXPECT_GT(body.size(), 1000u * 60u);
  EXPECT_LE(body.size(), kHttpBodyBytesMax);
}

TEST_F(HttpHandlerTest, NoncompactCanBeTurnedOff) {
  ServiceOptions options = DefaultOptions();
  options.allow_noncompact = false;
  Restart(options);
  EXPECT_THAT(Get(Announce('a', 1, "&left=5&compact=0")),
              testing::AllOf(StartsWith("d14:failure reason"), HasSubstr("compact")));
  EXPECT_THAT(Get(Announce('a', 1, "&left=5&compact=1")), HasSubstr("5:peers0:"));
  EXPECT_EQ(store_->Usage().ipv4_peers, 1u);
}

TEST_F(HttpHandlerTest, ABadAnnounceIsAFailureThatNamesTheParameter) {
  const struct {
    std::string target;
    absl::string_view parameter;
  } kCases[] = {
      {"/announce", "info_hash"},
      {"/announce?", "info_hash"},
      {"/announce?info_hash=short&peer_id=-XX0000-012345678901&port=1", "info_hash"},
      {absl::StrCat("/announce?info_hash=", HashOf('a'), "&port=1"), "peer_id"},
      {absl::StrCat("/announce?info_hash=", HashOf('a'), "&peer_id=x&port=1"), "peer_id"},
      {absl::StrCat("/announce?info_hash=", HashOf('a'),
                    "&peer_id=-XX0000-012345678901&port=65536"),
       "port"},
  };
  for (const auto& test : kCases) {
    const std::string body = Get(test.target);
    EXPECT_THAT(body, StartsWith("d14:failure reason"));
    EXPECT_THAT(body, HasSubstr(std::string(test.parameter)));
    // d14:failure reasonN:REASONe
    const size_t colon = body.find(':', 18);
    size_t length = 0;
    ASSERT_TRUE(absl::SimpleAtoi(body.substr(18, colon - 18), &length)) << body;
    EXPECT_EQ(body.size(), colon + 1 + length + 1) << body;
    EXPECT_EQ(body.back(), 'e');
  }
  EXPECT_EQ(store_->Usage().torrents, 0u);
}

// --- Scrape ----------------------------------------------------------------------

TEST_F(HttpHandlerTest, AScrapeIsSortedAndDistinctWithZerosForTheUnknown) {
  Get(Announce('c', 1, "&left=0"), Ipv4(1));
  Get(Announce('c', 1, "&left=1"), Ipv4(2));
  Get(Announce('c', 1, "&left=1"), Ipv4(3));
  Get(Announce('a', 1, "&left=1&event=started"));
  Get(Announce('a', 1, "&left=0&event=completed"));
  EXPECT_EQ(Get(absl::StrCat("/scrape?info_hash=", HashOf('c'), "&info_hash=", HashOf('b'),
                             "&info_hash=", HashOf('a'), "&info_hash=", HashOf('c'))),
            absl::StrCat("d5:filesd20:", HashOf('a'),
                         "d8:completei1e10:downloadedi1e10:incompletei0ee20:", HashOf('b'),
                         "d8:completei0e10:downloadedi0e10:incompletei0ee20:", HashOf('c'),
                         "d8:completei1e10:downloadedi0e10:incompletei2eeee"));
}

TEST_F(HttpHandlerTest, InfoHashesAreSortedAsUnsignedBytes) {
  const std::string body =
      Get(absl::StrCat("/scrape?info_hash=", HashOf('\x80'), "&info_hash=", HashOf('\x7f')));
  EXPECT_THAT(body, StartsWith(absl::StrCat("d5:filesd20:", HashOf('\x7f'))));
}

TEST_F(HttpHandlerTest, ABadScrapeIsAFailure) {
  for (const absl::string_view target :
       {"/scrape", "/scrape?", "/scrape?x=1", "/scrape?info_hash=short"}) {
    EXPECT_THAT(Get(target),
                testing::AllOf(StartsWith("d14:failure reason"), HasSubstr("info_hash")))
        << target;
  }
}

TEST_F(HttpHandlerTest, ScrapeCanBeTurnedOff) {
  ServiceOptions options = DefaultOptions();
  options.allow_scrape = false;
  Restart(options);
  EXPECT_THAT(Get(absl::StrCat("/scrape?info_hash=", HashOf('a'))),
              StartsWith("d14:failure reason"));
}

TEST_F(HttpHandlerTest, AsManyTorrentsAsARequestHoldsCanBeScraped) {
  // The shortest request line for so many.
  std::vector<std::string> parameters;
  size_t bytes = absl::string_view("GET /scrape? HTTP/1.0\r\nHost: tracker.example\r\n\r\n").size();
  while (bytes + 31 <= http::kHeadBytesMax) {
    std::string hash = HashOf('a');
    hash[0] = static_cast<char>('A' + parameters.size() / 26);
    hash[1] = static_cast<char>('a' + parameters.size() % 26);
    parameters.push_back(absl::StrCat("info_hash=", hash));
    bytes += 31;
  }
  const std::string body = Get(absl::StrCat("/scrape?", absl::StrJoin(parameters, "&")));
  constexpr absl::string_view kFile =
      "20:aaaaaaaaaaaaaaaaaaaad8:completei0e10:downloadedi0e10:incompletei0ee";
  EXPECT_EQ(body.size(),
            absl::string_view("d5:filesdee").size() + parameters.size() * kFile.size());
  EXPECT_GT(parameters.size(), 500u);
}

// --- Whom the tracker believes ----------------------------------------------------

TEST_F(HttpHandlerTest, ClaimsAreBelievedFromTrustedNetworksAlone) {
  handler_ = std::make_unique<HttpHandler>(
      service_.get(), HttpTrust{*Networks::Parse("192.0.2.1"), *Networks::Parse("198.51.100.1")});
  const std::string request = absl::StrCat("GET ", Announce('a', 6881, "&ip=203.0.113.7"),
                                           " HTTP/1.1\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n");
  http::RequestHeadParser parser;
  auto head = std::make_unique<http::RequestHead>();
  ASSERT_EQ(parser.Parse(request, head.get()), http::HeadStatus::kComplete);
  const std::string external_ip = "11:external ip4:";
  EXPECT_THAT(Handle(*head, Ipv4(1)).body, HasSubstr(external_ip + "\xc6\x33\x64\x01"));
  EXPECT_THAT(Handle(*head, Ipv4(2)).body, HasSubstr(external_ip + Bytes("\xc0\0\x02\x02")));
  // The proxy is trusted, but the connection may be anybody's.
  std::vector<char> out(kHttpResponseBytesMax);
  const HttpRequestContext context = {Ipv4(1), now_ms_, true, /*believes_claims=*/false};
  out.resize(handler_->Handle(*head, context, random_, absl::MakeSpan(out)));
  EXPECT_THAT(std::string(out.begin(), out.end()),
              HasSubstr(external_ip + Bytes("\xc0\0\x02\x01")));
  // Listed are the address that was stated, and the two sources.
  const std::string peers = Get(Announce('a', 1, "&numwant=10"), Ipv4(9));
  EXPECT_THAT(peers, HasSubstr("5:peers18:"));
  EXPECT_THAT(peers, HasSubstr(Bytes("\xcb\0\x71\x07\x1a\xe1")));
  EXPECT_THAT(peers, HasSubstr(Bytes("\xc0\0\x02\x01\x1a\xe1")));
  EXPECT_THAT(peers, HasSubstr(Bytes("\xc0\0\x02\x02\x1a\xe1")));
}

}  // namespace
}  // namespace septet::tracker
