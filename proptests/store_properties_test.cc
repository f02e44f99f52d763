// Properties of the swarm store under random sequences of operations: it equals the
// naive model, keeps its bound on bytes at every step, and never passes its cap.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/naive_store.h"
#include "proptests/store_check.h"
#include "rapidcheck.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

struct Step {
  uint32_t torrent = 0;
  uint32_t peer = 0;
  bool ipv6 = false;
  Role role = Role::kLeecher;
  Event event = Event::kNone;
  uint32_t numwant = 0;
  uint32_t forward_ms = 0;   // time that passes before it
  uint32_t sweep_peers = 0;  // peers that are swept before it
};

std::ostream& operator<<(std::ostream& out, const Step& s) {
  return out << "{torrent " << s.torrent << (s.ipv6 ? " ipv6 " : " ipv4 ") << s.peer << " role "
             << static_cast<int>(s.role) << " event " << static_cast<int>(s.event) << " numwant "
             << s.numwant << " after " << s.forward_ms << " ms, swept " << s.sweep_peers << "}";
}

// What a run of steps draws from.
struct World {
  uint32_t torrents = 1;
  uint32_t peers = 1;
  uint32_t ipv6_percent = 0;
  uint32_t leave_percent = 0;
  uint32_t forward_one_in = 0;  // steps; 0: time stands still
};

