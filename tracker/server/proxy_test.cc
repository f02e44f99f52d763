// The server behind proxies, at its socket.

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
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
#include "tracker/server/system_calls.h"
#include "tracker/server/test_client.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

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

  SystemCalls calls_;
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

// --- ip= ---------------------------------------------------------------------------

TEST_F(ProxyTest, APeerListensWhereItSaysIfItIsBelieved) {
  ServerOptions options = Options("http://127.0.0.1:0", "none");
  options.http.honor_ip_param = *Networks::Parse("127.0.0.0/8");
  Start(options);
  TestClient client = Connect();
  // It is told from where it asked all the same, and not given its own address.
  const std::string first = client.Ask(Announce("", "&ip=198.51.100.1"));
  EXPECT_THAT(first, HasSubstr(ExternalIp("127.0.0.1")));
  EXPECT_THAT(first, HasSubstr("5:peers0:e"));
  EXPECT_THAT(client.Ask(Announce("", "&ipv4=198.51.100.2:7000")),
              HasSubstr("5:peers6:" + CompactPeer("198.51.100.1")));
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 2u);
  // The other family and broken values: the address that it asked from.
  for (const absl::string_view query : {"&ip=2001:db8::1", "&ip=localhost", "&ipv6=2001:db8::1"}) {
    client.Ask(Announce("", query));
    EXPECT_EQ(server_->store().Usage().ipv4_peers, 3u);
    EXPECT_EQ(server_->store().Usage().ipv6_peers, 0u);
  }
}

TEST_F(ProxyTest, BehindAProxyTheClientIsTheOneToBeBelieved) {
  ServerOptions options = Options("http://127.0.0.1:0", "127.0.0.1");
  options.http.honor_ip_param = *Networks::Parse("10.0.0.0/8");
  Start(options);
  TestClient proxy = Connect();
  proxy.Ask(Announce("X-Forwarded-For: 10.0.0.7\r\n", "&ip=198.51.100.1"));
  EXPECT_THAT(proxy.Ask(Announce("X-Forwarded-For: 203.0.113.7\r\n", "&ip=198.51.100.2")),
              HasSubstr("5:peers6:" + CompactPeer("198.51.100.1")));
  EXPECT_THAT(proxy.Ask(Announce("X-Forwarded-For: 10.0.0.7\r\n", "&ip=198.51.100.1")),
              HasSubstr("5:peers6:" + CompactPeer("203.0.113.7")));
}

// --- The PROXY protocol ------------------------------------------------------------

constexpr absl::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

// 198.51.100.1 port 50000 to 192.0.2.1 port 80, in both versions.
constexpr absl::string_view kVersion1 = "PROXY TCP4 198.51.100.1 192.0.2.1 50000 80\r\n";
std::string Version2() {
  return absl::StrCat(
      kSignature,
      absl::string_view("\x21\x11\0\x0c\xc6\x33\x64\x01\xc0\0\x02\x01\xc3\x50\0\x50", 16));
}

class ProxyProtocolTest : public ProxyTest {
 protected:
  static ServerOptions ProxyOptions(absl::string_view trusted_proxies = "127.0.0.1") {
    return Options("proxy+http://127.0.0.1:0", trusted_proxies);
  }
};

TEST_F(ProxyProtocolTest, TheStartUpLineNamesIt) {
  Start(ProxyOptions());
  EXPECT_THAT(server_->StartUpLine(),
              MatchesRegex("listening proxy\\+http://127\\.0\\.0\\.1:[1-9][0-9]*"));
}

TEST_F(ProxyProtocolTest, BothVersionsNameTheClient) {
  Start(ProxyOptions());
  for (const std::string& header : {std::string(kVersion1), Version2()}) {
    TestClient client = Connect();
    ASSERT_TRUE(client.Send(header));
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(client.Ask(Announce("")), HasSubstr(ExternalIp("198.51.100.1")));
    }
    // In one segment, as most proxies send it.
    EXPECT_THAT(Connect().Ask(absl::StrCat(header, Announce(""))),
                HasSubstr(ExternalIp("198.51.100.1")));
  }
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 1u);
}

TEST_F(ProxyProtocolTest, TheClientMayBeOfTheOtherFamily) {
  Start(ProxyOptions());
  EXPECT_THAT(
      Connect().Ask(absl::StrCat("PROXY TCP6 2001:db8::1 2001:db8::2 1 2\r\n", Announce(""))),
      HasSubstr(ExternalIp("2001:db8::1")));
}

TEST_F(ProxyProtocolTest, CutsDoNotMatter) {
  ServerOptions options = ProxyOptions();
  calls_.recv = [](int fd, void* bytes, size_t, int flags) { return recv(fd, bytes, 1, flags); };
  options.calls = &calls_;
  Start(options);
  for (const std::string& header : {std::string(kVersion1), Version2()}) {
    TestClient client = Connect();
    for (int i = 0; i < 2; ++i) {
      const std::string request = absl::StrCat(i == 0 ? header : "", Announce(""));
      EXPECT_THAT(client.Ask(request), HasSubstr(ExternalIp("198.51.100.1")));
    }
  }
}

TEST_F(ProxyProtocolTest, WithoutAClientItIsTheProxyAndNothingElseIsBelieved) {
  Start(ProxyOptions());
  for (const std::string& header :
       {std::string("PROXY UNKNOWN\r\n"), absl::StrCat(kSignature, std::string("\x20\0\0\0", 4)),
        absl::StrCat(kSignature, std::string("\x21\0\0\0", 4))}) {
    const std::string request = absl::StrCat(header, Announce("X-Forwarded-For: 198.51.100.1\r\n"));
    EXPECT_THAT(Connect().Ask(request), HasSubstr(ExternalIp("127.0.0.1")));
  }
}

