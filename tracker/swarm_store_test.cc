#include "tracker/swarm_store.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

constexpr int64_t kTimeoutMs = 48'000;  // a tick of one second

InfoHash HashOf(uint32_t number) {
  InfoHash info_hash{};
  for (int i = 0; i < 4; ++i) info_hash[i] = static_cast<uint8_t>(number >> (8 * i));
  return info_hash;
}

Endpoint Ipv4Peer(uint32_t number, uint16_t port = 6881) {
  const uint8_t address[4] = {10, static_cast<uint8_t>(number >> 16),
                              static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
  return MakeIpv4(address, port);
}

Endpoint Ipv6Peer(uint32_t number, uint16_t port = 6881) {
  uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8};
  for (int i = 0; i < 4; ++i) address[15 - i] = static_cast<uint8_t>(number >> (8 * i));
  return MakeIpv6(address, port);
}

class SwarmStoreTest : public testing::Test {
 protected:
  static StoreOptions Options() {
    StoreOptions options;
    options.peer_timeout_ms = kTimeoutMs;
    options.downloaded_retention_ms = 100'000;
    options.shards = 2;
    options.hash_key = {1, 2};
    return options;
  }

  AnnounceResult Announce(const Endpoint& peer, Role role, Event event = Event::kNone,
                          uint32_t numwant = 0, uint32_t torrent = 1) {
    AnnounceRequest request;
    request.info_hash = HashOf(torrent);
    request.peer = peer;
    request.role = role;
    request.event = event;
    request.numwant = numwant;
    ipv4_.assign(numwant * kCompactIpv4Bytes, 0);
    ipv6_.assign(numwant * kCompactIpv6Bytes, 0);
    return store_.Announce(request, now_ms_, random_,
                           {absl::MakeSpan(ipv4_), absl::MakeSpan(ipv6_)});
  }

  // The peers that the last announce was told of, in compact form.
  static std::set<std::string> Split(const std::vector<uint8_t>& bytes, uint32_t peers,
                                     size_t peer_bytes) {
    std::set<std::string> all;
    for (uint32_t i = 0; i < peers; ++i) {
      all.emplace(reinterpret_cast<const char*>(bytes.data()) + i * peer_bytes, peer_bytes);
    }
    EXPECT_EQ(all.size(), peers) << "a peer is in the reply twice";
    return all;
  }
  static std::string Compact(const Endpoint& peer) {
    return std::string(reinterpret_cast<const char*>(peer.compact.data()), peer.compact_bytes());
  }

  void SweepAll() {
    for (int i = 0; i < 1'000'000; ++i) {
      if (store_.Sweep(now_ms_, 100)) return;
    }
    FAIL() << "the sweep does not end";
  }

  SwarmCounts Scrape(uint32_t torrent = 1) { return store_.Scrape(HashOf(torrent)); }

  SwarmStore store_{Options()};
  Random random_{7};
  int64_t now_ms_ = 5'000'000;
  std::vector<uint8_t> ipv4_, ipv6_;
};

