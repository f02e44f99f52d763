#include "tracker/service.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tracker/access/access_control.h"
#include "tracker/access/info_hash_set.h"

namespace septet::tracker {
namespace {

class ServiceTest : public testing::Test {
 protected:
  static constexpr uint32_t kPeers = 400;

  ServiceTest() {
    info_hash_.fill('h');
    Service service(ServiceOptions{}, &store_);
    for (uint32_t number = 0; number < kPeers; ++number) {
      service.Announce(RequestOf(number, 0), 1, random_, {});
    }
  }

  AnnounceRequest RequestOf(uint32_t number, uint32_t numwant) const {
    const uint8_t address[4] = {10, 0, static_cast<uint8_t>(number >> 8),
                                static_cast<uint8_t>(number)};
    AnnounceRequest request;
    request.info_hash = info_hash_;
    request.peer = MakeIpv4(address, 6881);
    request.numwant = numwant;
    return request;
  }

  AnnounceReply Announce(const ServiceOptions& options, uint32_t numwant) {
    Service service(options, &store_);
    return service.Announce(RequestOf(kPeers + 1, numwant), 1, random_,
                            {absl::MakeSpan(room_), absl::Span<uint8_t>()});
  }
  uint32_t PeersFor(const ServiceOptions& options, uint32_t numwant) {
    return Announce(options, numwant).result.ipv4_peers;
  }

  InfoHash info_hash_;
  Random random_{1};
  SwarmStore store_{StoreOptions{.shards = 1}};
  std::vector<uint8_t> room_ = std::vector<uint8_t>(kPeers * kCompactIpv4Bytes);
};

TEST_F(ServiceTest, NumwantHasADefaultAndAMaximum) {
  const struct {
    uint32_t numwant;
    uint32_t peers;
  } kCases[] = {
      {Service::kNumwantDefault, 50},
      {0, 0},
      {1, 1},
      {50, 50},
      {199, 199},
      {200, 200},
      {201, 200},
      {INT32_MAX, 200},
  };
  for (const auto& row : kCases) EXPECT_EQ(PeersFor({}, row.numwant), row.peers) << row.numwant;

  const ServiceOptions narrow = {.numwant_default = 7, .numwant_max = 9};
  EXPECT_EQ(PeersFor(narrow, Service::kNumwantDefault), 7u);
  EXPECT_EQ(PeersFor(narrow, 10), 9u);
  // The maximum bounds the default too.
  const ServiceOptions crossed = {.numwant_default = 20, .numwant_max = 10};
  EXPECT_EQ(PeersFor(crossed, Service::kNumwantDefault), 10u);
}

TEST_F(ServiceTest, IntervalIsSpreadByATenthEitherWay) {
  std::set<int32_t> seen;
  int64_t sum = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const AnnounceReply reply = Announce({}, 0);
    ASSERT_EQ(reply.failure, "");
    ASSERT_GE(reply.interval_s, 1620);
    ASSERT_LE(reply.interval_s, 1980);
    ASSERT_EQ(reply.min_interval_s, 900);
    seen.insert(reply.interval_s);
    sum += reply.interval_s;
  }
  // Every second of the 361, both ends too: a draw misses one with chance e^-55.
  EXPECT_EQ(seen.size(), 361u);
  // The deviation of the mean is 104 s / sqrt(20000) = 0.74 s.
  EXPECT_NEAR(static_cast<double>(sum) / kDraws, 1800, 5);
}

TEST_F(ServiceTest, AMinimumIsNeverAboveTheInterval) {
  const ServiceOptions options = {.interval_s = 100, .min_interval_s = 105};
  for (int i = 0; i < 200; ++i) {
    const AnnounceReply reply = Announce(options, 0);
    EXPECT_LE(reply.min_interval_s, reply.interval_s);
    EXPECT_LE(reply.min_interval_s, 105);
  }
}

TEST_F(ServiceTest, ShortAndLongIntervals) {
  for (const int32_t interval_s : {1, 9, 10, INT32_MAX / 2}) {
    for (int i = 0; i < 100; ++i) {
      const int64_t spread_s = Announce({.interval_s = interval_s}, 0).interval_s;
      EXPECT_GE(10 * spread_s, int64_t{9} * interval_s);
      EXPECT_LE(10 * spread_s, int64_t{11} * interval_s);
      EXPECT_GT(spread_s, 0);
    }
  }
}

TEST_F(ServiceTest, ATorrentThatIsNotServedIsRefusedAndLeavesNoTrace) {
  AccessControl access;
  access.Replace(
      {.deny_list = std::make_shared<const InfoHashSet>(std::vector<InfoHash>{info_hash_})});
  Service service({}, &store_, &access);
  const AnnounceReply reply =
      service.Announce(RequestOf(kPeers + 1, 50), 1, random_, {absl::MakeSpan(room_), {}});
  EXPECT_NE(reply.failure.find("info_hash"), absl::string_view::npos);
  EXPECT_EQ(reply.result.ipv4_peers, 0u);
  EXPECT_EQ(store_.Usage().ipv4_peers, kPeers);
  EXPECT_EQ(service.Scrape(info_hash_), (SwarmCounts{0, 0, 0}));

  AnnounceRequest other = RequestOf(1, 50);
  other.info_hash.fill('o');
  EXPECT_EQ(service.Announce(other, 1, random_, {}).failure, "");
  access.Replace({});
  EXPECT_EQ(service.Scrape(info_hash_), (SwarmCounts{0, kPeers, 0}));
}

TEST_F(ServiceTest, ScrapeCountsAndCanBeTurnedOff) {
  const Service on({}, &store_);
  EXPECT_EQ(on.ScrapeFailure(), "");
  EXPECT_EQ(on.Scrape(info_hash_), (SwarmCounts{0, kPeers, 0}));
  EXPECT_EQ(on.Scrape(InfoHash{}), (SwarmCounts{0, 0, 0}));
  const Service off({.allow_scrape = false}, &store_);
  EXPECT_NE(off.ScrapeFailure().find("scrape"), absl::string_view::npos);
}

}  // namespace
}  // namespace septet::tracker
