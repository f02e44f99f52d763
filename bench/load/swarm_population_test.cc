#include "bench/load/swarm_population.h"

#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

TEST(SwarmPopulation, UniformHasAsManyPeersInEachTorrent) {
  const auto population = SwarmPopulation::Uniform(2000, 1000, {});
  EXPECT_EQ(population.torrents(), 2000u);
  EXPECT_EQ(population.all_peers(), 2'000'000u);
  EXPECT_EQ(population.peers_of(0), 1000u);
  EXPECT_EQ(population.peers_of(1999), 1000u);
}

// What scrapes of all public trackers showed in 2013: 6.5 peers in the mean.
TEST(SwarmPopulation, PowerLawIsThatOfTheField) {
  const auto population = SwarmPopulation::PowerLaw(1'000'000, 100'000, {});
  EXPECT_EQ(population.peers_of(0), 100'000u);
  uint32_t singles = 0;
  for (uint32_t i = 0; i < population.torrents(); ++i) {
    if (population.peers_of(i) == 1) ++singles;
    if (i > 0) {
      ASSERT_LE(population.peers_of(i), population.peers_of(i - 1));
    }
  }
  EXPECT_NEAR(singles, 500'000, 1);
  const double mean = static_cast<double>(population.all_peers()) / 1e6;
  EXPECT_GT(mean, 5.0);
  EXPECT_LT(mean, 7.0);
}

TEST(SwarmPopulation, SharesAreThoseAskedFor) {
  const auto population = SwarmPopulation::PowerLaw(
      100'000, 100'000, {.sources = 4, .seeders_percent = 75, .ipv6_percent = 20});
  uint64_t seeders = 0;
  uint64_t ipv6 = 0;
  uint64_t single_seeders = 0;
  uint64_t single_ipv6 = 0;
  uint64_t singles = 0;
  for (uint32_t torrent = 0; torrent < population.torrents(); ++torrent) {
    const uint32_t peers = population.peers_of(torrent);
    for (uint32_t peer = 0; peer < peers; ++peer) {
      const bool is_seeder = population.IsSeeder({torrent, peer});
      const bool is_ipv6 = population.PlaceOf({torrent, peer}).ipv6;
      seeders += is_seeder;
      ipv6 += is_ipv6;
      single_seeders += peers == 1 && is_seeder;
      single_ipv6 += peers == 1 && is_ipv6;
      singles += peers == 1;
    }
  }
  const auto share = [](uint64_t part, uint64_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  EXPECT_NEAR(share(seeders, population.all_peers()), 0.75, 0.01);
  EXPECT_NEAR(share(ipv6, population.all_peers()), 0.20, 0.01);
  // The many torrents of one peer are like the others.
  EXPECT_NEAR(share(single_seeders, singles), 0.75, 0.01);
  EXPECT_NEAR(share(single_ipv6, singles), 0.20, 0.01);
}

TEST(SwarmPopulation, NoTwoPeersOfATorrentHaveTheSamePlace) {
  const auto population = SwarmPopulation::PowerLaw(
      1000, 100'000, {.sources = 3, .seeders_percent = 50, .ipv6_percent = 20});
  ASSERT_TRUE(population.FitsPorts());
  for (const uint32_t torrent : {0u, 1u, 2u, 77u}) {
    std::set<std::tuple<bool, uint32_t, uint16_t>> places;
    for (uint32_t peer = 0; peer < population.peers_of(torrent); ++peer) {
      const PeerPlace place = population.PlaceOf({torrent, peer});
      EXPECT_LT(place.source, 3u);
      EXPECT_GE(place.port, 1024);
      EXPECT_TRUE(places.insert({place.ipv6, place.source, place.port}).second) << peer;
    }
  }
}

TEST(SwarmPopulation, TooManyPeersForThePortsAreNoticed) {
  EXPECT_TRUE(SwarmPopulation::Uniform(1, 64'512, {.sources = 1}).FitsPorts());
  EXPECT_FALSE(SwarmPopulation::Uniform(1, 64'513, {.sources = 1}).FitsPorts());
  EXPECT_TRUE(SwarmPopulation::Uniform(1, 64'513, {.sources = 2}).FitsPorts());
  EXPECT_FALSE(
      SwarmPopulation::Uniform(1, 100'000, {.sources = 2, .ipv6_percent = 100}).FitsPorts());
}

// Chi-squared over the torrents, whose chance is in proportion to their peers.
TEST(SwarmPopulation, EveryPeerIsDrawnWithTheSameChance) {
  const auto population = SwarmPopulation::PowerLaw(8, 40, {});
  constexpr int kDraws = 200'000;
  tracker::Random random(1);
  std::vector<std::vector<int>> counts(population.torrents());
  for (uint32_t i = 0; i < population.torrents(); ++i) counts[i].resize(population.peers_of(i));
  for (int i = 0; i < kDraws; ++i) {
    const PeerOfTorrent peer = population.Draw(random);
    ASSERT_LT(peer.torrent, population.torrents());
    ASSERT_LT(peer.peer, population.peers_of(peer.torrent));
    ++counts[peer.torrent][peer.peer];
  }
  const auto cells = static_cast<double>(population.all_peers());
  const double expected = kDraws / cells;
  double chi_squared = 0;
  for (const auto& torrent : counts) {
    for (const int count : torrent)
      chi_squared += (count - expected) * (count - expected) / expected;
  }
  // Mean `cells`, deviation sqrt(2 * cells): five deviations up.
  EXPECT_LT(chi_squared, cells + 5 * std::sqrt(2 * cells));
}

TEST(SwarmPopulation, MovesToAPeerOfTheSource) {
  const auto population = SwarmPopulation::Uniform(50, 10, {.sources = 4});
  for (uint32_t torrent = 0; torrent < 50; ++torrent) {
    for (uint32_t peer = 0; peer < 10; ++peer) {
      for (uint32_t source = 0; source < 4; ++source) {
        PeerOfTorrent moved{torrent, peer};
        ASSERT_TRUE(population.MoveToSource(source, &moved));
        EXPECT_EQ(moved.torrent, torrent);
        EXPECT_LT(moved.peer, 10u);
        EXPECT_EQ(population.PlaceOf(moved).source, source);
      }
    }
  }
}

TEST(SwarmPopulation, ASmallTorrentMayHaveNoPeerOfTheSource) {
  const auto population = SwarmPopulation::Uniform(4, 1, {.sources = 4});
  int found = 0;
  for (uint32_t source = 0; source < 4; ++source) {
    PeerOfTorrent peer{2, 0};
    found += population.MoveToSource(source, &peer);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace septet::bench