TEST_F(SwarmStoreTest, AnUnknownTorrentHasZeros) {
  EXPECT_EQ(Scrape(), SwarmCounts{});
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

TEST_F(SwarmStoreTest, CountsSeedersAndTheOthers) {
  Announce(Ipv4Peer(1), Role::kSeeder);
  Announce(Ipv4Peer(2), Role::kLeecher);
  Announce(Ipv6Peer(3), Role::kPartialSeed);
  EXPECT_EQ(Scrape(), (SwarmCounts{1, 2, 0}));
  const StoreUsage usage = store_.Usage();
  EXPECT_EQ(usage.torrents, 1u);
  EXPECT_EQ(usage.ipv4_peers, 2u);
  EXPECT_EQ(usage.ipv6_peers, 1u);
}

TEST_F(SwarmStoreTest, APeerIsItsAddressAndPort) {
  Announce(Ipv4Peer(1, 1), Role::kLeecher);
  Announce(Ipv4Peer(1, 2), Role::kLeecher);
  Announce(Ipv4Peer(1, 2), Role::kLeecher);
  EXPECT_EQ(Scrape(), (SwarmCounts{0, 2, 0}));
}

TEST_F(SwarmStoreTest, APeerWithoutAPortIsAnsweredButNotListed) {
  Announce(Ipv4Peer(1), Role::kSeeder);
  const AnnounceResult result = Announce(Ipv4Peer(2, 0), Role::kLeecher, Event::kStarted, 10);
  EXPECT_EQ(result.ipv4_peers, 1u);
  EXPECT_EQ(result.counts, (SwarmCounts{1, 0, 0}));
  Announce(Ipv4Peer(2, 0), Role::kSeeder, Event::kCompleted);
  EXPECT_EQ(Scrape(), (SwarmCounts{1, 0, 0}));
  Announce(Ipv4Peer(9, 0), Role::kLeecher, Event::kNone, 10, 77);
  EXPECT_EQ(store_.Usage().torrents, 1u);
}

TEST_F(SwarmStoreTest, StoppedRemovesAtOnceAndGetsNoPeers) {
  Announce(Ipv4Peer(1), Role::kSeeder);
  Announce(Ipv4Peer(2), Role::kLeecher);
  const AnnounceResult result = Announce(Ipv4Peer(2), Role::kLeecher, Event::kStopped, 10);
  EXPECT_EQ(result.ipv4_peers, 0u);
  EXPECT_EQ(result.counts, (SwarmCounts{1, 0, 0}));
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kStopped);
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

TEST_F(SwarmStoreTest, ADownloadIsCountedOnceForAPeer) {
  Announce(Ipv4Peer(1), Role::kLeecher, Event::kStarted);
  EXPECT_EQ(Announce(Ipv4Peer(1), Role::kSeeder, Event::kCompleted).counts, (SwarmCounts{1, 0, 1}));
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kCompleted);
  Announce(Ipv4Peer(1), Role::kSeeder);
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kCompleted);
  EXPECT_EQ(Scrape().downloaded, 1u);
  // One that was a seeder all the time, and one that was never seen before.
  Announce(Ipv4Peer(2), Role::kSeeder);
  EXPECT_EQ(Scrape().downloaded, 1u);
  Announce(Ipv4Peer(2), Role::kSeeder, Event::kCompleted);
  Announce(Ipv4Peer(3), Role::kSeeder, Event::kCompleted);
  EXPECT_EQ(Scrape(), (SwarmCounts{3, 0, 3}));
}

TEST_F(SwarmStoreTest, ASeederIsToldOfNoSeederAndNobodyOfHimself) {
  // Small enough for a slot, a leaf, and large, by family.
  for (const uint32_t peers : {2u, 3u, 20u, 400u}) {
    for (const bool ipv6 : {false, true}) {
      SCOPED_TRACE(testing::Message() << peers << (ipv6 ? " IPv6" : " IPv4"));
      const uint32_t torrent = peers * 2 + (ipv6 ? 1 : 0);
      const auto peer = [&](uint32_t i) { return ipv6 ? Ipv6Peer(i) : Ipv4Peer(i); };
      std::set<std::string> leechers, everybody;
      for (uint32_t i = 0; i < peers; ++i) {
        const Role role = i % 2 == 0 ? Role::kSeeder : Role::kLeecher;
        Announce(peer(i), role, Event::kNone, 0, torrent);
        everybody.insert(Compact(peer(i)));
        if (role == Role::kLeecher) leechers.insert(Compact(peer(i)));
      }
      AnnounceResult result = Announce(peer(0), Role::kSeeder, Event::kNone, peers, torrent);
      EXPECT_EQ(ipv6 ? Split(ipv6_, result.ipv6_peers, 18) : Split(ipv4_, result.ipv4_peers, 6),
                leechers);
      result = Announce(peer(1), Role::kLeecher, Event::kNone, peers, torrent);
      everybody.erase(Compact(peer(1)));
      EXPECT_EQ(ipv6 ? Split(ipv6_, result.ipv6_peers, 18) : Split(ipv4_, result.ipv4_peers, 6),
                everybody);
    }
  }
}

TEST_F(SwarmStoreTest, BothFamiliesShareNumwant) {
  for (uint32_t i = 0; i < 60; ++i) Announce(Ipv4Peer(i), Role::kLeecher);
  for (uint32_t i = 0; i < 20; ++i) Announce(Ipv6Peer(i), Role::kLeecher);
  uint64_t ipv4 = 0;
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    const AnnounceResult result = Announce(Ipv4Peer(1000, 0), Role::kLeecher, Event::kNone, 10);
    EXPECT_EQ(result.ipv4_peers + result.ipv6_peers, 10u);
    EXPECT_TRUE(result.has_ipv6);
    ipv4 += result.ipv4_peers;
  }
  // 60 of 80: 7.5 of 10.
  EXPECT_NEAR(static_cast<double>(ipv4) / kRounds, 7.5, 0.1);
}

