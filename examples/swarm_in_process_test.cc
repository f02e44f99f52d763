// A tracker without sockets: a request and a time in, a response out.

#include <array>

#include "gtest/gtest.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"

TEST(Example, ALeecherIsToldOfTheSeeder) {
  using namespace septet::tracker;
  SwarmStore store(StoreOptions{});
  Service service(ServiceOptions{}, &store);
  Random random(1);  // the same seed gives the same replies

  const uint8_t seeder_address[4] = {192, 0, 2, 1};
  AnnounceRequest seeder;
  seeder.info_hash.fill(0xab);
  seeder.peer = MakeIpv4(seeder_address, 6881);
  seeder.role = Role::kSeeder;
  service.Announce(seeder, /*now_ms=*/0, random, {});

  const uint8_t leecher_address[4] = {192, 0, 2, 2};
  AnnounceRequest leecher = seeder;
  leecher.peer = MakeIpv4(leecher_address, 6881);
  leecher.role = Role::kLeecher;
  leecher.numwant = 50;
  std::array<uint8_t, 50 * kCompactIpv4Bytes> peers;
  const AnnounceReply reply =
      service.Announce(leecher, /*now_ms=*/1000, random, {absl::MakeSpan(peers), {}});

  EXPECT_EQ(reply.result.counts, (SwarmCounts{.complete = 1, .incomplete = 1, .downloaded = 0}));
  ASSERT_EQ(reply.result.ipv4_peers, 1u);
  EXPECT_EQ(peers[0], 192);  // 192.0.2.1:6881 in compact form
}
