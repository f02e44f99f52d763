// Many threads on few torrents: run it with --config=tsan.

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kThreads = 4;
constexpr uint32_t kTorrents = 3;
constexpr uint32_t kPeers = 400;  // of each thread
constexpr uint32_t kSteps = 30'000;

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  info_hash[0] = static_cast<uint8_t>(number);
  return info_hash;
}

// Each thread has peers of its own.
Endpoint PeerOf(uint32_t thread, uint32_t number) {
  uint8_t address[16] = {0x20, 0x01};
  address[12] = static_cast<uint8_t>(thread);
  address[14] = static_cast<uint8_t>(number >> 8);
  address[15] = static_cast<uint8_t>(number);
  return number % 4 == 0 ? MakeIpv6(address, 6881) : MakeIpv4(address + 12, 6881);
}

// What a thread has listed at its end: torrent and peer.
using Listed = std::set<std::pair<uint32_t, uint32_t>>;

Listed Announce(SwarmStore* store, uint32_t thread) {
  Random random(thread + 1);
  Listed listed;
  std::array<uint8_t, 50 * kCompactIpv4Bytes> ipv4;
  std::array<uint8_t, 50 * kCompactIpv6Bytes> ipv6;
  for (uint32_t i = 0; i < kSteps; ++i) {
    AnnounceRequest request;
    const uint32_t torrent = random.Below(kTorrents);
    const uint32_t peer = random.Below(kPeers);
    request.info_hash = TorrentNumber(torrent);
    request.peer = PeerOf(thread, peer);
    request.role = random.Below(2) == 0 ? Role::kSeeder : Role::kLeecher;
    request.event = random.Below(3) == 0 ? Event::kStopped : Event::kNone;
    request.numwant = 50;
    store->Prefetch(request.info_hash);
    const AnnounceResult result =
        store->Announce(request, 1000, random, {absl::MakeSpan(ipv4), absl::MakeSpan(ipv6)});
    EXPECT_TRUE(result.stored);
    if (request.event == Event::kStopped) {
      listed.erase({torrent, peer});
    } else {
      listed.insert({torrent, peer});
      EXPECT_GE(result.counts.complete + result.counts.incomplete, 1u);
    }
  }
  return listed;
}

TEST(SwarmStoreThreads, NothingIsLostOrCountedTwice) {
  StoreOptions options;
  options.shards = 2;
  options.hash_key = {1, 2};
  SwarmStore store(options);
  std::array<Listed, kThreads> listed;
  std::atomic<bool> done{false};
  std::thread observer([&] {
    while (!done.load()) {
      store.Sweep(1000, 100);
      store.Scrape(TorrentNumber(0));
      const StoreUsage usage = store.Usage();
      EXPECT_LE(usage.torrents, kTorrents);
      EXPECT_LE(usage.ipv4_peers + usage.ipv6_peers, uint64_t{kThreads} * kPeers * kTorrents);
    }
  });
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { listed[i] = Announce(&store, i); });
  }
  for (std::thread& thread : threads) thread.join();
  done.store(true);
  observer.join();

  std::array<uint32_t, kTorrents> expected{};
  for (const Listed& of_thread : listed) {
    for (const auto& [torrent, peer] : of_thread) ++expected[torrent];
  }
  for (uint32_t torrent = 0; torrent < kTorrents; ++torrent) {
    const SwarmCounts counts = store.Scrape(TorrentNumber(torrent));
    EXPECT_EQ(counts.complete + counts.incomplete, expected[torrent]);
  }
}

}  // namespace
}  // namespace septet::tracker