TEST_F(SwarmStoreTest, OnlyTheFamilyWithRoomIsGiven) {
  for (uint32_t i = 0; i < 30; ++i) Announce(Ipv4Peer(i), Role::kLeecher);
  for (uint32_t i = 0; i < 30; ++i) Announce(Ipv6Peer(i), Role::kLeecher);
  AnnounceRequest request;
  request.info_hash = HashOf(1);
  request.peer = Ipv6Peer(99);
  // The family without room has no share of what is wanted.
  for (const uint32_t numwant : {10u, 50u}) {
    request.numwant = numwant;
    std::vector<uint8_t> room(10 * kCompactIpv6Bytes);
    const AnnounceResult result =
        store_.Announce(request, now_ms_, random_, {{}, absl::MakeSpan(room)});
    EXPECT_EQ(result.ipv4_peers, 0u);
    EXPECT_EQ(result.ipv6_peers, 10u);
  }
}

TEST_F(SwarmStoreTest, APeerIsGoneOneTickAfterTheTimeoutAndNotBefore) {
  now_ms_ = 1'000'000;
  ASSERT_EQ(store_.tick_ms(), 1000);
  Announce(Ipv4Peer(1), Role::kLeecher);
  Announce(Ipv6Peer(2), Role::kLeecher);
  now_ms_ += kTimeoutMs;
  SweepAll();
  EXPECT_EQ(Scrape().incomplete, 2u);
  Announce(Ipv4Peer(1), Role::kLeecher);
  now_ms_ += 1000;
  SweepAll();
  EXPECT_EQ(Scrape().incomplete, 1u);
  now_ms_ += kTimeoutMs;
  SweepAll();
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

TEST_F(SwarmStoreTest, ShortTimeoutsAreKeptToATickToo) {
  for (int64_t timeout_ms = 1000; timeout_ms < 1100; ++timeout_ms) {
    SCOPED_TRACE(timeout_ms);
    StoreOptions options = Options();
    options.shards = 1;
    options.peer_timeout_ms = timeout_ms;
    SwarmStore store(options);
    AnnounceRequest request;
    request.info_hash = HashOf(1);
    request.peer = Ipv4Peer(1);
    const auto is_listed_after = [&](int64_t ms) {
      store.Announce(request, now_ms_, random_, {});
      now_ms_ += ms;
      while (!store.Sweep(now_ms_, 1000)) {
      }
      return store.Scrape(request.info_hash).incomplete == 1;
    };
    EXPECT_TRUE(is_listed_after(timeout_ms));
    EXPECT_FALSE(is_listed_after(timeout_ms + store.tick_ms() + 1));
  }
}

TEST_F(SwarmStoreTest, AfterALongSleepOldPeersAreNotTakenForFreshOnes) {
  // Ticks are stored modulo 64: look at every distance around a whole turn.
  for (int64_t ticks = 40; ticks < 200; ++ticks) {
    SCOPED_TRACE(ticks);
    Announce(Ipv4Peer(1), Role::kLeecher);
    Announce(Ipv4Peer(2), Role::kLeecher);
    now_ms_ += ticks * 1000;
    Announce(Ipv4Peer(3), Role::kLeecher);
    SweepAll();
    EXPECT_EQ(Scrape().incomplete, ticks <= 48 ? 3u : 1u);
    Announce(Ipv4Peer(3), Role::kLeecher, Event::kStopped);
    Announce(Ipv4Peer(2), Role::kLeecher, Event::kStopped);
    Announce(Ipv4Peer(1), Role::kLeecher, Event::kStopped);
  }
}

TEST_F(SwarmStoreTest, DownloadsAreRememberedForTheRetentionTime) {
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kCompleted);
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kStopped);
  EXPECT_EQ(Scrape(), (SwarmCounts{0, 0, 1}));
  now_ms_ += 100'000;
  SweepAll();
  EXPECT_EQ(Scrape().downloaded, 1u);
  now_ms_ += 2'000;
  SweepAll();
  EXPECT_EQ(Scrape().downloaded, 0u);
  EXPECT_EQ(store_.Usage().torrents, 0u);
}

