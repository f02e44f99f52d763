// The bounds hold what the naive store says, and are as tight as what is known.

#include "proptests/simulator/swarm_bounds.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "proptests/naive_store.h"
#include "proptests/store_check.h"
#include "rapidcheck.h"
#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::simulator {
namespace {

using namespace septet::tracker;

constexpr int64_t kTickMs = 1000;
constexpr uint32_t kTorrents = 3;

AnnounceRequest DrawRequest(Random& random) {
  AnnounceRequest request;
  request.info_hash = TorrentNumber(random.Below(kTorrents));
  request.peer = PeerNumber(random.Below(8), random.Below(3) == 0);
  request.role = static_cast<Role>(random.Below(3));
  const Event events[] = {Event::kNone, Event::kStarted, Event::kStopped, Event::kCompleted};
  request.event = events[random.Below(4)];
  request.numwant = 50;
  return request;
}

// Both are asked the same; the naive one is swept whenever time passes, and says so at random.
class Beside {
 public:
  explicit Beside(uint64_t seed)
      : random_(seed), naive_(ShortLivedStore(1), kTickMs), bounds_(ShortLivedStore(1), kTickMs) {}

  void Step() {
    if (random_.Below(3) == 0) PassTime();
    const AnnounceRequest request = DrawRequest(random_);
    naive_.Announce(request, now_ms_);
    bounds_.Announce(request, true, now_ms_);
    Check(request);
  }

 private:
  void PassTime() {
    // Now and then for so long that all are over their time.
    now_ms_ += random_.Below(20) == 0 ? 60'000 : random_.Below(8'000);
    naive_.Sweep(now_ms_);
    if (random_.Below(2) == 0) bounds_.SweepIsDone(now_ms_);
  }

  void Check(const AnnounceRequest& request) {
    for (uint32_t torrent = 0; torrent < kTorrents; ++torrent) {
      const InfoHash info_hash = TorrentNumber(torrent);
      const std::string fault =
          CountsFault(bounds_.Counts(info_hash, now_ms_), naive_.Scrape(info_hash));
      RC_ASSERT(fault == "");
    }
    for (const Family family : {Family::kIpv4, Family::kIpv6}) {
      RC_ASSERT(bounds_.Peers(family, now_ms_).Contain(naive_.peers(family)));
    }
    RC_ASSERT(naive_.torrents() <= bounds_.TorrentsMost());
    NaiveStore copy = naive_;
    const NaiveStore::Eligible eligible = copy.Announce(request, now_ms_).eligible;
    for (const std::string& peer : eligible.ipv4) {
      RC_ASSERT(bounds_.MayBeTold(request, peer, now_ms_));
    }
    if (request.event == Event::kStopped) return;
    RC_ASSERT(bounds_.OthersLeast(request, {true, false}, now_ms_) <= eligible.ipv4.size());
    RC_ASSERT(bounds_.OthersLeast(request, {false, true}, now_ms_) <= eligible.ipv6.size());
  }

  Random random_;
  NaiveStore naive_;
  SwarmBounds bounds_;
  int64_t now_ms_ = 1'000'000;
};

TEST(SwarmBounds, HoldTheNaiveStore) {
  EXPECT_TRUE(rc::check([] {
    Beside beside(*rc::gen::arbitrary<uint64_t>());
    for (int i = 0; i < 300; ++i) beside.Step();
  }));
}

TEST(SwarmBounds, AreExactWhileNobodyIsOverTime) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<uint64_t>());
    NaiveStore naive(ShortLivedStore(1), kTickMs);
    SwarmBounds bounds(ShortLivedStore(1), kTickMs);
    for (int i = 0; i < 200; ++i) {
      // 20 seconds in all, of a timeout of 48.
      const int64_t now_ms = 1'000'000 + 100 * i;
      const AnnounceRequest request = DrawRequest(random);
      const SwarmCounts exact = naive.Announce(request, now_ms).counts;
      bounds.Announce(request, true, now_ms);
      const CountBounds counts = bounds.Counts(request.info_hash, now_ms);
      RC_ASSERT(CountsFault(counts, exact) == "");
      RC_ASSERT(counts.complete.least == counts.complete.most);
      RC_ASSERT(counts.incomplete.least == counts.incomplete.most);
      RC_ASSERT(counts.downloaded.least == counts.downloaded.most);
    }
  }));
}

// One peer of 30 seconds; the timeout is 48.
class AfterARestart : public testing::Test {
 protected:
  AfterARestart() {
    request_.peer = PeerNumber(1, false);
    bounds_.Announce(request_, true, 0);
    bounds_.Restored(/*then_ms=*/20'000, /*elapsed_ms=*/10'000, false, /*now_ms=*/30'000);
  }
  CountBounds CountsAt(int64_t now_ms) {
    bounds_.SweepIsDone(now_ms);
    return bounds_.Counts(request_.info_hash, now_ms);
  }

  AnnounceRequest request_;
  SwarmBounds bounds_{ShortLivedStore(1), kTickMs};
};

TEST_F(AfterARestart, APeerIsThereForTheRestOfItsTime) {
  EXPECT_EQ(CountsAt(47'000).incomplete.least, 1u);
}

TEST_F(AfterARestart, AndNotForItsWholeTimeAgain) {
  EXPECT_EQ(CountsAt(50'000).incomplete.most, 1u);
  EXPECT_EQ(CountsAt(52'000).incomplete.most, 0u);
}

TEST(SwarmBounds, WhatWasNotStoredIsNotThere) {
  SwarmBounds bounds(ShortLivedStore(1), kTickMs);
  AnnounceRequest request;
  request.peer = PeerNumber(1, false);
  bounds.Announce(request, /*stored=*/false, 0);
  EXPECT_EQ(bounds.Counts(request.info_hash, 0).incomplete.most, 0u);
}

}  // namespace
}  // namespace septet::simulator
