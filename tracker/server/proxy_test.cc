// The server behind proxies, at its socket.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/ip_address.h"
#include "tracker/endpoint.h"
#include "tracker/ip_endpoint.h"
#include "tracker/networks.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/server.h"
#include "tracker/server/server_options.h"
#include "tracker/server/test_client.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// An announce of port 6881 with these header lines.
std::string Announce(absl::string_view fields, absl::string_view more_query = "") {
  return absl::StrCat(
      "GET /announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-XX0000-012345678901&port=6881&left=5",
      more_query, " HTTP/1.1\r\nHost: tracker.example\r\n", fields, "\r\n");
}

// What a reply holds of it: the address in network order (BEP 24).
std::string ExternalIp(absl::string_view address) {
  const Endpoint endpoint = MakeEndpoint(*http::ParseIpAddress(address), 0);
  return absl::StrCat("11:external ip", endpoint.address_bytes(), ":",
                      absl::string_view(reinterpret_cast<const char*>(endpoint.compact.data()),
                                        endpoint.address_bytes()));
}

// What a list of peers holds of it (BEP 23).
std::string CompactPeer(absl::string_view address, uint16_t port = 6881) {
  const Endpoint endpoint = MakeEndpoint(*http::ParseIpAddress(address), port);
  return std::string(reinterpret_cast<const char*>(endpoint.compact.data()),
                     endpoint.compact_bytes());
}

class ProxyTest : public ::testing::Test {
 protected:
  static ServerOptions Options(absl::string_view listen, absl::string_view trusted_proxies) {
    ServerOptions options;
    options.listen = *ParseListenAddresses(listen);
    options.workers = 1;
    options.http.trusted_proxies = *Networks::Parse(trusted_proxies);
    return options;
  }

  void Start(const ServerOptions& options) {
    absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  TestClient Connect(size_t index = 0) {
    return TestClient(server_->addresses()[index].endpoint, SOCK_STREAM);
  }

  std::unique_ptr<Server> server_;
};

// --- X-Forwarded-For and Forwarded -----------------------------------------------

TEST_F(ProxyTest, AClientBehindATrustedProxyIsListedAtItsAddress) {
  Start(Options("http://127.0.0.1:0", "127.0.0.0/8"));
  TestClient proxy = Connect();
  // One connection carries the requests of several clients.
  EXPECT_THAT(proxy.Ask(Announce("X-Forwarded-For: 203.0.113.9, 198.51.100.1\r\n")),
              HasSubstr(ExternalIp("198.51.100.1")));
  EXPECT_THAT(proxy.Ask(Announce("Forwarded: for=\"[2001:db8::1]:4711\";proto=https\r\n")),
              HasSubstr(ExternalIp("2001:db8::1")));
  const std::string reply = proxy.Ask(Announce(""));
  EXPECT_THAT(reply, HasSubstr(ExternalIp("127.0.0.1")));
  EXPECT_THAT(reply, HasSubstr("5:peers6:" + CompactPeer("198.51.100.1")));
  EXPECT_THAT(reply, HasSubstr("6:peers618:" + CompactPeer("2001:db8::1")));
}

TEST_F(ProxyTest, AnybodyElseIsNotBelieved) {
  for (const absl::string_view trusted : {"none", "127.0.0.2", "::1"}) {
    Start(Options("http://127.0.0.1:0", trusted));
    TestClient client = Connect();
    for (const absl::string_view field :
         {"X-Forwarded-For: 198.51.100.1\r\n", "Forwarded: for=198.51.100.1\r\n"}) {
      EXPECT_THAT(client.Ask(Announce(field)), HasSubstr(ExternalIp("127.0.0.1"))) << trusted;
    }
    EXPECT_EQ(server_->store().Usage().ipv4_peers, 1u);
  }
}

TEST_F(ProxyTest, ABrokenFieldDoesNotBreakARequest) {
  Start(Options("http://[::1]:0", "::1"));
  TestClient proxy = Connect();
  for (const absl::string_view field :
       {"X-Forwarded-For: tracker.example\r\n", "X-Forwarded-For:\r\n", "Forwarded: for=\"\r\n",
        "Forwarded: \x80\xff\r\n", "X-Forwarded-For: 198.51.100.1, unknown\r\n",
        "X-Forwarded-For: 198.51.100.1\r\nForwarded: for=198.51.100.2\r\n"}) {
    EXPECT_THAT(proxy.Ask(Announce(field)), HasSubstr(ExternalIp("::1"))) << field;
  }
}

TEST_F(ProxyTest, ATrustedProxyHasNoLimitOfItsOwn) {
  for (const bool is_trusted : {true, false}) {
    ServerOptions options = Options("http://127.0.0.1:0", is_trusted ? "127.0.0.1" : "none");
    options.http.connections_per_address_max = 2;
    Start(options);
    std::vector<TestClient> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(Connect());
    EXPECT_THAT(clients[1].Ask(Announce("")), HasSubstr(ExternalIp("127.0.0.1")));
    if (is_trusted) {
      EXPECT_THAT(clients[7].Ask(Announce("")), HasSubstr(ExternalIp("127.0.0.1")));
      EXPECT_EQ(server_->connections(), 8u);
    } else {
      EXPECT_TRUE(clients[7].IsEnded());
      EXPECT_EQ(server_->connections(), 2u);
    }
  }
}

}  // namespace
}  // namespace septet::tracker
