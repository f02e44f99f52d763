// Faults of the system, all of them: a scenario is run with the first call of a kind
// failing, then with the second, and so on until it has no more of them; for every kind of
// call of SystemCalls and every error that its manual page gives.
//
// After each run nothing may be lost (every client has its answer, if need be after asking
// again), nothing leaked (descriptors, connections, the account of buffers), and nothing
// counted twice. A server that cannot start says why.

#include <dirent.h>
#include <errno.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/server.h"
#include "tracker/server/server_options.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/test_client.h"

namespace septet::tracker {
namespace {

// --- Calls that fail ---------------------------------------------------------------

// Which calls of the one kind that is swept fail. They are made by the threads of the
// server, and by this one while it starts.
struct Plan {
  std::atomic<int> error{0};
  std::atomic<int64_t> first{0};  // from 0
  std::atomic<int64_t> count{0};
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> failed{0};
};
Plan plan;

bool IsToFail() {
  const int64_t index = plan.calls.fetch_add(1) - plan.first;
  if (index < 0 || index >= plan.count) return false;
  plan.failed.fetch_add(1);
  return true;
}

template <auto kMember>
struct Faulty;

template <typename Result, typename... Arguments, Result (*SystemCalls::*kMember)(Arguments...)>
struct Faulty<kMember> {
  static Result Call(Arguments... arguments) {
    if (IsToFail()) {
      errno = plan.error;
      return -1;
    }
    return (RealSystemCalls().*kMember)(arguments...);
  }
};

template <auto kMember>
void Install(SystemCalls* calls) {
  calls->*kMember = Faulty<kMember>::Call;
}

// Whatever it says, the descriptor is closed (close(2), "Dealing with error returns").
void InstallClose(SystemCalls* calls) {
  calls->close = [](int fd) {
    const int result = close(fd);
    if (!IsToFail()) return result;
    errno = plan.error;
    return -1;
  };
}

struct Kind {
  absl::string_view name;
  void (*install)(SystemCalls* calls);
  std::vector<int> errors;
};

const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {"socket", Install<&SystemCalls::socket>, {EMFILE, ENFILE, ENOBUFS, ENOMEM, EACCES}},
      {"setsockopt", Install<&SystemCalls::setsockopt>, {ENOMEM, EINVAL}},
      {"bind", Install<&SystemCalls::bind>, {EADDRINUSE, EADDRNOTAVAIL, EACCES}},
      {"listen", Install<&SystemCalls::listen>, {EADDRINUSE}},
      {"getsockname", Install<&SystemCalls::getsockname>, {ENOBUFS}},
      {"accept4",
       Install<&SystemCalls::accept4>,
       {EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN, EINTR, ECONNABORTED, EPERM, ENETDOWN}},
      {"recv", Install<&SystemCalls::recv>, {EAGAIN, EINTR, ECONNRESET, ENOMEM, ETIMEDOUT}},
      {"send", Install<&SystemCalls::send>, {EAGAIN, EINTR, ECONNRESET, EPIPE, ENOBUFS, ENOMEM}},
      {"recvmmsg", Install<&SystemCalls::recvmmsg>, {EAGAIN, EINTR, ECONNREFUSED, ENOMEM}},
      {"sendmmsg",
       Install<&SystemCalls::sendmmsg>,
       {EAGAIN, EINTR, ENOBUFS, ENOMEM, EPERM, EINVAL, EMSGSIZE, ENETUNREACH, ECONNREFUSED}},
      {"shutdown", Install<&SystemCalls::shutdown>, {ENOTCONN}},
      {"close", InstallClose, {EINTR, EIO}},
      {"epoll_create1", Install<&SystemCalls::epoll_create1>, {EMFILE, ENFILE, ENOMEM}},
      {"epoll_ctl", Install<&SystemCalls::epoll_ctl>, {ENOMEM, ENOSPC}},
      {"epoll_wait", Install<&SystemCalls::epoll_wait>, {EINTR}},
      {"eventfd", Install<&SystemCalls::eventfd>, {EMFILE, ENFILE, ENOMEM}},
      {"read", Install<&SystemCalls::read>, {EAGAIN, EINTR}},
      {"write", Install<&SystemCalls::write>, {EINTR}},
      {"getrandom", Install<&SystemCalls::getrandom>, {EINTR, ENOSYS}},
  };
  return kinds;
}

