// Properties of the tracker over UDP under random sequences of packets.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "proptests/udp_check.h"
#include "proptests/udp_generators.h"
#include "proptests/udp_packets.h"
#include "rapidcheck.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/packet.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {
namespace {

std::vector<uint8_t> BytesOf(const std::string& text) {
  return std::vector<uint8_t>(text.begin(), text.end());
}

class Tracker {
 public:
  // The packet lies in an allocation of exactly its size, so that a sanitizer sees a read
  // past its end; what is behind the room for a reply must not change.
  std::string Handle(const std::string& packet, const Endpoint& source) {
    const std::vector<uint8_t> request = BytesOf(packet);
    std::vector<uint8_t> out(kUdpReplyBytesMax + kGuardBytes, kGuard);
    handler_.Prefetch(request);
    const size_t size = handler_.Handle(request, source, times_, random_,
                                        absl::MakeSpan(out).subspan(0, kUdpReplyBytesMax));
    RC_ASSERT(size <= kUdpReplyBytesMax);
    for (size_t i = kUdpReplyBytesMax; i < out.size(); ++i) RC_ASSERT(out[i] == kGuard);
    return std::string(out.begin(), out.begin() + static_cast<ptrdiff_t>(size));
  }

  uint64_t Connect(const Endpoint& source) {
    return FromBigEndian(Handle(ConnectPacket(1), source).substr(8));
  }

  void PassTime(int64_t ms) {
    times_.now_ms += ms;
    times_.wall_ms += ms;
  }
  StoreUsage Usage() const { return store_.Usage(); }

 private:
  static constexpr size_t kGuardBytes = 64;
  static constexpr uint8_t kGuard = 0xa5;

  SwarmStore store_{StoreOptions{.shards = 1}};
  Service service_{ServiceOptions(), &store_};
  UdpHandler handler_{UdpOptions(), &service_};
  Random random_{1};
  UdpTimes times_{1'000'000, 1'700'000'000'000};
};

TEST(UdpProperties, EveryReplyHasItsShape) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<uint64_t>());
    Tracker tracker;
    for (int i = 0; i < 500; ++i) {
      const Endpoint source = SourceNumber(random.Below(300));
      const uint64_t valid_id = tracker.Connect(source);
      const uint64_t id = random.Below(4) == 0 ? random.Next() : valid_id;
      const std::string packet = DrawPacket(random, id);
      const bool has_valid_id =
          packet.size() >= 8 && FromBigEndian(packet.substr(0, 8)) == valid_id;
      const std::string reply = tracker.Handle(packet, source);
      RC_ASSERT(UdpFault(packet, source, has_valid_id, reply) == "");
    }
  }));
}

TEST(UdpProperties, NothingIsStoredBeforeAValidConnectionId) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<uint64_t>());
    Tracker tracker;
    const uint64_t bytes = tracker.Usage().bytes_total;
    for (int i = 0; i < 200; ++i) {
      // Also an id that is valid for somebody else.
      const uint64_t id =
          random.Below(2) == 0 ? random.Next() : tracker.Connect(SourceNumber(1000));
      tracker.Handle(DrawPacket(random, id), SourceNumber(random.Below(300)));
    }
    RC_ASSERT(tracker.Usage().torrents == 0u);
    RC_ASSERT(tracker.Usage().bytes_total == bytes);
  }));
}

// Two minutes, wherever in its period it was made; and not for ever.
TEST(UdpProperties, AConnectionIdLastsTwoMinutesAndNotFour) {
  EXPECT_TRUE(rc::check([] {
    Tracker tracker;
    tracker.PassTime(*rc::gen::inRange<int64_t>(0, 1'000'000));
    const Endpoint source = SourceNumber(*rc::gen::inRange(0u, 300u));
    const std::string packet = AnnouncePacket(tracker.Connect(source), {});
    Endpoint other_port = source;
    other_port.set_port(1);
    const auto wait_ms = *rc::gen::inRange<int64_t>(0, 120'001);
    tracker.PassTime(wait_ms);
    RC_ASSERT(tracker.Handle(packet, other_port).substr(0, 4) == BigEndian(1, 4));
    tracker.PassTime(240'000 - wait_ms);
    RC_ASSERT(tracker.Handle(packet, source).substr(0, 4) == BigEndian(3, 4));
  }));
}

// Peers come back as they announced themselves, and nobody gets himself.
TEST(UdpProperties, PeersAreThoseThatAnnounced) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<uint64_t>());
    Tracker tracker;
    std::vector<std::string> announced;
    for (int i = 0; i < 100; ++i) {
      const uint32_t number = random.Below(1000);
      Endpoint source = SourceNumber(number);
      AnnounceFields fields;
      fields.port = static_cast<uint16_t>(1 + random.Below(65535));
      fields.numwant = 200;
      const std::string reply =
          tracker.Handle(AnnouncePacket(tracker.Connect(source), fields), source);
      source.set_port(fields.port);
      const auto compact = [](const Endpoint& peer) {
        return std::string(peer.compact.begin(),
                           peer.compact.begin() + static_cast<ptrdiff_t>(peer.compact_bytes()));
      };
      const size_t peer_bytes = source.compact_bytes();
      for (size_t at = 20; at < reply.size(); at += peer_bytes) {
        const std::string peer = reply.substr(at, peer_bytes);
        RC_ASSERT(peer != compact(source));
        RC_ASSERT(std::count(announced.begin(), announced.end(), peer) > 0);
      }
      announced.push_back(compact(source));
    }
  }));
}