Step DrawStep(const World& world, Random& random) {
  Step step;
  step.torrent = random.Below(world.torrents);
  step.peer = random.Below(world.peers);
  step.ipv6 = random.Below(100) < world.ipv6_percent;
  step.role = static_cast<Role>(random.Below(3));
  const uint32_t event = random.Below(100);
  if (event < world.leave_percent) {
    step.event = Event::kStopped;
  } else if (event % 10 == 0) {
    step.event = Event::kCompleted;
  } else if (event % 10 == 1) {
    step.event = Event::kStarted;
  }
  step.numwant = random.Below(4) == 0 ? random.Below(60) : 0;
  if (world.forward_one_in != 0 && random.Below(world.forward_one_in) == 0) {
    // Below the lag at which the store sweeps by itself: then only the order of events
    // is left open. Longer sleeps are in the store's unit test.
    step.forward_ms = random.Below(9'000);
    step.sweep_peers = random.Below(3) == 0 ? random.Below(50) : UINT32_MAX;
  }
  return step;
}

// The real store beside two models: one in which what has expired is still there, and one
// in which it is gone. Between the start and the end of a sweep the truth lies between.
class Twins {
 public:
  Twins(const StoreOptions& options, uint64_t seed)
      : shards_(options.shards),
        store_(options),
        unswept_(options, store_.tick_ms()),
        swept_(options, store_.tick_ms()),
        random_(seed) {}

  void Take(const Step& step) {
    if (step.forward_ms > 0) Forward(step);
    AnnounceRequest request;
    request.info_hash = TorrentNumber(step.torrent);
    request.peer = PeerNumber(step.peer, step.ipv6);
    if (step.peer % 41 == 40) request.peer.set_port(0);
    request.role = step.role;
    request.event = step.event;
    request.numwant = step.numwant;

    std::vector<uint8_t> ipv4(step.numwant * kCompactIpv4Bytes);
    std::vector<uint8_t> ipv6(step.numwant * kCompactIpv6Bytes);
    const AnnounceResult result =
        store_.Announce(request, now_ms_, random_, {absl::MakeSpan(ipv4), absl::MakeSpan(ipv6)});
    const auto most = unswept_.Announce(request, now_ms_);
    const auto least = swept_.Announce(request, now_ms_);
    RC_ASSERT(result.stored);
    Between(least.counts, result.counts, most.counts);
    RC_ASSERT(ChosenFault(ipv4, result.ipv4_peers, kCompactIpv4Bytes, most.eligible.ipv4) == "");
    RC_ASSERT(ChosenFault(ipv6, result.ipv6_peers, kCompactIpv6Bytes, most.eligible.ipv6) == "");
    const uint32_t given = result.ipv4_peers + result.ipv6_peers;
    const auto eligible = [](const NaiveStore::Eligible& e) {
      return e.ipv4.size() + e.ipv6.size();
    };
    RC_ASSERT(given >= std::min<size_t>(step.numwant, eligible(least.eligible)));
    RC_ASSERT(given <= std::min<size_t>(step.numwant, eligible(most.eligible)));
    Between(swept_.Scrape(request.info_hash), store_.Scrape(request.info_hash),
            unswept_.Scrape(request.info_hash));
    CheckBytes();
  }

  // Peers must agree exactly once the sweep is done. When a torrent became empty, from
  // which its retention counts, depends on when the sweep came by.
  void Settle(const World& world) {
    while (!store_.Sweep(now_ms_, 1000)) {
    }
    FinishSweep();
    for (uint32_t torrent = 0; torrent < world.torrents; ++torrent) {
      const InfoHash info_hash = TorrentNumber(torrent);
      const SwarmCounts counts = store_.Scrape(info_hash);
      const SwarmCounts least = swept_.Scrape(info_hash);
      RC_ASSERT(counts.complete == least.complete);
      RC_ASSERT(counts.incomplete == least.incomplete);
      Between(least, counts, unswept_.Scrape(info_hash));
    }
    const StoreUsage usage = store_.Usage();
    RC_ASSERT(swept_.torrents() <= usage.torrents);
    RC_ASSERT(usage.torrents <= unswept_.torrents());
    RC_ASSERT(usage.ipv4_peers == swept_.peers(Family::kIpv4));
    RC_ASSERT(usage.ipv6_peers == swept_.peers(Family::kIpv6));
  }

  void CheckBytes() const { RC_ASSERT(BytesFault(store_.Usage(), shards_) == ""); }

  void PassTime(int64_t ms) { now_ms_ += ms; }

 private:
  void Forward(const Step& step) {
    now_ms_ += step.forward_ms;
    swept_.Sweep(now_ms_);
    bool done = store_.Sweep(now_ms_, step.sweep_peers);
    lag_ms_ += step.forward_ms;
    while (!done && lag_ms_ > 4'000) done = store_.Sweep(now_ms_, 1000);
    if (done) FinishSweep();
  }

  void FinishSweep() {
    unswept_.Sweep(now_ms_);
    swept_.Sweep(now_ms_);
    lag_ms_ = 0;
  }

  static void Between(const SwarmCounts& least, const SwarmCounts& counts,
                      const SwarmCounts& most) {
    RC_ASSERT(least.complete <= counts.complete && counts.complete <= most.complete);
    RC_ASSERT(least.incomplete <= counts.incomplete && counts.incomplete <= most.incomplete);
    // A peer that is gone in one model and completes again is counted again there.
    RC_ASSERT(std::min(least.downloaded, most.downloaded) <= counts.downloaded);
    RC_ASSERT(counts.downloaded <= std::max(least.downloaded, most.downloaded));
  }

  const uint32_t shards_;
  SwarmStore store_;
  NaiveStore unswept_;
  NaiveStore swept_;
  Random random_;
  int64_t now_ms_ = 10'000'000;
  int64_t lag_ms_ = 0;
};

World DrawWorld() {
  World world;
  world.torrents = *rc::gen::element(1u, 2u, 10u, 300u);
  world.peers = *rc::gen::element(1u, 3u, 30u, 150u, 700u);
  world.ipv6_percent = *rc::gen::element(0u, 20u, 100u);
  world.leave_percent = *rc::gen::element(0u, 10u, 50u);
  world.forward_one_in = *rc::gen::element(0u, 20u, 500u);
  return world;
}

TEST(StoreProperties, EqualsTheNaiveModelStepByStep) {
  // Short runs whose steps RapidCheck itself draws and shrinks.
  EXPECT_TRUE(rc::check([] {
    World world;
    world.torrents = 3;
    world.peers = 4;
    world.ipv6_percent = 30;
    world.leave_percent = 25;
    world.forward_one_in = 5;
    const auto seeds = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
    Twins twins(ShortLivedStore(seeds.size()), 1);
    for (const uint32_t seed : seeds) {
      Random random(seed);
      const Step step = DrawStep(world, random);
      RC_LOG() << step << "\n";
      twins.Take(step);
    }
    twins.Settle(world);
  }));
}

TEST(StoreProperties, EqualsTheNaiveModelInLongRuns) {
  EXPECT_TRUE(rc::check([] {
    World world = DrawWorld();
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    RC_LOG() << "torrents " << world.torrents << " peers " << world.peers << " seed " << seed;
    Twins twins(ShortLivedStore(seed, *rc::gen::element(1u, 4u)), seed);
    Random random(seed);
    for (int i = 0; i < 2000; ++i) twins.Take(DrawStep(world, random));
    twins.Settle(world);
    // Then most of them leave.
    world.leave_percent = 95;
    for (int i = 0; i < 1000; ++i) twins.Take(DrawStep(world, random));
    twins.Settle(world);
  }));
}

// The bound alone, on stores of up to a million peers, growing and shrinking.
TEST(StoreProperties, KeepsItsBoundWhileLargeSwarmsComeAndGo) {
  struct Shape {
    uint32_t torrents;
    uint32_t peers;
    bool ipv6;
  };
  for (const Shape& shape :
       {Shape{1, 300'000, false}, Shape{1000, 1000, false}, Shape{200'000, 2, false},
        Shape{30'000, 9, true}, Shape{300, 500, true}}) {
    SCOPED_TRACE(testing::Message() << shape.torrents << " x " << shape.peers);
    SwarmStore store(ShortLivedStore(shape.torrents));
    Random random(shape.peers);
    const auto announce = [&](uint32_t torrent, uint32_t peer, Event event) {
      AnnounceRequest request;
      request.info_hash = TorrentNumber(torrent);
      request.peer = PeerNumber(peer * 2654435761u, shape.ipv6);
      request.role = peer % 2 == 0 ? Role::kSeeder : Role::kLeecher;
      request.event = event;
      store.Announce(request, 1, random, {});
    };
    uint64_t peak = 0;
    uint64_t steps = 0;
    const auto check = [&] {
      if (++steps % 64 != 0) return;
      const StoreUsage usage = store.Usage();
      ASSERT_LE(usage.bytes_total, BytesBound(usage, 1));
      peak = std::max(peak, usage.bytes_total);
    };
    for (uint32_t peer = 0; peer < shape.peers; ++peer) {
      for (uint32_t torrent = 0; torrent < shape.torrents; ++torrent) {
        announce(torrent, peer, Event::kStarted);
        check();
      }
    }
    const StoreUsage full = store.Usage();
    EXPECT_GT(full.ipv4_peers + full.ipv6_peers, uint64_t{shape.torrents} * shape.peers * 8 / 10);
    // All leave but one in a hundred, in another order than they came.
    for (uint32_t torrent = 0; torrent < shape.torrents; ++torrent) {
      for (uint32_t peer = 0; peer < shape.peers; ++peer) {
        if ((torrent + peer) % 100 == 0) continue;
        announce(torrent, peer, Event::kStopped);
        check();
      }
    }
    const StoreUsage left = store.Usage();
    EXPECT_LE(left.bytes_total, BytesBound(left, 1));
    EXPECT_LT(left.bytes_total, peak / 4);
  }
}

TEST(StoreProperties, NeverPassesItsCap) {
  EXPECT_TRUE(rc::check([] {
    const World world = DrawWorld();
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    StoreOptions options = ShortLivedStore(seed);
    options.bytes_max = SwarmStore::MinBytesMax(1) + *rc::gen::inRange<uint64_t>(0, 200'000);
    SwarmStore store(options);
    Random random(seed);
    int64_t now_ms = 1;
    for (int i = 0; i < 6'000; ++i) {
      const Step step = DrawStep(world, random);
      if (step.forward_ms > 0) {
        now_ms += step.forward_ms;
        store.Sweep(now_ms, step.sweep_peers);
      }
      AnnounceRequest request;
      request.info_hash = TorrentNumber(i % 3 == 0 ? static_cast<uint32_t>(i) : step.torrent);
      request.peer = PeerNumber(random.Below(100'000), step.ipv6);
      request.role = step.role;
      request.event = step.event;
      const AnnounceResult result = store.Announce(request, now_ms, random, {});
      RC_ASSERT(result.stored || request.event != Event::kStopped);
      RC_ASSERT(store.Usage().bytes_total <= options.bytes_max);
    }
  }));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
// Sanitizers keep shadows of their own.
TEST(StoreProperties, TheAccountIsWhatTheSystemHandedOut) {
  const auto resident_bytes = [] {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    long total = 0;
    long resident = 0;
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &resident), 2);
    std::fclose(file);
    return static_cast<double>(resident) * 4096;
  };
  Random random(3);
  const double before = resident_bytes();
  SwarmStore store(ShortLivedStore(1));
  for (uint32_t peer = 0; peer < 500; ++peer) {
    for (uint32_t torrent = 0; torrent < 1000; ++torrent) {
      AnnounceRequest request;
      request.info_hash = TorrentNumber(torrent);
      request.peer = PeerNumber(peer, torrent % 10 == 0);
      store.Announce(request, 1, random, {});
    }
  }
  const double grown = resident_bytes() - before;
  const auto account = static_cast<double>(store.Usage().bytes_total);
  EXPECT_NEAR(grown / account, 1.0, 0.05);
}
#endif

}  // namespace
}  // namespace septet::tracker
