#include "bench/null_listener.h"

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/listening_socket.h"
#include "tracker/server/system_calls.h"

namespace septet::bench {
namespace {

// The default of --udp_receive_buffer.
constexpr int kUdpReceiveBufferBytes = 4 * 1024 * 1024;

[[noreturn]] void Exit(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(2);
}

}  // namespace

int ListenOrExit(const std::string& scheme, const std::string& address, bool blocks) {
  const auto addresses = tracker::ParseListenAddresses(absl::StrCat(scheme, "://", address));
  if (!addresses.ok()) Exit(addresses.status());
  tracker::ListenOptions options;
  options.udp_receive_buffer_bytes = kUdpReceiveBufferBytes;
  // Never destroyed: the socket lives as long as the process.
  static auto& socket = *new absl::StatusOr<tracker::ListeningSocket>;
  socket = tracker::OpenListeningSocket(tracker::RealSystemCalls(), addresses->front(), options);
  if (!socket.ok()) Exit(socket.status());
  const int fd = socket->fd.get();
  if (blocks) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  std::fprintf(stderr, "listening %s\n", tracker::ToString(socket->address).c_str());
  return fd;
}

}  // namespace septet::bench
