// The test of a client: it announces over UDP, to a tracker in process, over a network that
// loses and doubles packets, on virtual time.

#include <string>

#include "gtest/gtest.h"
#include "proptests/simulator/network.h"
#include "proptests/simulator/simulated_tracker.h"
#include "proptests/swarm_generators.h"
#include "proptests/udp_packets.h"
#include "rapidcheck.h"

// Stands for your client: what it sends next, and what it makes of a reply.
class MyClient {
 public:
  std::string NextPacket() const {
    return id_ == 0 ? septet::tracker::ConnectPacket(1)
                    : septet::tracker::AnnouncePacket(id_, {.transaction_id = 2});
  }

  void Receive(const std::string& reply) {
    if (reply.size() < 16) return;
    const auto action = septet::tracker::FromBigEndian(reply.substr(0, 4));
    if (action == 0) id_ = septet::tracker::FromBigEndian(reply.substr(8));
    if (action == 1) is_done_ = true;
    if (action == 3) id_ = 0;  // it is too old: connect again
  }

  bool is_done() const { return is_done_; }

 private:
  uint64_t id_ = 0;
  bool is_done_ = false;
};

TEST(Example, MyClientGetsThroughABadNetwork) {
  using namespace septet;
  // RapidCheck draws who the client is and what becomes of its packets, a hundred times.
  EXPECT_TRUE(rc::check([] {
    const tracker::Endpoint me = *tracker::AnyPeer();
    tracker::Random network(*rc::gen::arbitrary<uint64_t>());
    const simulator::FaultSet faults = *simulator::FaultSet::Parse("loss,doubling");
    simulator::SimulatedTracker tracker;
    tracker::UdpTimes now;
    MyClient client;
    for (int tries = 0; !client.is_done(); ++tries) {
      RC_ASSERT(tries < 100);
      for (const auto& sent : simulator::Carry(client.NextPacket(), faults, network)) {
        const std::string reply = tracker.Udp(sent.packet, me, now);
        for (const auto& got : simulator::Carry(reply, faults, network)) client.Receive(got.packet);
      }
      now.now_ms += 15'000;  // nobody waits: a day passes in no time
      now.wall_ms += 15'000;
    }
    RC_ASSERT(tracker.Usage().torrents == 1u);
  }));
}
