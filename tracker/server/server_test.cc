#include "tracker/server/server.h"

#include <errno.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/server_options.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/test_client.h"

namespace septet::tracker {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr absl::string_view kAnnounce =
    "GET /announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-XX0000-012345678901&port=6881&left=5 "
    "HTTP/1.1\r\nHost: tracker.example\r\n\r\n";
constexpr absl::string_view kScrape =
    "GET /scrape?info_hash=bbbbbbbbbbbbbbbbbbbb HTTP/1.1\r\nHost: tracker.example\r\n\r\n";

// What an empty torrent gives, whole.
constexpr absl::string_view kScrapeBody =
    "\r\n\r\nd5:filesd20:bbbbbbbbbbbbbbbbbbbbd8:completei0e10:downloadedi0e10:incompletei0eeee";

std::string AndClose(absl::string_view request) {
  return absl::StrReplaceAll(request, {{"Host: tracker.example", "Connection: close"}});
}

// BEP 15: the magic, action 0, a transaction id.
std::string UdpConnect(absl::string_view transaction = "abcd") {
  return absl::StrCat(absl::string_view("\0\0\x04\x17\x27\x10\x19\x80\0\0\0\0", 12), transaction);
}

std::string UdpAnnounce(absl::string_view connect_reply, absl::string_view transaction) {
  return absl::StrCat(connect_reply.substr(8, 8), absl::string_view("\0\0\0\x01", 4), transaction,
                      std::string(20, 'u'), "-XX0000-012345678901",
                      // downloaded, left, uploaded, event, ip, key
                      std::string(7, '\0'), "\x01", std::string(7, '\0'), "\x05",
                      std::string(8 + 4 + 4 + 4, '\0'),
                      // numwant -1, port 6881
                      "\xff\xff\xff\xff\x1a\xe1");
}

class ServerTest : public ::testing::Test {
 protected:
  static ServerOptions Options(absl::string_view listen) {
    ServerOptions options;
    options.listen = *ParseListenAddresses(listen);
    options.workers = 1;
    return options;
  }

