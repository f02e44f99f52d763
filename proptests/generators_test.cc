// The generators promise what they are named after. What is "good" is held against the
// specification's tables and the naive query, not against the parsers that they are to test.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "proptests/http_generators.h"
#include "proptests/naive_query.h"
#include "proptests/swarm_generators.h"
#include "proptests/udp_generators.h"
#include "proptests/udp_packets.h"
#include "rapidcheck.h"
#include "tracker/endpoint.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {
namespace {

class Tracker {
 public:
  std::string Handle(const std::string& packet) {
    const std::vector<uint8_t> request(packet.begin(), packet.end());
    std::vector<uint8_t> out(kUdpReplyBytesMax);
    const size_t size =
        handler_.Handle(request, SourceNumber(1), UdpTimes(), random_, absl::MakeSpan(out));
    return std::string(out.begin(), out.begin() + static_cast<ptrdiff_t>(size));
  }

  uint64_t Connect() { return FromBigEndian(Handle(ConnectPacket(1)).substr(8)); }

 private:
  SwarmStore store_{StoreOptions{.shards = 1}};
  Service service_{ServiceOptions(), &store_};
  UdpHandler handler_{UdpOptions(), &service_};
  Random random_{1};
};

TEST(Generators, PeersListenAndHaveOneFormEach) {
  EXPECT_TRUE(rc::check([] {
    const Endpoint ipv4 = *Ipv4Peer();
    const Endpoint ipv6 = *Ipv6Peer();
    RC_ASSERT(ipv4.family == Family::kIpv4);
    RC_ASSERT(ipv6.family == Family::kIpv6);
    RC_ASSERT(ipv4.port() != 0);
    RC_ASSERT(ipv6.port() != 0);
    RC_ASSERT(ipv6 == MakeIpv6(ipv6.compact.data(), ipv6.port()));
  }));
}

TEST(Generators, AnnouncesMeetInTheSwarmsAsked) {
  EXPECT_TRUE(rc::check([] {
    const auto torrents = *rc::gen::inRange(1u, 5u);
    std::set<InfoHash> seen;
    for (int i = 0; i < 50; ++i) seen.insert((*AnyAnnounce(torrents)).info_hash);
    RC_ASSERT(seen.size() <= torrents);
  }));
}

TEST(Generators, GoodPacketsAreServed) {
  Tracker tracker;
  const uint64_t id = tracker.Connect();
  EXPECT_TRUE(rc::check([&] {
    const std::string packet = *GoodUdpPacket(id);
    const uint64_t action = FromBigEndian(packet.substr(8, 4));
    RC_ASSERT(FromBigEndian(tracker.Handle(packet).substr(0, 4)) == action);
    RC_CLASSIFY(action == 0, "connect");
    RC_CLASSIFY(action == 1, "announce");
    RC_CLASSIFY(action == 2, "scrape");
  }));
}

TEST(Generators, MutatedPacketsAreOftenRefused) {
  Tracker tracker;
  const uint64_t id = tracker.Connect();
  int refused = 0;
  int served = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string reply = tracker.Handle(*MutatedUdpPacket(id));
    const bool is_served = reply.size() >= 4 && FromBigEndian(reply.substr(0, 4)) < 3;
    ++(is_served ? served : refused);
  }));
  EXPECT_GT(refused, 10);
  EXPECT_GT(served, 10);
}

TEST(Generators, QueriesMeanWhatTheCaseSays) {
  EXPECT_TRUE(rc::check([] {
    const http::AnnounceCase announce = *http::GoodAnnounce();
    const http::NaiveAnnounce naive = http::NaiveParseAnnounce(announce.query);
    RC_ASSERT(naive.fault == "");
    RC_ASSERT(naive.info_hash == announce.info_hash);
    RC_ASSERT(naive.port == announce.port);
    RC_ASSERT(naive.left == announce.left);

    const http::ScrapeCase scrape = *http::GoodScrape();
    const http::NaiveScrape naive_scrape = http::NaiveParseScrape(scrape.query);
    RC_ASSERT(naive_scrape.is_good);
    RC_ASSERT(naive_scrape.info_hashes == scrape.info_hashes);
  }));
}

TEST(Generators, MutatedQueriesAreOftenBad) {
  int bad = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string query = *http::MutatedQuery();
    const bool is_good =
        http::NaiveParseAnnounce(query).fault.empty() || http::NaiveParseScrape(query).is_good;
    bad += is_good ? 0 : 1;
  }));
  EXPECT_GT(bad, 3);
}

}  // namespace
}  // namespace septet::tracker
