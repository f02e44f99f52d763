// Export and Import of the swarm store: what leaves while the store changes, and what it is
// after its way through time.

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

constexpr int64_t kTickMs = 1000;

StoreOptions Options(uint32_t shards = 1, uint64_t key = 7) {
  StoreOptions options;
  options.peer_timeout_ms = 48 * kTickMs;
  options.downloaded_retention_ms = 500 * kTickMs;
  options.shards = shards;
  options.hash_key = {key, key + 1};
  return options;
}

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  for (int i = 0; i < 4; ++i) info_hash[i] = static_cast<uint8_t>(number >> (8 * i));
  return info_hash;
}

Endpoint PeerNumber(uint32_t number, bool ipv6 = false) {
  uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
  for (int i = 0; i < 4; ++i) address[15 - i] = static_cast<uint8_t>(number >> (8 * i));
  return ipv6 ? MakeIpv6(address, 6881) : MakeIpv4(address + 12, 6881);
}

AnnounceResult Announce(SwarmStore* store, uint32_t torrent, const Endpoint& peer, int64_t now_ms,
                        Role role = Role::kLeecher, Event event = Event::kNone) {
  AnnounceRequest request;
  request.info_hash = TorrentNumber(torrent);
  request.peer = peer;
  request.role = role;
  request.event = event;
  Random random(1);
  return store->Announce(request, now_ms, random, {});
}

// What left: torrents, each with the states of its peers by their compact form. Fails the test if
// anything left twice.
struct Left {
  std::map<InfoHash, std::map<std::string, uint8_t>> torrents;
  std::map<InfoHash, uint32_t> downloaded;
  std::map<InfoHash, int> parts;

  void Add(const SwarmBatch& batch) {
    const uint8_t* ipv4 = batch.ipv4.data();
    const uint8_t* ipv6 = batch.ipv6.data();
    for (const SwarmBatch::Torrent& torrent : batch.torrents) {
      ++parts[torrent.info_hash];
      downloaded[torrent.info_hash] = torrent.downloaded;
      for (uint32_t i = 0; i < torrent.ipv4_peers; ++i, ipv4 += SwarmBatch::kIpv4Bytes) {
        AddPeer(torrent.info_hash, ipv4, kCompactIpv4Bytes);
      }
      for (uint32_t i = 0; i < torrent.ipv6_peers; ++i, ipv6 += SwarmBatch::kIpv6Bytes) {
        AddPeer(torrent.info_hash, ipv6, kCompactIpv6Bytes);
      }
    }
    EXPECT_EQ(ipv4, batch.ipv4.data() + batch.ipv4.size());
    EXPECT_EQ(ipv6, batch.ipv6.data() + batch.ipv6.size());
  }

  bool Has(uint32_t torrent, const Endpoint& peer) const {
    const auto found = torrents.find(TorrentNumber(torrent));
    return found != torrents.end() && found->second.contains(Key(peer));
  }
  uint8_t State(uint32_t torrent, const Endpoint& peer) const {
    return torrents.at(TorrentNumber(torrent)).at(Key(peer));
  }

 private:
  static std::string Key(const Endpoint& peer) {
    return std::string(reinterpret_cast<const char*>(peer.compact.data()), peer.compact_bytes());
  }
  void AddPeer(const InfoHash& info_hash, const uint8_t* record, size_t key_bytes) {
    const std::string key(reinterpret_cast<const char*>(record), key_bytes);
    EXPECT_TRUE(torrents[info_hash].emplace(key, record[key_bytes]).second) << "it left twice";
  }
};