  void Start(const ServerOptions& options) {
    absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  Endpoint Address(size_t index = 0) const { return server_->addresses()[index].endpoint; }

  TestClient Connect(size_t index = 0) { return TestClient(Address(index), SOCK_STREAM); }

  std::unique_ptr<Server> server_;
};

// --- Addresses -------------------------------------------------------------------

TEST_F(ServerTest, TellsWhereItListens) {
  Start(Options("127.0.0.1:0,http://[::1]:0"));
  EXPECT_THAT(server_->StartUpLine(),
              MatchesRegex("listening http://127\\.0\\.0\\.1:[1-9][0-9]* "
                           "udp://127\\.0\\.0\\.1:[1-9][0-9]* http://\\[::1\\]:[1-9][0-9]*"));
}

TEST_F(ServerTest, AnswersBothTransportsOfBothFamilies) {
  Start(Options("127.0.0.1:0,[::1]:0"));
  for (const size_t http : {0, 2}) {
    EXPECT_THAT(Connect(http).Ask(kScrape), EndsWith(kScrapeBody));
    TestClient udp(Address(http + 1), SOCK_DGRAM);
    ASSERT_TRUE(udp.Send(UdpConnect()));
    const std::string reply = udp.ReceivePacket();
    ASSERT_EQ(reply.size(), 16u);
    EXPECT_EQ(reply.substr(0, 8), absl::string_view("\0\0\0\0abcd", 8));
    ASSERT_TRUE(udp.Send(UdpAnnounce(reply, "efgh")));
    EXPECT_EQ(udp.ReceivePacket().substr(0, 8), absl::string_view("\0\0\0\x01"
                                                                  "efgh",
                                                                  8));
  }
  EXPECT_EQ(server_->store().Usage().ipv4_peers, 1u);
  EXPECT_EQ(server_->store().Usage().ipv6_peers, 1u);
}

TEST_F(ServerTest, APeerOfOneTransportIsGivenToTheOther) {
  Start(Options("127.0.0.1:0"));
  TestClient udp(Address(1), SOCK_DGRAM);
  ASSERT_TRUE(udp.Send(UdpConnect()));
  ASSERT_TRUE(udp.Send(UdpAnnounce(udp.ReceivePacket(), "efgh")));
  ASSERT_EQ(udp.ReceivePacket().size(), 20u);
  const std::string request = absl::StrReplaceAll(
      kAnnounce, {{std::string(20, 'a'), std::string(20, 'u')}, {"port=6881", "port=6882"}});
  EXPECT_THAT(
      Connect().Ask(request),
      EndsWith(absl::StrCat("5:peers6:", absl::string_view("\x7f\0\0\x01\x1a\xe1", 6), "e")));
}

TEST_F(ServerTest, AReplyLeavesFromTheAddressThatWasAsked) {
  Start(Options("udp://0.0.0.0:0,udp://[::]:0"));
  for (const uint8_t last : std::vector<uint8_t>{1, 2, 3}) {
    const uint8_t address[] = {127, 0, 0, last};
    // A connected socket takes packets from the address only to which it sends.
    TestClient udp(MakeIpv4(address, Address().port()), SOCK_DGRAM);
    ASSERT_TRUE(udp.Send(UdpConnect()));
    EXPECT_EQ(udp.ReceivePacket().size(), 16u);
  }
  uint8_t loopback[16] = {};
  loopback[15] = 1;
  TestClient udp(MakeIpv6(loopback, Address(1).port()), SOCK_DGRAM);
  ASSERT_TRUE(udp.Send(UdpConnect()));
  EXPECT_EQ(udp.ReceivePacket().size(), 16u);
}

TEST_F(ServerTest, AnIpv6AddressLeavesItsPortOfIpv4Free) {
  Start(Options("[::]:0"));
  ServerOptions options;
  for (const ListenAddress& address : server_->addresses()) {
    const uint8_t all[4] = {};
    options.listen.push_back({address.transport, MakeIpv4(all, address.endpoint.port())});
  }
  const auto second = Server::Start(options);
  EXPECT_TRUE(second.ok()) << second.status();
}

TEST_F(ServerTest, AnAddressInUseIsAnErrorThatNamesIt) {
  Start(Options("127.0.0.1:0"));
  for (const uint32_t workers : {1, 2}) {
    for (const ListenAddress& address : server_->addresses()) {
      ServerOptions options;
      options.listen = {address};
      options.workers = workers;
      const auto second = Server::Start(options);
      ASSERT_TRUE(absl::IsUnavailable(second.status())) << second.status();
      EXPECT_THAT(std::string(second.status().message()), HasSubstr(ToString(address)));
    }
  }
}

TEST_F(ServerTest, WrongOptionsAreRefused) {
  ServerOptions options;
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start(options).status()));
  options = Options("127.0.0.1:0");
  options.service.numwant_max = 1001;
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start(options).status()));
  options = Options("127.0.0.1:0");
  options.workers = 257;
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start(options).status()));
  options = Options("127.0.0.1:0");
  options.store.bytes_max = 1;
  EXPECT_TRUE(absl::IsInvalidArgument(Server::Start(options).status()));
}

