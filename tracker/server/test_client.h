// A client for tests of the server: plain blocking sockets on loopback.

#ifndef SEPTET_TRACKER_SERVER_TEST_CLIENT_H_
#define SEPTET_TRACKER_SERVER_TEST_CLIENT_H_

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/server/socket_address.h"

namespace septet::tracker {

// A socket that is connected to one endpoint. Nothing waits longer than kPatience.
class TestClient {
 public:
  static constexpr timeval kPatience = {10, 0};

  // `type`: SOCK_STREAM or SOCK_DGRAM. receive_buffer_bytes 0: the kernel's default.
  TestClient(const Endpoint& server, int type, int receive_buffer_bytes = 0) {
    SocketAddress address;
    const socklen_t size = ToSocketAddress(server, &address);
    fd_ = socket(address.any.sa_family, type, 0);
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
    if (receive_buffer_bytes > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(receive_buffer_bytes));
    }
    // A piece of a request must not wait for the one before to be acknowledged.
    const int on = 1;
    if (type == SOCK_STREAM) setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    EXPECT_EQ(connect(fd_, &address.any, size), 0);
  }
  TestClient(TestClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), unread_(std::move(other.unread_)) {}
  ~TestClient() {
    if (fd_ >= 0) close(fd_);
  }

  // False: the server does not take it.
  bool Send(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  void EndSending() { shutdown(fd_, SHUT_WR); }

  // Ends the connection with a reset.
  void Reset() {
    const linger reset = {1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    close(std::exchange(fd_, -1));
  }

  // Whether there is something to receive within this time.
  bool HasPacketWithin(int timeout_ms) {
    pollfd wanted = {fd_, POLLIN, 0};
    return poll(&wanted, 1, timeout_ms) > 0;
  }

  // One packet; empty: none came.
  std::string ReceivePacket() {
    char bytes[2048];
    const ssize_t size = recv(fd_, bytes, sizeof(bytes), 0);
    return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
  }

  // One whole HTTP response, by its Content-Length; what came until then if the server
  // ended before.
  std::string ReceiveResponse() {
    while (true) {
      const size_t size = ResponseBytes();
      if (size > 0 && unread_.size() >= size) {
        const std::string response = unread_.substr(0, size);
        unread_.erase(0, size);
        return response;
      }
      if (!ReceiveMore()) return std::exchange(unread_, "");
    }
  }

  // All until the server ends the connection.
  std::string ReceiveAll() {
    while (ReceiveMore()) {
    }
    return std::exchange(unread_, "");
  }

  // Waits until the server ends the connection without another byte; by a reset too.
  bool IsEnded() {
    char byte;
    const ssize_t size = recv(fd_, &byte, 1, 0);
    return size == 0 || (size < 0 && errno == ECONNRESET);
  }

  // As IsEnded, but a reset is no end.
  bool IsEndedInOrder() {
    char byte;
    return recv(fd_, &byte, 1, 0) == 0;
  }

  // Waits until the server resets the connection, without another byte.
  bool IsReset() {
    char byte;
    return recv(fd_, &byte, 1, 0) < 0 && errno == ECONNRESET;
  }

  std::string Ask(absl::string_view request) { return Send(request) ? ReceiveResponse() : ""; }

 private:
  // 0: not known yet.
  size_t ResponseBytes() const {
    constexpr absl::string_view kField = "Content-Length: ";
    const size_t end = unread_.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const size_t field = unread_.find(std::string(kField));
    return end + 4 + static_cast<size_t>(std::atoi(unread_.c_str() + field + kField.size()));
  }

  bool ReceiveMore() {
    char bytes[65536];
    const ssize_t size = recv(fd_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    unread_.append(bytes, static_cast<size_t>(size));
    return true;
  }

  int fd_;
  std::string unread_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_TEST_CLIENT_H_