TEST_F(ProxyProtocolTest, WithoutAClientItsIpParameterIsNotBelieved) {
  ServerOptions options = ProxyOptions();
  options.http.honor_ip_param = *Networks::Parse("127.0.0.1");
  Start(options);
  const std::string request = Announce("", "&ip=198.51.100.1");
  Connect().Ask(absl::StrCat("PROXY UNKNOWN\r\n", request));
  EXPECT_THAT(Connect().Ask(absl::StrCat(kVersion1, request)),
              HasSubstr("5:peers6:" + CompactPeer("127.0.0.1")));
}

TEST_F(ProxyProtocolTest, TheClientMayBeATrustedProxyItself) {
  Start(ProxyOptions("127.0.0.1,198.51.100.1"));
  const std::string request = absl::StrCat(kVersion1, Announce("X-Forwarded-For: 203.0.113.7\r\n"));
  EXPECT_THAT(Connect().Ask(request), HasSubstr(ExternalIp("203.0.113.7")));
  // Another client is not believed, although it comes through a proxy that is.
  Start(ProxyOptions());
  EXPECT_THAT(Connect().Ask(request), HasSubstr(ExternalIp("198.51.100.1")));
}

TEST_F(ProxyProtocolTest, WithoutAHeaderTheConnectionIsClosed) {
  Start(ProxyOptions());
  for (const std::string& begin :
       {Announce(""), std::string("PROXY TCP4 198.51.100.1\r\n"), std::string("\r\n\r\nGET"),
        std::string(108, 'P'), absl::StrCat(kSignature, "\x21\x11\xff\xff")}) {
    TestClient client = Connect();
    ASSERT_TRUE(client.Send(begin));
    EXPECT_TRUE(client.IsEnded()) << begin;
  }
  EXPECT_THAT(Connect().Ask(absl::StrCat(kVersion1, Announce(""))),
              HasSubstr(ExternalIp("198.51.100.1")));
}

TEST_F(ProxyProtocolTest, NobodyElseMayConnect) {
  Start(ProxyOptions("127.0.0.2"));
  TestClient client = Connect();
  client.Send(absl::StrCat(kVersion1, Announce("")));
  EXPECT_TRUE(client.IsEnded());
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 0u);
}

TEST_F(ProxyProtocolTest, WithoutTrustedProxiesItIsRefused) {
  const absl::Status status = Server::Start(ProxyOptions("none")).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("proxy+http://127.0.0.1:0"));
}

TEST_F(ProxyProtocolTest, OtherListenersDoNotReadIt) {
  Start(Options("http://127.0.0.1:0,proxy+http://127.0.0.1:0", "127.0.0.1"));
  const std::string request = absl::StrCat(kVersion1, Announce(""));
  EXPECT_THAT(Connect(0).Ask(request), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Connect(1).Ask(request), HasSubstr(ExternalIp("198.51.100.1")));
}

TEST_F(ProxyProtocolTest, ConnectionsCountForTheClient) {
  ServerOptions options = ProxyOptions();
  options.http.connections_per_address_max = 2;
  Start(options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(Connect());
    EXPECT_THAT(clients[i].Ask(absl::StrCat(kVersion1, Announce(""))),
                HasSubstr(ExternalIp("198.51.100.1")));
  }
  TestClient third = Connect();
  ASSERT_TRUE(third.Send(kVersion1));
  EXPECT_TRUE(third.IsEnded());
  const std::string other =
      absl::StrCat("PROXY TCP4 198.51.100.2 192.0.2.1 50000 80\r\n", Announce(""));
  EXPECT_THAT(Connect().Ask(other), HasSubstr(ExternalIp("198.51.100.2")));
  // The place of one that has ended is free.
  clients.pop_back();
  while (server_->connections() > 1) std::this_thread::yield();
  EXPECT_THAT(Connect().Ask(absl::StrCat(kVersion1, Announce(""))),
              HasSubstr(ExternalIp("198.51.100.1")));
}

TEST_F(ProxyProtocolTest, AHeaderHasTheTimeOfTheFirstHead) {
  ServerOptions options = ProxyOptions();
  options.http.head_timeout_ms = 100;
  // Long enough to be seen if it were in force.
  options.http.idle_timeout_ms = 60'000;
  Start(options);
  for (const absl::string_view begin : {absl::string_view(), kVersion1.substr(0, 20), kVersion1}) {
    TestClient client = Connect();
    ASSERT_TRUE(client.Send(begin));
    EXPECT_TRUE(client.IsEnded());
  }
}

TEST_F(ProxyProtocolTest, AStopEndsWhatHasNotAsked) {
  Start(ProxyOptions());
  TestClient silent = Connect();
  TestClient named = Connect();
  ASSERT_TRUE(named.Send(kVersion1));
  TestClient asking = Connect();
  ASSERT_TRUE(asking.Send(absl::StrCat(kVersion1, Announce(""))));
  server_->Stop();
  EXPECT_TRUE(silent.IsEnded());
  EXPECT_TRUE(named.IsEnded());
  EXPECT_THAT(asking.ReceiveAll(), HasSubstr(ExternalIp("198.51.100.1")));
}

}  // namespace
}  // namespace septet::tracker