TEST_F(ServerTest, WorkersShareTheAddressesAndTheSwarms) {
  ServerOptions options = Options("127.0.0.1:0");
  options.workers = 4;
  options.http.connections_per_address_max = 0;
  Start(options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(Connect());
  for (int i = 0; i < 100; ++i) {
    const std::string request =
        absl::StrReplaceAll(kAnnounce, {{"port=6881", absl::StrCat("port=", 1000 + i)}});
    EXPECT_THAT(clients[i].Ask(request), HasSubstr(absl::StrCat("incompletei", i + 1, "e")));
  }
  for (int i = 0; i < 100; ++i) {
    TestClient udp(Address(1), SOCK_DGRAM);
    ASSERT_TRUE(udp.Send(UdpConnect()));
    EXPECT_EQ(udp.ReceivePacket().size(), 16u);
  }
}

// --- HTTP connections --------------------------------------------------------------

TEST_F(ServerTest, AConnectionIsKept) {
  Start(Options("http://127.0.0.1:0"));
  TestClient client = Connect();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(client.Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_THAT(client.Ask(AndClose(kScrape)), EndsWith(kScrapeBody));
  EXPECT_TRUE(client.IsEnded());
}

TEST_F(ServerTest, AClientThatEndsItsSideIsAnswered) {
  Start(Options("http://127.0.0.1:0"));
  TestClient client = Connect();
  ASSERT_TRUE(client.Send(kScrape));
  client.EndSending();
  EXPECT_THAT(client.ReceiveAll(), EndsWith(kScrapeBody));
}

TEST_F(ServerTest, PipelinedRequestsAreAllAnswered) {
  Start(Options("http://127.0.0.1:0"));
  TestClient client = Connect();
  std::string requests;
  for (int i = 0; i < 500; ++i) absl::StrAppend(&requests, kScrape);
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 500; ++i) ASSERT_THAT(client.ReceiveResponse(), EndsWith(kScrapeBody)) << i;
}

TEST_F(ServerTest, ARequestMayComeInTwoPiecesCutAnywhere) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.connections_per_address_max = 0;
  Start(options);
  TestClient client = Connect();
  for (size_t cut = 1; cut < kScrape.size(); ++cut) {
    ASSERT_TRUE(client.Send(kScrape.substr(0, cut)));
    // Another connection is answered meanwhile: then the first piece has been read.
    ASSERT_THAT(Connect().Ask(AndClose(kScrape)), EndsWith(kScrapeBody));
    ASSERT_THAT(client.Ask(kScrape.substr(cut)), EndsWith(kScrapeBody)) << cut;
  }
}

TEST_F(ServerTest, ARequestMayComeByteByByte) {
  Start(Options("http://127.0.0.1:0"));
  TestClient client = Connect();
  for (const char byte : kAnnounce) ASSERT_TRUE(client.Send(absl::string_view(&byte, 1)));
  EXPECT_THAT(client.ReceiveResponse(), HasSubstr("10:incompletei1e"));
}

