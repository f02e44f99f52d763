// Properties of snapshots: a store that went through one is the store that it was, as the naive
// model says; and nothing that was changed on the way is taken.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/naive_store.h"
#include "rapidcheck.h"
#include "tracker/snapshot/snapshot.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

constexpr int64_t kTickMs = 1000;

StoreOptions Options(uint64_t key, uint32_t shards) {
  StoreOptions options;
  options.peer_timeout_ms = 48 * kTickMs;
  options.downloaded_retention_ms = 200 * kTickMs;
  options.shards = shards;
  options.hash_key = {key, ~key};
  return options;
}

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  for (int i = 0; i < 4; ++i) info_hash[i] = static_cast<uint8_t>(number >> (8 * i));
  return info_hash;
}

Endpoint PeerNumber(uint32_t number, bool ipv6) {
  uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
  for (int i = 0; i < 4; ++i) address[15 - i] = static_cast<uint8_t>(number >> (8 * i));
  return ipv6 ? MakeIpv6(address, 6881) : MakeIpv4(address + 12, 6881);
}

struct World {
  uint32_t torrents = 1;
  uint32_t peers = 1;
  uint32_t ipv6_percent = 0;
  uint32_t leave_percent = 0;
};

World DrawWorld() {
  World world;
  world.torrents = *rc::gen::element(1u, 2u, 10u, 300u);
  world.peers = *rc::gen::element(1u, 3u, 30u, 150u, 700u);
  world.ipv6_percent = *rc::gen::element(0u, 20u, 100u);
  world.leave_percent = *rc::gen::element(0u, 10u, 50u);
  return world;
}

AnnounceRequest DrawRequest(const World& world, Random& random) {
  AnnounceRequest request;
  request.info_hash = TorrentNumber(random.Below(world.torrents));
  request.peer = PeerNumber(random.Below(world.peers), random.Below(100) < world.ipv6_percent);
  request.role = static_cast<Role>(random.Below(3));
  const uint32_t event = random.Below(100);
  if (event < world.leave_percent) {
    request.event = Event::kStopped;
  } else if (event % 10 == 0) {
    request.event = Event::kCompleted;
  }
  return request;
}

std::string Write(SwarmStore* store, const SnapshotTime& time, int64_t now_ms) {
  std::string bytes;
  SnapshotWriter writer(store, time, now_ms);
  while (writer.Step(now_ms, &bytes)) {
  }
  return bytes;
}

// A store that is replaced now and then by one that reads its snapshot, and the model, which goes
// on. All that is over its time is swept whenever time passes, so that both agree exactly.
class Restarting {
 public:
  explicit Restarting(uint64_t seed)
      : random_(seed),
        store_(std::make_unique<SwarmStore>(Options(seed, 1))),
        naive_(Options(seed, 1), kTickMs) {}

  void Announce(const World& world) {
    const AnnounceRequest request = DrawRequest(world, random_);
    store_->Announce(request, now_ms_, random_, {});
    naive_.Announce(request, now_ms_);
  }

  void PassTime(int64_t ms) {
    PassTimeOfModel(ms);
    // In steps below the lag at which the store sweeps by itself.
    for (int64_t at_ms = now_ms_ - ms; at_ms < now_ms_;) {
      at_ms = std::min(now_ms_, at_ms + kTickMs);
      while (!store_->Sweep(at_ms, 1000)) {
      }
    }
  }

  // The store is down for so long.
  void Restart(int64_t down_ms) {
    const std::string bytes = Write(store_.get(), Time(), now_ms_);
    PassTimeOfModel(down_ms);
    const uint64_t key = random_.Next();
    auto next = std::make_unique<SwarmStore>(Options(key, 1u << random_.Below(4)));
    SnapshotReader reader(next.get(), Time(), now_ms_);
    const absl::Status status = ReadSnapshot(bytes, &reader);
    RC_ASSERT(status.ok());
    RC_ASSERT(reader.elapsed_ms() == down_ms);
    RC_ASSERT(reader.result().not_stored == 0u);
    store_ = std::move(next);
    while (!store_->Sweep(now_ms_, 1000)) {
    }
  }

