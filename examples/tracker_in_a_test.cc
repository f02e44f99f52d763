// A whole tracker inside a test of a client: free ports, no other process.

#include "gtest/gtest.h"
#include "tracker/server/server.h"

TEST(Example, MyClientFindsPeers) {
  using namespace septet::tracker;
  ServerOptions options;
  options.listen = *ParseListenAddresses("127.0.0.1:0");  // HTTP and UDP
  options.workers = 1;
  const auto server = Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();

  // "listening http://127.0.0.1:35127 udp://127.0.0.1:41093": where to announce to.
  const std::string line = (*server)->StartUpLine();
  EXPECT_NE(line.find("http://127.0.0.1:"), std::string::npos);
  // ... start the client under test with one of these addresses ...

  (*server)->Stop();
}