// --- The scenario ------------------------------------------------------------------

// More than calls fail in a run.
constexpr int kTriesMax = 40;

// What a request in pieces takes at most, and hardly more: what a fault would leave in the
// account of buffers is missed.
constexpr uint64_t kBufferBytesMax = 31'000;

constexpr int kHttpPeers = 4;
constexpr int kUdpPeers = 4;

int CountDescriptors() {
  DIR* folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

std::string Announce(int port) {
  return absl::StrCat("GET /announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-XX0000-012345678901",
                      "&left=5&port=", port, " HTTP/1.1\r\n\r\n");
}

class Scenario {
 public:
  // Runs it with these calls. Returns whether the server started.
  bool Run(const SystemCalls& calls) {
    const int descriptors = CountDescriptors();
    const bool is_started = Serve(calls);
    EXPECT_EQ(CountDescriptors(), descriptors);
    return is_started;
  }

 private:
  bool Serve(const SystemCalls& calls) {
    ServerOptions options;
    options.listen = *ParseListenAddresses("127.0.0.1:0");
    options.workers = 1;
    options.http.buffer_bytes_max = kBufferBytesMax;
    options.calls = &calls;
    absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
    if (!server.ok()) {
      EXPECT_TRUE(absl::IsUnavailable(server.status())) << server.status();
      EXPECT_FALSE(server.status().message().empty());
      return false;
    }
    http_ = (*server)->addresses()[0].endpoint;
    udp_ = (*server)->addresses()[1].endpoint;

    for (int port = 1; port <= kHttpPeers; ++port) AskWhole(Announce(port));
    AskKeptConnection();
    AskInPieces();
    AskWrongly();
    AskAndReset();
    for (int port = 1; port <= kUdpPeers; ++port) AnnounceUdp(100 + port);
    // Twice: all the buffers there are, and then all of them again.
    AskLongInPieces();
    AskLongInPieces();

    const StoreUsage usage = (*server)->store().Usage();
    EXPECT_EQ(usage.torrents, 1u);
    EXPECT_EQ(usage.ipv4_peers, uint64_t{kHttpPeers + kUdpPeers});
    StopWithOpenRequest(server->get());
    EXPECT_EQ((*server)->connections(), 0u);
    return true;
  }

  TestClient Connect() const { return TestClient(http_, SOCK_STREAM); }

  // Sends the pieces on a new connection, until there is a whole response, which has to be
  // the one expected.
  void AskUntilAnswered(const std::vector<std::string>& pieces, absl::string_view expected) const {
    for (int i = 0; i < kTriesMax; ++i) {
      TestClient client = Connect();
      bool is_sent = true;
      for (const std::string& piece : pieces) {
        is_sent = is_sent && client.Send(piece);
        // The pieces are to be read one by one; nothing depends on it.
        if (pieces.size() > 1) poll(nullptr, 0, 1);
      }
      const std::string response = is_sent ? client.ReceiveResponse() : "";
      if (response.empty()) continue;
      // Whole: it ends as it should.
      if (absl::StrContains(response, expected)) return;
    }
    ADD_FAILURE() << "no answer with " << expected;
  }

  void AskWhole(const std::string& request) const { AskUntilAnswered({request}, "8:intervali"); }

  void AskInPieces() const {
    const std::string request = Announce(1);
    AskUntilAnswered({request.substr(0, 10), request.substr(10, 50), request.substr(60)},
                     "8:intervali");
  }

  void AskLongInPieces() const {
    const std::string filler(7'000, 'x');
    AskUntilAnswered(
        {"GET /announce?x=" + filler, filler, "&info_hash=aaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n\r\n"},
        "14:failure reason");
  }

  // An error, after which the server reads on until the client ends.
  void AskWrongly() const { AskUntilAnswered({"nonsense\r\n\r\n"}, "400 Bad Request"); }

  // Requests one after the other and several at once, whose responses come in order.
  void AskKeptConnection() const {
    for (int i = 0; i < kTriesMax; ++i) {
      TestClient client = Connect();
      bool is_well = client.Send(Announce(1)) &&
                     absl::StrContains(client.ReceiveResponse(), "8:intervali") &&
                     client.Send(absl::StrCat(Announce(1), Announce(2), "GET /x HTTP/1.1\r\n\r\n"));
      for (int reply = 0; is_well && reply < 2; ++reply) {
        is_well = absl::StrContains(client.ReceiveResponse(), "8:intervali");
      }
      if (is_well && absl::StrContains(client.ReceiveResponse(), "404 Not Found")) return;
    }
    ADD_FAILURE() << "a connection is never kept";
  }

  // Goes away while the server has much to send.
  void AskAndReset() const {
    std::string scrape = "GET /scrape?x";
    for (int i = 0; i < 500; ++i) {
      absl::StrAppend(&scrape, "&info_hash=", 100 + i, std::string(17, 'b'));
    }
    absl::StrAppend(&scrape, " HTTP/1.1\r\n\r\n");
    TestClient client(http_, SOCK_STREAM, /*receive_buffer_bytes=*/4096);
    // It may be ended by the server as well.
    if (client.Send(absl::StrCat(scrape, scrape, scrape))) client.Reset();
  }

  // What was lost is sent again after a time.
  std::string AskUdp(TestClient* client, const std::string& packet) const {
    for (int i = 0; i < kTriesMax; ++i) {
      EXPECT_TRUE(client->Send(packet));
      while (client->HasPacketWithin(/*timeout_ms=*/50)) {
        const std::string reply = client->ReceivePacket();
        // Not one of a packet that was sent twice.
        if (reply.size() >= 8 && reply.substr(4, 4) == packet.substr(12, 4)) return reply;
      }
    }
    ADD_FAILURE() << "no answer over UDP";
    return std::string(20, '\0');
  }

  // BEP 15.
  void AnnounceUdp(int port) const {
    TestClient client(udp_, SOCK_DGRAM);
    const std::string reply = AskUdp(
        &client,
        absl::StrCat(absl::string_view("\0\0\x04\x17\x27\x10\x19\x80\0\0\0\0", 12), 1000 + port));
    EXPECT_EQ(reply.size(), 16u);
    const std::string announce = absl::StrCat(
        reply.substr(8, 8), absl::string_view("\0\0\0\x01", 4), 2000 + port, std::string(20, 'a'),
        std::string(20, 'p'), std::string(7, '\0'), "\x01", std::string(7, '\0'), "\x05",
        std::string(8 + 4 + 4 + 4, '\0'), std::string(4, '\xff'), std::string(1, '\0'),
        std::string(1, static_cast<char>(port)));
    const std::string answer = AskUdp(&client, announce);
    EXPECT_EQ(answer.substr(0, 4), absl::string_view("\0\0\0\x01", 4));
    EXPECT_EQ((answer.size() - 20) % 6, 0u);
  }

  // A request that has begun is answered while the server stops, or its connection was
  // ended by the fault.
  void StopWithOpenRequest(Server* server) const {
    TestClient client = Connect();
    const std::string request = Announce(1);
    const bool is_begun = client.Send(request.substr(0, 30));
    TestClient idle = Connect();
    if (is_begun) client.Send(request.substr(30));
    server->Stop();
    const std::string response = client.ReceiveResponse();
    EXPECT_TRUE(response.empty() || absl::StrContains(response, "8:intervali")) << response;
    EXPECT_TRUE(idle.IsEnded());
  }

  Endpoint http_;
  Endpoint udp_;
};

// --- The sweep ---------------------------------------------------------------------

class FaultSweepTest : public ::testing::TestWithParam<Kind> {};

TEST_P(FaultSweepTest, EveryCallMayFail) {
  const Kind& kind = GetParam();
  SystemCalls calls;
  kind.install(&calls);
  for (const int error : kind.errors) {
    for (const int64_t in_a_row : {1, 4}) {
      int64_t first = 0;
      while (true) {
        SCOPED_TRACE(absl::StrCat(kind.name, " fails with ", strerrorname_np(error), ", calls ",
                                  first, " to ", first + in_a_row - 1));
        plan.error = error;
        plan.first = first;
        plan.count = in_a_row;
        plan.calls = 0;
        plan.failed = 0;
        Scenario().Run(calls);
        if (HasFailure()) return;
        if (plan.failed == 0) break;
        first += in_a_row;
      }
      // Every kind has a call at least, or the sweep is of nothing.
      EXPECT_GT(first, 0) << kind.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FaultSweepTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

// --- All calls at once -------------------------------------------------------------

TEST(FaultTest, AKernelThatGivesAndTakesOneAtATime) {
  SystemCalls calls;
  calls.recv = [](int fd, void* bytes, size_t size, int flags) {
    return recv(fd, bytes, std::min<size_t>(size, 1), flags);
  };
  calls.send = [](int fd, const void* bytes, size_t size, int flags) {
    return send(fd, bytes, std::min<size_t>(size, 1), flags);
  };
  calls.recvmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
    return recvmmsg(fd, messages, std::min(count, 1u), flags, timeout);
  };
  calls.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    return sendmmsg(fd, messages, std::min(count, 1u), flags);
  };
  calls.epoll_wait = [](int epoll, epoll_event* events, int count, int timeout_ms) {
    return epoll_wait(epoll, events, std::min(count, 1), timeout_ms);
  };
  EXPECT_TRUE(Scenario().Run(calls));
}

// Two calls of a kind in three. By kind, so that none waits for ever for another's turn.
template <auto kMember>
bool IsInterrupted() {
  static std::atomic<uint32_t> calls;
  errno = EINTR;
  return calls.fetch_add(1) % 3 != 0;
}

// As if a signal came two times of three, at whatever the server waits for.
TEST(FaultTest, InterruptionsAnywhere) {
  SystemCalls calls;
  calls.accept4 = [](int fd, sockaddr* address, socklen_t* size, int flags) {
    return IsInterrupted<&SystemCalls::accept4>() ? -1 : accept4(fd, address, size, flags);
  };
  calls.recv = [](int fd, void* bytes, size_t size, int flags) {
    return IsInterrupted<&SystemCalls::recv>() ? -1 : recv(fd, bytes, size, flags);
  };
  calls.send = [](int fd, const void* bytes, size_t size, int flags) {
    return IsInterrupted<&SystemCalls::send>() ? -1 : send(fd, bytes, size, flags);
  };
  calls.recvmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
    return IsInterrupted<&SystemCalls::recvmmsg>() ? -1
                                                   : recvmmsg(fd, messages, count, flags, timeout);
  };
  calls.sendmmsg = [](int fd, mmsghdr* messages, unsigned count, int flags) {
    return IsInterrupted<&SystemCalls::sendmmsg>() ? -1 : sendmmsg(fd, messages, count, flags);
  };
  calls.epoll_wait = [](int epoll, epoll_event* events, int count, int timeout_ms) {
    return IsInterrupted<&SystemCalls::epoll_wait>() ? -1
                                                     : epoll_wait(epoll, events, count, timeout_ms);
  };
  calls.read = [](int fd, void* bytes, size_t size) {
    return IsInterrupted<&SystemCalls::read>() ? -1 : read(fd, bytes, size);
  };
  calls.write = [](int fd, const void* bytes, size_t size) {
    return IsInterrupted<&SystemCalls::write>() ? -1 : write(fd, bytes, size);
  };
  calls.getrandom = [](void* bytes, size_t size, unsigned flags) {
    return IsInterrupted<&SystemCalls::getrandom>() ? -1 : getrandom(bytes, size, flags);
  };
  EXPECT_TRUE(Scenario().Run(calls));
}

}  // namespace
}  // namespace septet::tracker