  void Check(const World& world) const {
    for (uint32_t torrent = 0; torrent < world.torrents; ++torrent) {
      const InfoHash info_hash = TorrentNumber(torrent);
      RC_ASSERT(store_->Scrape(info_hash) == naive_.Scrape(info_hash));
    }
    const StoreUsage usage = store_->Usage();
    RC_ASSERT(usage.torrents == naive_.torrents());
    RC_ASSERT(usage.ipv4_peers == naive_.peers(Family::kIpv4));
    RC_ASSERT(usage.ipv6_peers == naive_.peers(Family::kIpv6));
  }

  Random& random() { return random_; }

 private:
  void PassTimeOfModel(int64_t ms) {
    for (int64_t at_ms = now_ms_; at_ms < now_ms_ + ms;) {
      at_ms = std::min(now_ms_ + ms, at_ms + kTickMs);
      naive_.Sweep(at_ms);
    }
    now_ms_ += ms;
  }

  SnapshotTime Time() const {
    SnapshotTime time;
    time.boot_ms = now_ms_;
    time.boot_id[0] = 1;
    return time;
  }

  Random random_;
  int64_t now_ms_ = 10'000'000;
  std::unique_ptr<SwarmStore> store_;
  NaiveStore naive_;
};

TEST(SnapshotProperties, AStoreIsTheSameAfterAnyRestarts) {
  EXPECT_TRUE(rc::check([] {
    const World world = DrawWorld();
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    RC_LOG() << "torrents " << world.torrents << " peers " << world.peers << " seed " << seed;
    Restarting restarting(seed);
    Random& random = restarting.random();
    for (int i = 0; i < 1500; ++i) {
      restarting.Announce(world);
      if (random.Below(50) == 0) restarting.PassTime(random.Below(8'000));
      if (random.Below(100) == 0) {
        // Of the time it is down only whole ticks are told apart.
        restarting.Restart(random.Below(10) == 0 ? random.Below(100'000) : random.Below(3'000));
        restarting.Check(world);
      }
    }
    restarting.PassTime(kTickMs);
    restarting.Check(world);
    for (int i = 0; i < 10; ++i) {
      restarting.PassTime(30'000);
      restarting.Restart(1'500);
      restarting.Check(world);
    }
  }));
}

// A snapshot of a drawn store.
std::string DrawSnapshot(uint64_t seed) {
  const World world = DrawWorld();
  Random random(seed);
  SwarmStore store(Options(seed, 2));
  for (int i = 0; i < 1000; ++i) store.Announce(DrawRequest(world, random), 1000, random, {});
  return Write(&store, {}, 1000);
}

absl::Status Read(const std::string& bytes) {
  SwarmStore store(Options(1, 1));
  SnapshotReader reader(&store, {}, 1000);
  return ReadSnapshot(bytes, &reader);
}

TEST(SnapshotProperties, NoChangeIsTaken) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    const std::string good = DrawSnapshot(seed);
    RC_ASSERT(Read(good).ok());
    Random random(seed);
    const auto place = [&](size_t size) { return random.Below(static_cast<uint32_t>(size)); };

    RC_ASSERT(Read(good.substr(0, place(good.size()))).code() == absl::StatusCode::kDataLoss);

    std::string flipped = good;
    flipped[place(good.size())] ^= static_cast<char>(1 << random.Below(8));
    RC_ASSERT(Read(flipped).code() == absl::StatusCode::kDataLoss);

    std::string inserted = good;
    inserted.insert(place(good.size() + 1), 1, static_cast<char>(random.Next()));
    RC_ASSERT(Read(inserted).code() == absl::StatusCode::kDataLoss);

    // A page that was never written.
    std::string zeroed = good;
    const size_t at = place(good.size());
    const size_t end = std::min(good.size(), at + 512);
    std::fill(zeroed.begin() + static_cast<ptrdiff_t>(at),
              zeroed.begin() + static_cast<ptrdiff_t>(end), '\0');
    if (zeroed != good) RC_ASSERT(Read(zeroed).code() == absl::StatusCode::kDataLoss);

    const std::string other = DrawSnapshot(seed + 1);
    const size_t cut = place(std::min(good.size(), other.size()));
    const std::string mixed = good.substr(0, cut) + other.substr(cut);
    if (mixed != good && mixed != other) {
      RC_ASSERT(Read(mixed).code() == absl::StatusCode::kDataLoss);
    }
  }));
}

}  // namespace
}  // namespace septet::tracker
