// The load against a whole tracker in this process: what it finds, and that it finds what is
// wrong.

#include "bench/load/load_run.h"

#include <memory>

#include "gtest/gtest.h"
#include "tracker/server/server.h"

namespace septet::bench {
namespace {

class LoadRunTest : public testing::Test {
 protected:
  void Start(tracker::ServerOptions options = {}) {
    options.listen = *tracker::ParseListenAddresses("127.0.0.1:0");
    options.workers = 1;
    auto server = tracker::Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  ~LoadRunTest() override {
    if (server_ != nullptr) server_->Stop();
  }

  LoadTarget Target(LoadProtocol protocol) const {
    const size_t index = protocol == LoadProtocol::kUdp ? 1 : 0;
    return {protocol, server_->addresses()[index].endpoint, {}};
  }

  std::unique_ptr<tracker::Server> server_;
  const SwarmPopulation population_ = SwarmPopulation::Uniform(20, 60, {.sources = 5});
  const std::vector<tracker::InfoHash> hashes_ = HashesOf(population_);
};

LoadOptions Short() {
  LoadOptions options;
  options.seconds = 0.05;
  options.window = 8;
  return options;
}

TEST_F(LoadRunTest, EveryPeerIsLoadedOnce) {
  Start();
  const auto result = LoadPopulation(Target(LoadProtocol::kUdp), population_, hashes_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->replies, 20u * 60u);
  EXPECT_EQ(result->errors(), 0u);
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 20u * 60u);
  EXPECT_EQ(server_->store().Usage().torrents, 20u);
}

TEST_F(LoadRunTest, AllProtocolsAreAnsweredAndNoPeerIsAdded) {
  Start();
  const auto load = LoadPopulation(Target(LoadProtocol::kHttpClose), population_, hashes_);
  ASSERT_TRUE(load.ok()) << load.status();
  EXPECT_EQ(load->replies, 20u * 60u) << ToText(*load);
  for (const LoadProtocol protocol :
       {LoadProtocol::kUdp, LoadProtocol::kHttpKeepAlive, LoadProtocol::kHttpClose}) {
    for (const bool scrape : {false, true}) {
      LoadOptions options = Short();
      options.scrape = scrape;
      const auto result = RunLoad(Target(protocol), options, population_, hashes_);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_GT(result->replies, 0u);
      EXPECT_EQ(result->sent, result->replies) << ToText(*result);
      EXPECT_EQ(result->latency.count(), result->replies);
    }
  }
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 20u * 60u);
}

TEST_F(LoadRunTest, AnOpenLoopSendsWhatIsDue) {
  Start();
  LoadOptions options = Short();
  options.rate = 1000;
  const auto result = RunLoad(Target(LoadProtocol::kUdp), options, population_, hashes_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->sent, 50u);
}

TEST_F(LoadRunTest, ATrackerThatRefusesIsToldOf) {
  tracker::ServerOptions options;
  options.service.allow_scrape = false;
  Start(options);
  LoadOptions scrape = Short();
  scrape.scrape = true;
  const auto udp = RunLoad(Target(LoadProtocol::kUdp), scrape, population_, hashes_);
  ASSERT_TRUE(udp.ok()) << udp.status();
  EXPECT_EQ(udp->replies, 0u);
  EXPECT_EQ(udp->faults.count("an error packet"), 1u) << ToText(*udp);
  const auto http = RunLoad(Target(LoadProtocol::kHttpClose), scrape, population_, hashes_);
  ASSERT_TRUE(http.ok()) << http.status();
  EXPECT_EQ(http->replies, 0u);
  EXPECT_EQ(http->faults.count("a failure reason"), 1u) << ToText(*http);
}

}  // namespace
}  // namespace septet::bench