// Exports in steps, with `between` called after each.
template <typename Between>
Left ExportAll(SwarmStore* store, int64_t now_ms, uint32_t peers_max, Between between) {
  Left left;
  SwarmExport at = store->BeginExport(now_ms);
  SwarmBatch batch;
  while (store->Export(&at, now_ms, peers_max, &batch)) {
    left.Add(batch);
    batch.Clear();
    between();
  }
  EXPECT_FALSE(store->Export(&at, now_ms, peers_max, &batch));
  EXPECT_TRUE(batch.torrents.empty());
  return left;
}
Left ExportAll(SwarmStore* store, int64_t now_ms) {
  return ExportAll(store, now_ms, 1000, [] {});
}

// From one store to another, `elapsed_ms` later by the clock of the other.
ImportResult Move(SwarmStore* from, int64_t now_ms, SwarmStore* to, int64_t elapsed_ms,
                  int64_t to_now_ms) {
  SwarmExport at = from->BeginExport(now_ms);
  SwarmBatch batch;
  while (from->Export(&at, now_ms, 1000, &batch)) {
  }
  return to->Import(batch, at.ages(), elapsed_ms, to_now_ms);
}

uint64_t PeersAfterSweep(SwarmStore* store, int64_t now_ms) {
  while (!store->Sweep(now_ms, 1000)) {
  }
  return store->Usage().ipv4_peers + store->Usage().ipv6_peers;
}

TEST(SwarmStoreExport, AnEmptyStoreHasNothing) {
  SwarmStore store(Options(4));
  EXPECT_TRUE(ExportAll(&store, 1000).torrents.empty());
}