// Pearson's chi-squared against the uniform distribution; the mean is the number of
// classes less one, and six standard deviations from it are a chance of 10^-8 or so.
void ExpectUniform(const std::map<std::string, uint64_t>& hits, size_t classes) {
  ASSERT_EQ(hits.size(), classes) << "some peers are never given";
  double sum = 0;
  for (const auto& [peer, n] : hits) sum += static_cast<double>(n);
  const double expected = sum / static_cast<double>(classes);
  double chi_squared = 0;
  for (const auto& [peer, n] : hits) {
    const double d = static_cast<double>(n) - expected;
    chi_squared += d * d / expected;
  }
  const double freedom = static_cast<double>(classes - 1);
  EXPECT_LE(chi_squared, freedom + 6 * std::sqrt(2 * freedom));
}

TEST_F(SwarmStoreTest, EveryPeerHasTheSameChance) {
  for (const uint32_t peers : {4u, 30u, 127u, 300u, 1000u}) {
    for (const bool asker_seeds : {false, true}) {
      SCOPED_TRACE(testing::Message() << peers << " asker seeds " << asker_seeds);
      const uint32_t torrent = peers + (asker_seeds ? 5000 : 0);
      // Few leechers among seeders, and a run of seeders at the front.
      uint32_t leechers = 0;
      for (uint32_t i = 0; i < peers; ++i) {
        const bool leeches = i % 4 == 3;
        leechers += leeches ? 1 : 0;
        Announce(Ipv4Peer(i), leeches ? Role::kLeecher : Role::kSeeder, Event::kNone, 0, torrent);
      }
      std::map<std::string, uint64_t> hits;
      const Role role = asker_seeds ? Role::kSeeder : Role::kLeecher;
      // One at a time, as the chance of neighbours is not independent.
      for (uint32_t i = 0; i < 200 * peers; ++i) {
        const AnnounceResult result =
            Announce(Ipv4Peer(asker_seeds ? 0 : 3), role, Event::kNone, 1, torrent);
        ASSERT_EQ(result.ipv4_peers, 1u);
        ++hits[std::string(ipv4_.begin(), ipv4_.begin() + 6)];
      }
      ExpectUniform(hits, asker_seeds ? leechers : peers - 1);
    }
  }
}