TEST_F(ServerTest, AnErrorReachesAClientThatStillSends) {
  Start(Options("http://127.0.0.1:0"));
  for (int i = 0; i < 20; ++i) {
    TestClient client = Connect();
    // Much more than the head may have.
    ASSERT_TRUE(client.Send(absl::StrCat("GET /", std::string(300'000, 'a'))));
    EXPECT_THAT(client.ReceiveResponse(), StartsWith("HTTP/1.1 414 "));
    ASSERT_TRUE(client.Send(std::string(300'000, 'a')));
    client.EndSending();
    EXPECT_TRUE(client.IsEndedInOrder());
  }
}

TEST_F(ServerTest, AResponseWaitsForASlowReader) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.connections_per_address_max = 0;
  Start(options);
  // Each response has some 36 KB; no socket buffer takes them all.
  std::string scrape = "GET /scrape?x";
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&scrape, "&info_hash=", 100 + i, std::string(17, 'b'));
  }
  absl::StrAppend(&scrape, " HTTP/1.1\r\n\r\n");
  constexpr int kRequests = 400;
  TestClient client(Address(), SOCK_STREAM, /*receive_buffer_bytes=*/4096);
  std::thread sender([&] {
    for (int i = 0; i < kRequests; ++i) ASSERT_TRUE(client.Send(scrape));
  });
  // The server goes on with others.
  for (int i = 0; i < 100; ++i) EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  const std::string first = client.ReceiveResponse();
  EXPECT_EQ(first.size(), first.find("\r\n\r\n") + 4 + 11 + 500 * 70);
  for (int i = 1; i < kRequests; ++i) ASSERT_EQ(client.ReceiveResponse(), first) << i;
  sender.join();
}

TEST_F(ServerTest, TooSlowClientsAreEnded) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.idle_timeout_ms = 100;
  options.http.head_timeout_ms = 100;
  options.http.linger_timeout_ms = 100;
  Start(options);
  TestClient silent = Connect();
  TestClient half = Connect();
  ASSERT_TRUE(half.Send(kScrape.substr(0, 20)));
  TestClient idle = Connect();
  EXPECT_THAT(idle.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient lingering = Connect();
  EXPECT_THAT(lingering.Ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(silent.IsEnded());
  EXPECT_TRUE(half.IsEnded());
  EXPECT_TRUE(idle.IsEnded());
  EXPECT_TRUE(lingering.IsEnded());
  while (server_->connections() > 0) std::this_thread::yield();
}

TEST_F(ServerTest, BytesOfARequestDoNotProlongItsTime) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.head_timeout_ms = 200;
  Start(options);
  TestClient client = Connect();
  const absl::Time begin = absl::Now();
  // Sends on for ever, if it may.
  while (client.Send("x") && absl::Now() - begin < absl::Seconds(8)) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_LT(absl::Now() - begin, absl::Seconds(5));
}

TEST_F(ServerTest, AnAddressHasALimitOfConnections) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.connections_per_address_max = 2;
  Start(options);
  TestClient first = Connect();
  TestClient second = Connect();
  EXPECT_THAT(first.Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_THAT(second.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient third = Connect();
  EXPECT_TRUE(third.IsEnded());
  EXPECT_THAT(first.Ask(AndClose(kScrape)), EndsWith(kScrapeBody));
  EXPECT_TRUE(first.IsEnded());
  while (server_->connections() > 1) std::this_thread::yield();
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerTest, AtTheLimitTheOldestIdleConnectionGoes) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.connections_max = 3;
  Start(options);
  TestClient open = Connect();
  ASSERT_TRUE(open.Send(kScrape.substr(0, 30)));
  TestClient older = Connect();
  EXPECT_THAT(older.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient newer = Connect();
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient another = Connect();
  EXPECT_THAT(another.Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_TRUE(older.IsEnded());
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_THAT(open.Ask(kScrape.substr(30)), EndsWith(kScrapeBody));
  EXPECT_EQ(server_->connections(), 3u);
}

TEST_F(ServerTest, WhoHasTooManyConnectionsCostsNobodyAnother) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.connections_max = 2;
  options.http.connections_per_address_max = 2;
  Start(options);
  TestClient older = Connect();
  EXPECT_THAT(older.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient newer = Connect();
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
  // Both limits are reached.
  EXPECT_TRUE(Connect().IsEnded());
  EXPECT_THAT(older.Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerTest, WhereBuffersAreInUseTheOldestOfThemGoes) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.buffer_bytes_max = 12'000;
  Start(options);
  TestClient hog = Connect();
  ASSERT_TRUE(hog.Send(absl::StrCat("GET /announce?x=", std::string(4000, 'x'))));
  TestClient later = Connect();
  ASSERT_TRUE(later.Send(absl::StrCat("GET /announce?x=", std::string(3000, 'x'))));
  // In one worker, what was sent before has been read when this is answered.
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  TestClient honest = Connect();
  ASSERT_TRUE(honest.Send(kScrape.substr(0, 30)));
  ASSERT_TRUE(later.Send(std::string(3000, 'x')));
  EXPECT_TRUE(hog.IsEnded());
  EXPECT_THAT(honest.Ask(kScrape.substr(30)), EndsWith(kScrapeBody));
  EXPECT_THAT(later.Ask(" HTTP/1.1\r\n\r\n"), HasSubstr("failure reason"));
}

TEST_F(ServerTest, BuffersHaveALimit) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.http.buffer_bytes_max = 4096;
  Start(options);
  TestClient client = Connect();
  ASSERT_TRUE(client.Send(absl::StrCat("GET /announce?x=", std::string(10'000, 'x'))));
  EXPECT_TRUE(client.IsEnded());
  TestClient other = Connect();
  ASSERT_TRUE(other.Send(kScrape.substr(0, 30)));
  EXPECT_THAT(other.Ask(kScrape.substr(30)), EndsWith(kScrapeBody));
}

// --- Stopping --------------------------------------------------------------------

TEST_F(ServerTest, StopAnswersOpenRequestsAndEndsIdleConnections) {
  Start(Options("http://127.0.0.1:0"));
  TestClient idle = Connect();
  EXPECT_THAT(idle.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient silent = Connect();
  TestClient open = Connect();
  ASSERT_TRUE(open.Send(kScrape.substr(0, 30)));
  std::thread stopper([this] { server_->Stop(); });
  EXPECT_TRUE(idle.IsEnded());
  EXPECT_TRUE(silent.IsEnded());
  const std::string response = open.Ask(kScrape.substr(30));
  EXPECT_THAT(response, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(response, EndsWith(kScrapeBody));
  EXPECT_TRUE(open.IsEnded());
  stopper.join();
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(ServerTest, RequestsThatHaveComeBeforeAStopAreAnswered) {
  Start(Options("127.0.0.1:0"));
  std::vector<TestClient> clients;
  for (int i = 0; i < 30; ++i) {
    clients.push_back(Connect());
    ASSERT_TRUE(clients.back().Send(kScrape));
  }
  TestClient udp(Address(1), SOCK_DGRAM);
  ASSERT_TRUE(udp.Send(UdpConnect()));
  server_->Stop();
  for (TestClient& client : clients) EXPECT_THAT(client.ReceiveAll(), EndsWith(kScrapeBody));
  EXPECT_EQ(udp.ReceivePacket().size(), 16u);
}

TEST_F(ServerTest, StopDoesNotWaitForEver) {
  ServerOptions options = Options("http://127.0.0.1:0");
  options.stop_timeout_ms = 50;
  Start(options);
  TestClient open = Connect();
  ASSERT_TRUE(open.Send(kScrape.substr(0, 30)));
  const absl::Time begin = absl::Now();
  server_->Stop();
  // Long before the time for a head is over.
  EXPECT_LT(absl::Now() - begin, absl::Seconds(5));
  server_.reset();
  EXPECT_TRUE(open.IsEnded());
}

TEST_F(ServerTest, AStoppedServerCanBeStartedAgainAtOnce) {
  Start(Options("127.0.0.1:0"));
  const std::vector<ListenAddress> addresses = server_->addresses();
  EXPECT_THAT(Connect().Ask(AndClose(kScrape)), EndsWith(kScrapeBody));
  server_->Stop();
  server_->Stop();
  ServerOptions options = Options("127.0.0.1:0");
  options.listen = addresses;
  Start(options);
  EXPECT_EQ(server_->addresses(), addresses);
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

// --- Faults of the system ----------------------------------------------------------

std::atomic<int> loops;
std::atomic<int> faults_left;
std::atomic<int64_t> clock_ahead_s;

bool TakeFault() {
  int left = faults_left.load();
  while (left > 0 && !faults_left.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0;
}

class ServerFaultTest : public ServerTest {
 protected:
  ServerFaultTest() {
    faults_left = 0;
    clock_ahead_s = 0;
  }

  ServerOptions FaultyOptions(absl::string_view listen) {
    ServerOptions options = Options(listen);
    options.calls = &calls_;
    return options;
  }

  SystemCalls calls_;
};

TEST_F(ServerFaultTest, WithoutDescriptorsTheOldestIdleConnectionGoes) {
  calls_.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    if (!TakeFault()) return accept4(fd, address, size, flags);
    errno = EMFILE;
    return -1;
  };
  Start(FaultyOptions("http://127.0.0.1:0"));
  TestClient older = Connect();
  EXPECT_THAT(older.Ask(kScrape), EndsWith(kScrapeBody));
  TestClient newer = Connect();
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
  faults_left = 1;
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_TRUE(older.IsEnded());
  EXPECT_THAT(newer.Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerFaultTest, WithoutDescriptorsAndConnectionsTheListenerStaysAlive) {
  calls_.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    if (!TakeFault()) return accept4(fd, address, size, flags);
    errno = faults_left % 2 == 0 ? ENFILE : ENOMEM;
    return -1;
  };
  Start(FaultyOptions("http://127.0.0.1:0"));
  faults_left = 3;
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerFaultTest, AServerWithNothingToDoSleeps) {
  calls_.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    if (!TakeFault()) return accept4(fd, address, size, flags);
    errno = EMFILE;
    return -1;
  };
  calls_.epoll_wait = [](int epoll, epoll_event* events, int count, int timeout_ms) {
    ++loops;
    return epoll_wait(epoll, events, count, timeout_ms);
  };
  Start(FaultyOptions("127.0.0.1:0"));
  TestClient half = Connect();
  ASSERT_TRUE(half.Send(kScrape.substr(0, 30)));
  TestClient idle = Connect();
  EXPECT_THAT(idle.Ask(kScrape), EndsWith(kScrapeBody));
  for (int i = 0; i < 2; ++i) {
    loops = 0;
    // The absence of something has no event to wait for.
    absl::SleepFor(absl::Milliseconds(300));
    EXPECT_LT(loops, 20);
    // Again after a fault that paused the listener: it evicts both connections first.
    faults_left = 3;
    EXPECT_THAT(Connect().Ask(AndClose(kScrape)), EndsWith(kScrapeBody));
  }
}

TEST_F(ServerFaultTest, ConnectionsThatFailWhileAcceptedAreSkipped) {
  calls_.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    if (!TakeFault()) return accept4(fd, address, size, flags);
    errno = faults_left % 2 == 0 ? ECONNABORTED : EPERM;
    return -1;
  };
  Start(FaultyOptions("http://127.0.0.1:0"));
  faults_left = 10;
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerFaultTest, SendsThatTakeFewBytesAreContinued) {
  calls_.send = [](int fd, const void* bytes, size_t size, int flags) {
    return send(fd, bytes, std::min<size_t>(size, 7), flags);
  };
  calls_.recv = [](int fd, void* bytes, size_t size, int flags) {
    return recv(fd, bytes, std::min<size_t>(size, 11), flags);
  };
  Start(FaultyOptions("http://127.0.0.1:0"));
  TestClient client = Connect();
  ASSERT_TRUE(client.Send(absl::StrCat(kScrape, kScrape, AndClose(kScrape))));
  const std::string all = client.ReceiveAll();
  EXPECT_THAT(all, EndsWith(kScrapeBody));
  size_t count = 0;
  for (size_t at = all.find("d5:files"); at != std::string::npos;
       at = all.find("d5:files", at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 3u);
}

TEST_F(ServerFaultTest, AUdpReplyThatCannotBeSentDoesNotCostTheOthers) {
  calls_.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    if (!TakeFault()) return sendmmsg(fd, messages, std::min(count, 1u), flags);
    errno = EPERM;
    return -1;
  };
  Start(FaultyOptions("udp://127.0.0.1:0"));
  TestClient udp(Address(), SOCK_DGRAM);
  faults_left = 1;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(udp.Send(UdpConnect(absl::StrCat(1000 + i))));
  // The first one is lost.
  for (int i = 1; i < 20; ++i) {
    EXPECT_THAT(udp.ReceivePacket().substr(4, 4), absl::StrCat(1000 + i));
  }
}

TEST_F(ServerFaultTest, AKernelWithoutRoomCostsNoUdpReply) {
  calls_.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    // Also in the middle of a batch.
    if (!TakeFault()) return sendmmsg(fd, messages, std::min(count, 3u), flags);
    errno = std::array{EAGAIN, ENOBUFS, ENOMEM}[static_cast<size_t>(faults_left) % 3];
    return -1;
  };
  // All addresses: each reply has to leave from the one that was asked, later too.
  Start(FaultyOptions("udp://0.0.0.0:0"));
  const uint8_t address[] = {127, 0, 0, 2};
  TestClient udp(MakeIpv4(address, Address().port()), SOCK_DGRAM);
  for (int round = 0; round < 5; ++round) {
    faults_left = 6;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(udp.Send(UdpConnect(absl::StrCat(1000 + i))));
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(udp.ReceivePacket().substr(4, 4), absl::StrCat(1000 + i));
    }
  }
}

TEST_F(ServerFaultTest, RepliesThatWaitAreSentBeforeTheServerStops) {
  calls_.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    if (!TakeFault()) return sendmmsg(fd, messages, count, flags);
    errno = ENOBUFS;
    return -1;
  };
  Start(FaultyOptions("udp://127.0.0.1:0"));
  TestClient udp(Address(), SOCK_DGRAM);
  faults_left = 3;
  ASSERT_TRUE(udp.Send(UdpConnect("kept")));
  server_->Stop();
  EXPECT_EQ(udp.ReceivePacket().substr(4, 4), "kept");
}

TEST_F(ServerFaultTest, AKernelThatNeverHasRoomDoesNotHoldUpTheServer) {
  calls_.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    if (!TakeFault()) return sendmmsg(fd, messages, count, flags);
    errno = ENOBUFS;
    return -1;
  };
  calls_.clock_gettime = [](clockid_t clock, timespec* time) {
    const int result = clock_gettime(clock, time);
    time->tv_sec += clock_ahead_s;
    return result;
  };
  Start(FaultyOptions("udp://127.0.0.1:0"));
  TestClient udp(Address(), SOCK_DGRAM);
  faults_left = 1'000'000;
  ASSERT_TRUE(udp.Send(UdpConnect("lost")));
  while (faults_left == 1'000'000) std::this_thread::yield();
  clock_ahead_s = 2;
  // It tries once more and drops the reply; then it reads again.
  ASSERT_TRUE(udp.Send(UdpConnect("kept")));
  const int left = faults_left;
  while (faults_left > left - 2) std::this_thread::yield();
  faults_left = 0;
  EXPECT_EQ(udp.ReceivePacket().substr(4, 4), "kept");
}

TEST_F(ServerFaultTest, SlowReadersGoBeforeSlowSenders) {
  calls_.send = [](int fd, const void* bytes, size_t size, int flags) {
    if (size < 30'000) return send(fd, bytes, size, flags);
    errno = EAGAIN;
    return ssize_t{-1};
  };
  ServerOptions options = FaultyOptions("http://127.0.0.1:0");
  options.http.buffer_bytes_max = 64 * 1024;
  Start(options);
  std::string scrape = "GET /scrape?x";
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&scrape, "&info_hash=", 100 + i, std::string(17, 'b'));
  }
  TestClient reader = Connect();
  // The response has 35 KB, which wait in a buffer.
  ASSERT_TRUE(reader.Send(absl::StrCat(scrape, " HTTP/1.1\r\n\r\n")));
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  std::vector<TestClient> senders;
  for (int i = 0; i < 4; ++i) {
    senders.push_back(Connect());
    ASSERT_TRUE(senders.back().Send(absl::StrCat("GET /announce?x=", std::string(12'000, 'x'))));
    EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  }
  EXPECT_TRUE(reader.IsEnded());
  for (TestClient& sender : senders) {
    EXPECT_THAT(sender.Ask(" HTTP/1.1\r\n\r\n"), HasSubstr("failure reason"));
  }
}

std::atomic<int> buffer_bytes_seen;

TEST_F(ServerFaultTest, TheKernelsBuffersOfAConnectionAreBounded) {
  calls_.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    const int accepted = accept4(fd, address, size, flags);
    for (const int name : {SO_SNDBUF, SO_RCVBUF}) {
      int bytes = 0;
      socklen_t bytes_size = sizeof(bytes);
      if (accepted >= 0) getsockopt(accepted, SOL_SOCKET, name, &bytes, &bytes_size);
      buffer_bytes_seen += bytes;
    }
    return accepted;
  };
  ServerOptions options = FaultyOptions("http://127.0.0.1:0");
  options.http.socket_buffer_bytes = 32 * 1024;
  Start(options);
  buffer_bytes_seen = 0;
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  // socket(7): the kernel doubles the value.
  EXPECT_EQ(buffer_bytes_seen, 2 * 2 * 32 * 1024);
}

// What the kernel holds of a response goes with the connection: the client sees a reset.
TEST_F(ServerFaultTest, AClientThatTakesNothingIsReset) {
  calls_.send = [](int fd, const void* bytes, size_t size, int flags) {
    if (!TakeFault()) return send(fd, bytes, std::min<size_t>(size, 10), flags);
    errno = EAGAIN;
    return ssize_t{-1};
  };
  ServerOptions options = FaultyOptions("http://127.0.0.1:0");
  options.http.write_timeout_ms = 100;
  Start(options);
  faults_left = 1'000'000;
  TestClient client = Connect();
  ASSERT_TRUE(client.Send(kScrape));
  EXPECT_TRUE(client.IsReset());
}

TEST_F(ServerFaultTest, FaultsOfTheLoopAreSurvived) {
  calls_.epoll_wait = [](int epoll, epoll_event* events, int count, int timeout_ms) {
    if (!TakeFault()) return epoll_wait(epoll, events, count, timeout_ms);
    errno = EINTR;
    return -1;
  };
  calls_.recvmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
    if (!TakeFault()) return recvmmsg(fd, messages, count, flags, timeout);
    errno = ECONNREFUSED;
    return -1;
  };
  Start(FaultyOptions("127.0.0.1:0"));
  faults_left = 10;
  TestClient udp(Address(1), SOCK_DGRAM);
  ASSERT_TRUE(udp.Send(UdpConnect()));
  EXPECT_EQ(udp.ReceivePacket().size(), 16u);
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerFaultTest, AConnectionThatEpollRefusesIsEnded) {
  calls_.epoll_ctl = [](int epoll, int operation, int fd, epoll_event* event) {
    if (!TakeFault()) return epoll_ctl(epoll, operation, fd, event);
    errno = ENOSPC;
    return -1;
  };
  Start(FaultyOptions("http://127.0.0.1:0"));
  faults_left = 1;
  TestClient client = Connect();
  EXPECT_TRUE(client.IsEnded());
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
}

TEST_F(ServerFaultTest, StartSaysWhichCallFailed) {
  calls_.listen = [](int, int) {
    errno = EPERM;
    return -1;
  };
  EXPECT_TRUE(absl::IsUnavailable(Server::Start(FaultyOptions("127.0.0.1:0")).status()));
  calls_ = SystemCalls();
  calls_.epoll_create1 = [](int) {
    errno = EMFILE;
    return -1;
  };
  EXPECT_THAT(std::string(Server::Start(FaultyOptions("127.0.0.1:0")).status().message()),
              HasSubstr("epoll_create1"));
  calls_ = SystemCalls();
  calls_.getrandom = [](void*, size_t, unsigned) {
    errno = ENOSYS;
    return ssize_t{-1};
  };
  EXPECT_THAT(std::string(Server::Start(FaultyOptions("127.0.0.1:0")).status().message()),
              HasSubstr("getrandom"));
}

TEST_F(ServerFaultTest, AHostWithoutIpv6ServesIpv4) {
  calls_.socket = [](int domain, int type, int protocol) {
    if (domain != AF_INET6) return socket(domain, type, protocol);
    errno = EAFNOSUPPORT;
    return -1;
  };
  Start(FaultyOptions("127.0.0.1:0,[::]:0"));
  EXPECT_EQ(server_->addresses().size(), 2u);
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  EXPECT_FALSE(Server::Start(FaultyOptions("[::]:0")).ok());
}

TEST_F(ServerFaultTest, PeersExpire) {
  calls_.clock_gettime = [](clockid_t clock, timespec* time) {
    const int result = clock_gettime(clock, time);
    time->tv_sec += clock_ahead_s;
    return result;
  };
  ServerOptions options = FaultyOptions("http://127.0.0.1:0");
  options.store.peer_timeout_ms = 65 * 60 * 1000;
  Start(options);
  EXPECT_THAT(Connect().Ask(kAnnounce), HasSubstr("10:incompletei1e"));
  // The timeout and two ticks, of which there are many in a timeout.
  clock_ahead_s = 65 * 60 * 2;
  // A worker learns of the time when something wakes it up.
  EXPECT_THAT(Connect().Ask(kScrape), EndsWith(kScrapeBody));
  while (server_->store().Usage().ipv4_peers > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace septet::tracker