TEST(SwarmStoreExport, SaysWhatEachPeerIsAndItsAge) {
  SwarmStore store(Options());
  Announce(&store, 1, PeerNumber(1), 100'000, Role::kSeeder);
  Announce(&store, 1, PeerNumber(2, true), 103'000, Role::kPartialSeed);
  Announce(&store, 1, PeerNumber(3), 105'000, Role::kLeecher, Event::kCompleted);
  Announce(&store, 2, PeerNumber(4), 110'500);
  const SwarmExport at = store.BeginExport(110'750);
  EXPECT_EQ(at.ages(), (SwarmAges{1'000'000, 750'000 - 500'000}));

  const Left left = ExportAll(&store, 110'750);
  EXPECT_EQ(left.torrents.size(), 2u);
  EXPECT_EQ(left.State(1, PeerNumber(1)), 2 | 10 << 2);
  EXPECT_EQ(left.State(1, PeerNumber(2, true)), 1 | 7 << 2);
  EXPECT_EQ(left.State(1, PeerNumber(3)), 3 | 5 << 2);
  EXPECT_EQ(left.State(2, PeerNumber(4)), 0 | 0 << 2);
  EXPECT_EQ(left.downloaded.at(TorrentNumber(1)), 1u);
}

TEST(SwarmStoreExport, AgesAreThoseOfTheBeginning) {
  SwarmStore store(Options());
  Announce(&store, 1, PeerNumber(1), 100'000);
  Announce(&store, 2, PeerNumber(2), 108'000);
  SwarmExport at = store.BeginExport(105'000);
  SwarmBatch batch;
  while (store.Export(&at, 110'000, 1, &batch)) {
  }
  Left left;
  left.Add(batch);
  EXPECT_EQ(left.State(1, PeerNumber(1)), 5 << 2);
  EXPECT_EQ(left.State(2, PeerNumber(2)), 0);
}

TEST(SwarmStoreExport, WhoIsOverTheTimeoutStays) {
  SwarmStore store(Options());
  Announce(&store, 1, PeerNumber(1), 100'000);
  Announce(&store, 2, PeerNumber(3), 100'000, Role::kSeeder, Event::kCompleted);
  Announce(&store, 3, PeerNumber(4), 100'000);
  Announce(&store, 1, PeerNumber(2), 110'000);
  const Left left = ExportAll(&store, 149'000);
  EXPECT_FALSE(left.Has(1, PeerNumber(1)));
  EXPECT_TRUE(left.Has(1, PeerNumber(2)));
  // Its download is still to be told.
  EXPECT_EQ(left.downloaded.at(TorrentNumber(2)), 1u);
  EXPECT_FALSE(left.parts.contains(TorrentNumber(3)));
}

// The table of torrents grows and shrinks meanwhile, so that its slots move all the time.
TEST(SwarmStoreExport, TorrentsThatStayLeaveOnceWhateverTheTableDoes) {
  for (const bool grows : {true, false}) {
    for (const uint32_t peers_max : {1u, 7u, 300u}) {
      SwarmStore store(Options());
      constexpr uint32_t kStay = 1000;
      constexpr uint32_t kOthers = 3000;
      const auto toggle = [&](uint32_t number, bool is_there) {
        Announce(&store, kStay + number, PeerNumber(1), 1000, Role::kLeecher,
                 is_there ? Event::kNone : Event::kStopped);
      };
      for (uint32_t i = 0; i < kStay; ++i) Announce(&store, i, PeerNumber(i), 1000);
      if (!grows) {
        for (uint32_t i = 0; i < kOthers; ++i) toggle(i, true);
      }
      uint32_t next = 0;
      const Left left = ExportAll(&store, 1000, peers_max, [&] {
        const uint32_t end = std::min(kOthers, next + 1 + 3 * peers_max);
        for (; next < end; ++next) toggle(next, grows);
      });
      EXPECT_GT(next, kOthers / 4);
      for (uint32_t i = 0; i < kStay; ++i) {
        ASSERT_TRUE(left.Has(i, PeerNumber(i))) << i << " of " << peers_max;
      }
      for (const auto& [info_hash, parts] : left.parts) ASSERT_EQ(parts, 1);
    }
  }
}

// Leaves split and merge meanwhile, and peers change sides.
TEST(SwarmStoreExport, PeersThatStayLeaveOnceWhateverTheirSwarmDoes) {
  for (const bool ipv6 : {false, true}) {
    for (const bool grows : {true, false}) {
      SwarmStore store(Options());
      constexpr uint32_t kStay = SwarmStore::kExportedWholeMax * 2;
      constexpr uint32_t kOthers = SwarmStore::kExportedWholeMax * 6;
      const auto toggle = [&](uint32_t number, bool is_there) {
        Announce(&store, 1, PeerNumber(kStay + number, ipv6), 1000, Role::kLeecher,
                 is_there ? Event::kNone : Event::kStopped);
      };
      for (uint32_t i = 0; i < kStay; ++i) Announce(&store, 1, PeerNumber(i, ipv6), 1000);
      if (!grows) {
        for (uint32_t i = 0; i < kOthers; ++i) toggle(i, true);
      }
      uint32_t next = 0;
      uint32_t steps = 0;
      const Left left = ExportAll(&store, 1000, 1000, [&] {
        ++steps;
        const uint32_t end = std::min(kOthers, next + kOthers / 2);
        for (; next < end; ++next) toggle(next, grows);
        for (uint32_t i = 0; i < kStay; i += 3) {
          Announce(&store, 1, PeerNumber(i, ipv6), 1000,
                   (steps + i) % 2 == 0 ? Role::kSeeder : Role::kLeecher);
        }
      });
      EXPECT_EQ(next, kOthers);
      EXPECT_GE(steps, 3u);
      for (uint32_t i = 0; i < kStay; ++i) ASSERT_TRUE(left.Has(1, PeerNumber(i, ipv6))) << i;
    }
  }
}

TEST(SwarmStoreExport, ALargeSwarmThatEmptiesMeanwhileEnds) {
  SwarmStore store(Options());
  constexpr uint32_t kPeers = SwarmStore::kExportedWholeMax * 4;
  for (uint32_t i = 0; i < kPeers; ++i) Announce(&store, 1, PeerNumber(i), 1000);
  Announce(&store, 2, PeerNumber(1), 1000);
  uint32_t next = 0;
  const Left left = ExportAll(&store, 1000, 1000, [&] {
    // All but the last go in three steps.
    const uint32_t end = std::min(kPeers - 1, next + kPeers / 3);
    for (; next < end; ++next) {
      Announce(&store, 1, PeerNumber(next), 1000, Role::kLeecher, Event::kStopped);
    }
  });
  EXPECT_TRUE(left.Has(1, PeerNumber(kPeers - 1)));
  EXPECT_TRUE(left.Has(2, PeerNumber(1)));
}

TEST(SwarmStoreExport, NoStepIsMuchLargerThanAsked) {
  SwarmStore store(Options());
  for (uint32_t i = 0; i < 100'000; ++i) Announce(&store, 1, PeerNumber(i), 1000);
  for (uint32_t i = 0; i < 50'000; ++i) Announce(&store, 2 + i % 20'000, PeerNumber(i), 1000);
  SwarmExport at = store.BeginExport(1000);
  SwarmBatch batch;
  while (store.Export(&at, 1000, 500, &batch)) {
    const size_t peers = batch.ipv4.size() / SwarmBatch::kIpv4Bytes;
    ASSERT_LE(batch.torrents.size() == 1 ? peers : peers + batch.torrents.size(),
              batch.torrents.size() == 1 ? SwarmStore::kExportedWholeMax * 6 / 5 : 600u);
    batch.Clear();
  }
}

TEST(SwarmStoreImport, WhatLeftIsThereAgain) {
  for (const uint32_t shards : {1u, 8u}) {
    SwarmStore from(Options(1, 3));
    Random random(5);
    for (uint32_t i = 0; i < 40'000; ++i) {
      const uint32_t torrent = random.Below(random.Below(2) == 0 ? 2 : 2000);
      Announce(&from, torrent, PeerNumber(random.Below(30'000), i % 5 == 0), 1000,
               static_cast<Role>(random.Below(3)),
               random.Below(9) == 0 ? Event::kCompleted : Event::kNone);
    }
    SwarmStore to(Options(shards, 4));
    const ImportResult result = Move(&from, 1000, &to, 0, 500'000);
    const StoreUsage usage = from.Usage();
    EXPECT_EQ(result.peers, usage.ipv4_peers + usage.ipv6_peers);
    EXPECT_EQ(result.expired + result.not_stored, 0u);
    EXPECT_EQ(to.Usage().torrents, usage.torrents);
    EXPECT_EQ(to.Usage().ipv4_peers, usage.ipv4_peers);
    EXPECT_EQ(to.Usage().ipv6_peers, usage.ipv6_peers);
    for (uint32_t torrent = 0; torrent < 2000; ++torrent) {
      ASSERT_EQ(to.Scrape(TorrentNumber(torrent)), from.Scrape(TorrentNumber(torrent)));
    }
    const Left before = ExportAll(&from, 1000);
    const Left after = ExportAll(&to, 500'000);
    EXPECT_EQ(after.torrents, before.torrents);
    EXPECT_EQ(after.downloaded, before.downloaded);
  }
}

// What leaves in the order of its place would pile up in the same places of a smaller table.
TEST(SwarmStoreImport, AStoreWithTheSameKeyTakesAllToo) {
  for (const uint32_t shards : {1u, 4u}) {
    SwarmStore from(Options(shards));
    for (uint32_t i = 0; i < 40'000; ++i) Announce(&from, i, PeerNumber(i), 1000);
    SwarmStore to(Options(shards));
    EXPECT_EQ(Move(&from, 1000, &to, 0, 1000).peers, 40'000u);
    EXPECT_EQ(to.Usage().torrents, 40'000u);
  }
}

TEST(SwarmStoreImport, TimeWentOnMeanwhile) {
  SwarmStore from(Options());
  Announce(&from, 1, PeerNumber(1), 100'000);
  Announce(&from, 1, PeerNumber(2), 120'000);
  SwarmStore to(Options());
  // 30 s later the first is 50 s old, over the timeout of 48 s.
  const ImportResult result = Move(&from, 120'000, &to, 30'000, 150'000);
  EXPECT_EQ(result.peers, 1u);
  EXPECT_EQ(result.expired, 1u);
  EXPECT_EQ(PeersAfterSweep(&to, 168'000), 1u);
  EXPECT_EQ(PeersAfterSweep(&to, 169'000), 0u);
}

TEST(SwarmStoreImport, AClockThatStandsStillOrWentBackMakesNobodyImmortal) {
  int64_t now_ms = 100'000;
  auto store = std::make_unique<SwarmStore>(Options());
  Announce(store.get(), 1, PeerNumber(1), now_ms);
  // A start every ten seconds, each on a machine whose clock begins anew somewhere.
  int64_t age_ms = 0;
  for (; store->Usage().ipv4_peers > 0; age_ms += 10'000) {
    ASSERT_LE(age_ms, 60'000);
    now_ms += 10'000;
    const int64_t begins_ms = 5'000 + age_ms * 37 % 990;
    auto next = std::make_unique<SwarmStore>(Options());
    Move(store.get(), now_ms, next.get(), -1'000'000, begins_ms);
    store = std::move(next);
    now_ms = begins_ms;
  }
  EXPECT_GE(age_ms, 40'000);
}

TEST(SwarmStoreImport, ManyQuickStartsMakeNobodyOlderOrYounger) {
  int64_t now_ms = 100'400;
  auto store = std::make_unique<SwarmStore>(Options());
  Announce(store.get(), 1, PeerNumber(1), now_ms);
  for (int i = 0; i < 480; ++i, now_ms += 100) {
    auto next = std::make_unique<SwarmStore>(Options());
    Move(store.get(), now_ms, next.get(), 100, now_ms + 100);
    store = std::move(next);
    ASSERT_EQ(PeersAfterSweep(store.get(), now_ms + 100), 1u) << i;
  }
  EXPECT_EQ(PeersAfterSweep(store.get(), 149'000), 0u);
}

TEST(SwarmStoreImport, AnotherTimeoutCountsFromTheSameAge) {
  SwarmStore from(Options());
  Announce(&from, 1, PeerNumber(1), 100'000);
  Announce(&from, 1, PeerNumber(2), 130'000);
  StoreOptions options = Options();
  options.peer_timeout_ms = 20'000;
  SwarmStore shorter(options);
  EXPECT_EQ(Move(&from, 131'000, &shorter, 0, 7'000).peers, 1u);
  options.peer_timeout_ms = 480'000;
  SwarmStore longer(options);
  EXPECT_EQ(Move(&from, 131'000, &longer, 0, 7'000).peers, 2u);
  // 31 and 1 s old, and known to 1 s: gone within a tick (10 s) after 480.
  EXPECT_EQ(PeersAfterSweep(&longer, 7'000 + 435'000), 2u);
  EXPECT_EQ(PeersAfterSweep(&longer, 7'000 + 462'000), 1u);
  EXPECT_EQ(PeersAfterSweep(&longer, 7'000 + 492'000), 0u);
}

TEST(SwarmStoreImport, ATorrentWithoutPeersKeepsItsDownloadsForTheRestOfItsTime) {
  SwarmStore from(Options());
  Announce(&from, 1, PeerNumber(1), 100'000, Role::kSeeder, Event::kCompleted);
  Announce(&from, 1, PeerNumber(1), 100'000, Role::kSeeder, Event::kStopped);
  PeersAfterSweep(&from, 200'000);
  SwarmStore to(Options());
  Move(&from, 200'000, &to, 300'000, 1'000'000);
  EXPECT_EQ(to.Scrape(TorrentNumber(1)).downloaded, 1u);
  PeersAfterSweep(&to, 1'100'000);
  EXPECT_EQ(to.Scrape(TorrentNumber(1)).downloaded, 1u);
  PeersAfterSweep(&to, 1'102'000);
  EXPECT_EQ(to.Usage().torrents, 0u);

  SwarmStore too_late(Options());
  Move(&from, 200'000, &too_late, 402'000, 1'000'000);
  EXPECT_EQ(too_late.Usage().torrents, 0u);
}

TEST(SwarmStoreImport, ATorrentWhosePeersAllWentMeanwhileKeepsItsDownloads) {
  SwarmStore from(Options());
  Announce(&from, 1, PeerNumber(1), 100'000, Role::kSeeder, Event::kCompleted);
  Announce(&from, 2, PeerNumber(1), 100'000, Role::kSeeder);
  SwarmStore to(Options());
  const ImportResult result = Move(&from, 100'000, &to, 60'000, 160'000);
  EXPECT_EQ(result.expired, 2u);
  EXPECT_EQ(to.Scrape(TorrentNumber(1)), (SwarmCounts{0, 0, 1}));
  EXPECT_EQ(to.Usage().torrents, 1u);
  // It has been empty since 149 s.
  PeersAfterSweep(&to, 649'000);
  EXPECT_EQ(to.Usage().torrents, 1u);
  PeersAfterSweep(&to, 651'000);
  EXPECT_EQ(to.Usage().torrents, 0u);
}

TEST(SwarmStoreImport, KeepsToTheCap) {
  SwarmStore from(Options());
  for (uint32_t i = 0; i < 200'000; ++i) {
    Announce(&from, i % 3 == 0 ? i : 1, PeerNumber(i), 1000, Role::kSeeder, Event::kCompleted);
  }
  StoreOptions options = Options();
  options.bytes_max = SwarmStore::MinBytesMax(1) + 500'000;
  SwarmStore to(options);
  const ImportResult result = Move(&from, 1000, &to, 0, 1000);
  EXPECT_GT(result.peers, 10'000u);
  EXPECT_GT(result.not_stored, 10'000u);
  EXPECT_EQ(result.peers + result.not_stored, 200'000u);
  EXPECT_LE(to.Usage().bytes_total, options.bytes_max);
  EXPECT_EQ(to.Usage().ipv4_peers, result.peers);
}

TEST(SwarmStoreImport, ToWhatIsThereAlreadyItAdds) {
  SwarmStore from(Options());
  Announce(&from, 1, PeerNumber(1), 1000, Role::kSeeder, Event::kCompleted);
  Announce(&from, 1, PeerNumber(2), 1000, Role::kLeecher);
  SwarmStore to(Options());
  Announce(&to, 1, PeerNumber(2), 1000, Role::kSeeder);
  Announce(&to, 1, PeerNumber(3), 1000, Role::kSeeder);
  for (int i = 0; i < 2; ++i) {
    Move(&from, 1000, &to, 0, 1000);
    EXPECT_EQ(to.Scrape(TorrentNumber(1)), (SwarmCounts{2, 1, 1}));
  }
}

// Run it with --config=tsan.
TEST(SwarmStoreExport, OtherThreadsGoOn) {
  SwarmStore store(Options(4));
  for (uint32_t i = 0; i < 20'000; ++i) Announce(&store, i % 100, PeerNumber(i), 1000);
  std::vector<std::thread> threads;
  for (uint32_t t = 1; t <= 2; ++t) {
    threads.emplace_back([&store, t] {
      for (uint32_t i = 0; i < 30'000; ++i) {
        Announce(&store, i % 500, PeerNumber(t << 20 | i % 2000), 1000,
                 i % 2 == 0 ? Role::kSeeder : Role::kLeecher,
                 i % 3 == 0 ? Event::kStopped : Event::kNone);
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    const Left left = ExportAll(&store, 1000);
    for (uint32_t i = 0; i < 20'000; ++i) ASSERT_TRUE(left.Has(i % 100, PeerNumber(i)));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace septet::tracker