TEST(UdpProperties, PacketsAreReadAsTheyWereWritten) {
  EXPECT_TRUE(rc::check([] {
    AnnounceFields fields;
    fields.transaction_id = *rc::gen::arbitrary<uint32_t>();
    fields.info_hash = *rc::gen::container<std::string>(20, rc::gen::arbitrary<char>());
    fields.left = *rc::gen::arbitrary<uint64_t>();
    fields.event = *rc::gen::arbitrary<uint32_t>();
    fields.numwant = *rc::gen::arbitrary<int32_t>();
    fields.port = *rc::gen::arbitrary<uint16_t>();
    fields.tail = *rc::gen::string<std::string>();
    const auto id = *rc::gen::arbitrary<uint64_t>();
    const std::vector<uint8_t> packet = BytesOf(AnnouncePacket(id, fields));
    const udp::RequestHeader header = udp::ReadRequestHeader(packet);
    RC_ASSERT(header.connection_id == id);
    RC_ASSERT(header.action == 1u);
    RC_ASSERT(header.transaction_id == fields.transaction_id);
    const udp::Announce announce = udp::ReadAnnounce(packet);
    RC_ASSERT(std::string(announce.info_hash.begin(), announce.info_hash.end()) ==
              fields.info_hash);
    RC_ASSERT(announce.left == fields.left);
    RC_ASSERT(announce.event == fields.event);
    RC_ASSERT(announce.numwant == fields.numwant);
    RC_ASSERT(announce.port == fields.port);
  }));
}

TEST(UdpProperties, RepliesAreWrittenAsTheTablesSay) {
  EXPECT_TRUE(rc::check([] {
    const auto a = *rc::gen::arbitrary<uint32_t>();
    const auto b = *rc::gen::arbitrary<uint32_t>();
    const auto c = *rc::gen::arbitrary<uint32_t>();
    const auto d = *rc::gen::arbitrary<uint32_t>();
    const auto id = *rc::gen::arbitrary<uint64_t>();
    std::vector<uint8_t> out(kUdpReplyBytesMax);
    const auto written = [&out](size_t size) {
      return std::string(out.begin(), out.begin() + static_cast<ptrdiff_t>(size));
    };
    RC_ASSERT(written(udp::WriteConnectReply(a, id, out.data())) ==
              BigEndian(0, 4) + BigEndian(a, 4) + BigEndian(id, 8));
    RC_ASSERT(written(udp::WriteAnnounceReplyHeader({a, b, c, d}, out.data())) ==
              BigEndian(1, 4) + BigEndian(a, 4) + BigEndian(b, 4) + BigEndian(c, 4) +
                  BigEndian(d, 4));
    RC_ASSERT(written(udp::WriteScrapeReplyHeader(a, out.data())) ==
              BigEndian(2, 4) + BigEndian(a, 4));
    // Seeders, completed, leechers.
    RC_ASSERT(written(udp::WriteScrapeEntry({b, c, d}, out.data())) ==
              BigEndian(b, 4) + BigEndian(d, 4) + BigEndian(c, 4));
    const auto bytes_max = *rc::gen::inRange<size_t>(8, 60);
    const std::string message = "connection id: wrong or too old";
    RC_ASSERT(written(udp::WriteError(a, message, bytes_max, out.data())) ==
              (BigEndian(3, 4) + BigEndian(a, 4) + message).substr(0, bytes_max));
  }));
}

}  // namespace
}  // namespace septet::tracker
