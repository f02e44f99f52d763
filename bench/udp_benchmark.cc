// What a packet costs from bytes to bytes, without the socket: 2000 torrents of 1000 peers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/packet.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kTorrents = 2000;
constexpr uint32_t kPeers = 1000;

// Packets come in batches of this many, as the server reads them.
constexpr size_t kBatch = 32;

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  std::memcpy(info_hash.data(), &number, sizeof(number));
  return info_hash;
}

// Each torrent has peers of its own.
Endpoint SourceNumber(uint32_t torrent, uint32_t number) {
  const uint32_t host = torrent * kPeers + number;
  uint8_t address[4] = {static_cast<uint8_t>(10 + (host >> 24)), static_cast<uint8_t>(host >> 16),
                        static_cast<uint8_t>(host >> 8), static_cast<uint8_t>(host)};
  return MakeIpv4(address, 6881);
}

struct Packet {
  Endpoint source;
  std::array<uint8_t, udp::kAnnounceBytes> bytes{};
  size_t size = 0;

  absl::Span<const uint8_t> view() const { return absl::MakeConstSpan(bytes).subspan(0, size); }
};

class Tracker {
 public:
  // Made once: it takes a while.
  static Tracker& Filled() {
    static Tracker* const tracker = new Tracker;
    return *tracker;
  }

  Packet Connect(uint32_t torrent, uint32_t peer) const {
    Packet packet;
    packet.source = SourceNumber(torrent, peer);
    const uint8_t head[16] = {0, 0, 0x04, 0x17, 0x27, 0x10, 0x19, 0x80};
    std::memcpy(packet.bytes.data(), head, sizeof(head));
    packet.size = sizeof(head);
    return packet;
  }

  Packet Request(uint8_t action, uint32_t torrent, uint32_t peer) {
    Packet packet = Connect(torrent, peer);
    Handle(packet);
    std::memcpy(packet.bytes.data(), reply_.data() + 8, 8);
    packet.bytes[11] = action;
    const InfoHash info_hash = TorrentNumber(torrent);
    std::memcpy(packet.bytes.data() + 16, info_hash.data(), info_hash.size());
    packet.size = 36;
    if (action == 2) return packet;
    packet.size = udp::kAnnounceBytes;
    packet.bytes[71] = 1;          // left
    packet.bytes[95] = 50;         // numwant
    packet.bytes[96] = 6881 >> 8;  // port
    packet.bytes[97] = 6881 & 0xff;
    return packet;
  }

  size_t Handle(const Packet& packet) {
    return handler_.Handle(packet.view(), packet.source, kTimes, random_, absl::MakeSpan(reply_));
  }
  void Prefetch(const Packet& packet) const { handler_.Prefetch(packet.view()); }

 private:
  static constexpr UdpTimes kTimes = {1000, 1'700'000'000'000};

  Tracker() {
    for (uint32_t peer = 0; peer < kPeers; ++peer) {
      for (uint32_t torrent = 0; torrent < kTorrents; ++torrent) {
        AnnounceRequest request;
        request.info_hash = TorrentNumber(torrent);
        request.peer = SourceNumber(torrent, peer);
        request.role = peer % 3 == 0 ? Role::kSeeder : Role::kLeecher;
        store_.Announce(request, kTimes.now_ms, random_, {});
      }
    }
  }

  SwarmStore store_{StoreOptions{}};
  Service service_{ServiceOptions{}, &store_};
  UdpHandler handler_{UdpOptions{}, &service_};
  Random random_{1};
  std::vector<uint8_t> reply_ = std::vector<uint8_t>(kUdpReplyBytesMax);
};

// Many packets made ahead, to torrents and from peers at random: what a cache does not hold.
template <typename Make>
void Run(benchmark::State& state, size_t reply_bytes, Make make) {
  Tracker& tracker = Tracker::Filled();
  constexpr size_t kPackets = 1 << 15;
  Random random(7);
  std::vector<Packet> packets;
  for (size_t i = 0; i < kPackets; ++i) {
    packets.push_back(make(tracker, random.Below(kTorrents), random.Below(kPeers)));
  }
  size_t next = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (size_t i = 0; i < kBatch; ++i) tracker.Prefetch(packets[next + i]);
    for (size_t i = 0; i < kBatch; ++i) {
      if (tracker.Handle(packets[next + i]) != reply_bytes) {
        state.SkipWithError("not what was meant to be measured");
        return;
      }
    }
    next = (next + kBatch) % kPackets;
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_UdpConnect(benchmark::State& state) {
  Run(state, 16, [](Tracker& tracker, uint32_t torrent, uint32_t peer) {
    return tracker.Connect(torrent, peer);
  });
}
BENCHMARK(BM_UdpConnect);

void BM_UdpAnnounceOf50(benchmark::State& state) {
  Run(state, 20 + 50 * 6, [](Tracker& tracker, uint32_t torrent, uint32_t peer) {
    return tracker.Request(1, torrent, peer);
  });
}
BENCHMARK(BM_UdpAnnounceOf50);

void BM_UdpScrape(benchmark::State& state) {
  Run(state, 8 + 12, [](Tracker& tracker, uint32_t torrent, uint32_t peer) {
    return tracker.Request(2, torrent, peer);
  });
}
BENCHMARK(BM_UdpScrape);

}  // namespace
}  // namespace septet::tracker