TEST_F(SwarmStoreTest, MemoryLeavesWithThePeers) {
  const StoreUsage empty = store_.Usage();
  for (uint32_t torrent = 0; torrent < 500; ++torrent) {
    for (uint32_t i = 0; i < 200; ++i) {
      Announce(i % 5 == 0 ? Ipv6Peer(i) : Ipv4Peer(i), Role::kLeecher, Event::kNone, 0, torrent);
    }
  }
  EXPECT_EQ(store_.Usage().ipv4_peers, 80'000u);
  EXPECT_EQ(store_.Usage().ipv6_peers, 20'000u);
  now_ms_ += 2 * kTimeoutMs;
  SweepAll();
  const StoreUsage after = store_.Usage();
  EXPECT_EQ(after.torrents, 0u);
  EXPECT_EQ(after.ipv4_peers + after.ipv6_peers, 0u);
  for (int i = 0; i < 1000; ++i) {
    now_ms_ += 1000;
    SweepAll();
  }
  EXPECT_LE(store_.Usage().bytes_total, empty.bytes_total + 64 * 1024);
}

TEST_F(SwarmStoreTest, AtTheCapItAnswersAndKeepsWhatItHas) {
  StoreOptions options = Options();
  options.shards = 1;
  options.bytes_max = SwarmStore::MinBytesMax(1) + (256 << 10);
  SwarmStore store(options);
  AnnounceRequest request;
  request.info_hash = HashOf(1);
  for (uint32_t i = 0; i < 100; ++i) {
    request.peer = Ipv4Peer(i);
    ASSERT_TRUE(store.Announce(request, now_ms_, random_, {}).stored);
  }
  uint32_t refused = 0;
  for (uint32_t i = 0; i < 100'000; ++i) {
    AnnounceRequest flood;
    flood.info_hash = HashOf(1000 + i);
    flood.peer = i % 3 == 0 ? Ipv6Peer(i) : Ipv4Peer(i);
    refused += store.Announce(flood, now_ms_, random_, {}).stored ? 0 : 1;
    ASSERT_LE(store.Usage().bytes_total, options.bytes_max);
  }
  EXPECT_GT(refused, 50'000u);
  EXPECT_EQ(store.Usage().not_stored, refused);
  EXPECT_GT(store.Usage().torrents, 1000u);
  std::vector<uint8_t> room(200 * 6);
  for (uint32_t i = 0; i < 100; ++i) {
    request.peer = Ipv4Peer(i);
    request.numwant = 200;
    const auto result = store.Announce(request, now_ms_, random_, {absl::MakeSpan(room), {}});
    EXPECT_TRUE(result.stored);
    EXPECT_EQ(result.ipv4_peers, 99u);
  }
  EXPECT_EQ(store.Scrape(HashOf(1)).incomplete, 100u);
}

// All that is listed in steps, with its counts; no torrent twice.
std::map<InfoHash, SwarmCounts> ListInSteps(const SwarmStore& store, uint32_t step,
                                            const std::function<void()>& between) {
  std::map<InfoHash, SwarmCounts> all;
  TorrentCursor at;
  std::vector<ListedTorrent> torrents;
  while (store.ListTorrents(&at, step, &torrents)) {
    // What has one home with the last one comes with it, and no more.
    EXPECT_LT(torrents.size(), step + 32);
    for (const ListedTorrent& torrent : torrents) {
      EXPECT_TRUE(all.emplace(torrent.info_hash, torrent.counts).second);
    }
    torrents.clear();
    between();
  }
  return all;
}

TEST_F(SwarmStoreTest, EachTorrentIsListedOnceWithItsCounts) {
  EXPECT_TRUE(ListInSteps(store_, 10, [] {}).empty());
  for (uint32_t torrent = 0; torrent < 3000; ++torrent) {
    for (uint32_t i = 0; i <= torrent % 7; ++i) {
      Announce(torrent % 2 == 0 ? Ipv4Peer(i) : Ipv6Peer(i),
               i == 0 ? Role::kSeeder : Role::kLeecher, Event::kNone, 0, torrent);
    }
  }
  Announce(Ipv4Peer(1), Role::kLeecher, Event::kCompleted, 0, 5000);
  Announce(Ipv4Peer(1), Role::kSeeder, Event::kStopped, 0, 5000);
  for (const uint32_t step : {1u, 7u, 1000u, 100'000u}) {
    const auto all = ListInSteps(store_, step, [] {});
    ASSERT_EQ(all.size(), 3001u);
    for (uint32_t torrent = 0; torrent < 3000; ++torrent) {
      const SwarmCounts expected = {.complete = 1, .incomplete = torrent % 7};
      ASSERT_EQ(all.at(HashOf(torrent)), expected) << torrent;
    }
    EXPECT_EQ(all.at(HashOf(5000)), (SwarmCounts{.downloaded = 1}));
  }
}

// The table grows and shrinks several times on the way.
TEST_F(SwarmStoreTest, WhatStaysIsListedOnceWhileOthersComeAndGo) {
  for (uint32_t torrent = 0; torrent < 500; ++torrent) {
    Announce(Ipv4Peer(1), Role::kLeecher, Event::kNone, 0, torrent);
  }
  uint32_t next = 1000;
  uint32_t gone = 1000;
  const auto all = ListInSteps(store_, 5, [&] {
    const bool grows = next < 20'000;
    for (int i = 0; i < 300 && grows; ++i) {
      Announce(Ipv4Peer(1), Role::kLeecher, Event::kNone, 0, next++);
    }
    for (int i = 0; i < 300 && !grows && gone < next; ++i) {
      Announce(Ipv4Peer(1), Role::kLeecher, Event::kStopped, 0, gone++);
    }
  });
  EXPECT_GE(next, 20'000u);
  EXPECT_EQ(gone, next);
  for (uint32_t torrent = 0; torrent < 500; ++torrent) {
    EXPECT_EQ(all.count(HashOf(torrent)), 1u) << torrent;
  }
}

TEST(SwarmStore, ACapBelowTheLeastIsRefused) {
  StoreOptions options;
  options.bytes_max = SwarmStore::MinBytesMax(options.shards) - 1;
  EXPECT_THROW(SwarmStore store(options), std::bad_alloc);
}

}  // namespace
}  // namespace septet::tracker
