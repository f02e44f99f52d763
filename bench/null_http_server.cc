// An HTTP tracker that looks nothing up: every request gets the same response. It reads
// until the empty line after the head, and looks at one byte of it, to tell announces from
// scrapes.
//
//   bazel run -c opt //bench:null_http_server -- --address=127.0.0.1:7000 --keep_alive

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "bench/null_listener.h"
#include "bench/null_reply.h"

ABSL_FLAG(std::string, address, "127.0.0.1:0", "ADDR:PORT; port 0 takes a free one.");
ABSL_FLAG(bool, keep_alive, false, "Keep connections after a response; else each is closed.");
ABSL_FLAG(uint32_t, peers, 50, "Peers in the reply to an announce, 0 to 200.");
ABSL_FLAG(bool, defer_accept, false,
          "TCP_DEFER_ACCEPT: the kernel hands a connection over when its request is there.");

namespace septet::bench {
namespace {

constexpr int kEventsMax = 256;
constexpr uint32_t kAcceptBurstMax = 64;
constexpr size_t kHeadBytesMax = 16 * 1024;
constexpr size_t kScrapePathByte = 5;  // "GET /s"
constexpr absl::string_view kHeadEnd = "\r\n\r\n";

class Server {
 public:
  Server(int listener, bool keep_alive, uint32_t peers)
      : listener_(listener),
        epoll_(epoll_create1(0)),
        keep_alive_(keep_alive),
        announce_(NullHttpAnnounceResponse(peers, keep_alive)),
        scrape_(NullHttpScrapeResponse(keep_alive)) {
    Watch(listener_);
  }

  void Run() {
    std::array<epoll_event, kEventsMax> events;
    while (true) {
      const int count = epoll_wait(epoll_, events.data(), kEventsMax, -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[i].data.fd;
        if (fd == listener_) {
          Accept();
        } else {
          Read(fd);
        }
      }
    }
  }

 private:
  // Takes as many connections as came the last time, so that few calls find none: most of
  // the time an accept that fails costs as much as an epoll_wait.
  void Accept() {
    uint32_t accepted = 0;
    while (accepted < accept_burst_) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) break;
      ++accepted;
      if (static_cast<size_t>(fd) >= pieces_.size()) pieces_.resize(static_cast<size_t>(fd) + 1);
      // Often the request is there already; only who has to wait is watched.
      if (Read(fd)) Watch(fd);
    }
    accept_burst_ = accepted == accept_burst_ ? std::min(2 * accept_burst_, kAcceptBurstMax)
                                              : std::max<uint32_t>(accepted, 1);
  }

  void Watch(int fd) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  // False: the connection is closed.
  bool Read(int fd) {
    const ssize_t size = recv(fd, buffer_.data(), buffer_.size(), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (size <= 0) return Close(fd);
    absl::string_view bytes(buffer_.data(), static_cast<size_t>(size));
    std::string& piece = pieces_[static_cast<size_t>(fd)];
    if (!piece.empty()) {
      piece.append(bytes.data(), bytes.size());
      if (piece.size() > kHeadBytesMax) return Close(fd);
      bytes = piece;
    }
    if (!absl::EndsWith(bytes, kHeadEnd)) {
      if (piece.empty()) piece.assign(bytes.data(), bytes.size());
      return true;
    }
    const bool is_scrape = bytes.size() > kScrapePathByte && bytes[kScrapePathByte] == 's';
    piece.clear();
    return Answer(fd, is_scrape ? scrape_ : announce_);
  }

  bool Answer(int fd, const std::string& response) {
    // A response that is the last leaves in one segment with the end of the connection.
    const int more = keep_alive_ ? 0 : MSG_MORE;
    const ssize_t sent = send(fd, response.data(), response.size(), MSG_NOSIGNAL | more);
    const bool stays = keep_alive_ && sent == static_cast<ssize_t>(response.size());
    return stays || Close(fd);
  }

  bool Close(int fd) {
    pieces_[static_cast<size_t>(fd)].clear();
    close(fd);
    return false;
  }

  const int listener_;
  const int epoll_;
  const bool keep_alive_;
  const std::string announce_;
  const std::string scrape_;
  uint32_t accept_burst_ = 1;
  std::array<char, kHeadBytesMax> buffer_;
  std::vector<std::string> pieces_;  // by descriptor: of a head that came in pieces
};

int Main() {
  const uint32_t peers = absl::GetFlag(FLAGS_peers);
  if (peers > kNullPeersMax) {
    std::fprintf(stderr, "a flag is out of its range: see --help\n");
    return 2;
  }
  const int listener = ListenOrExit("http", absl::GetFlag(FLAGS_address), false);
  if (absl::GetFlag(FLAGS_defer_accept)) {
    const int seconds = 1;
    setsockopt(listener, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds));
  }
  Server(listener, absl::GetFlag(FLAGS_keep_alive), peers).Run();
  return 0;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("An HTTP tracker that answers without a look: the floor.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
