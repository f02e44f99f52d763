#include "bench/comparison/candidates.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bench/comparison/machine.h"
#include "bench/load/socket_name.h"
#include "tracker/server/listen_address.h"

namespace septet::bench {
namespace {

constexpr int kConnectTriesMax = 100;
constexpr useconds_t kConnectTryUs = 100'000;

// Where the build puts what "//PATH" builds, seen from this program, "bench/compare".
std::string BuiltPath(absl::string_view path) {
  std::array<char, 4096> self{};
  const ssize_t size = readlink("/proc/self/exe", self.data(), self.size() - 1);
  const std::string text(self.data(), size > 0 ? static_cast<size_t>(size) : 0);
  const std::string folder = text.substr(0, text.rfind('/'));
  return absl::StrCat(folder.substr(0, folder.rfind('/')), "/", path);
}

absl::optional<tracker::Endpoint> EndpointOf(const ServerProcess& process,
                                             tracker::Transport transport) {
  for (const std::string& text : process.addresses()) {
    const auto addresses = tracker::ParseListenAddresses(text);
    if (!addresses.ok()) continue;
    const tracker::ListenAddress& address = addresses->front();
    if (address.transport == transport && address.endpoint.family == tracker::Family::kIpv4) {
      return address.endpoint;
    }
  }
  return absl::nullopt;
}

absl::StatusOr<Candidate> StartNull(const char* name, const char* program, const char* version,
                                    const std::string& flag) {
  auto process = ServerProcess::Start({BuiltPath(program), flag});
  if (!process.ok()) return process.status();
  Candidate candidate;
  candidate.server = {name, version, absl::nullopt};
  candidate.pid = (*process)->pid();
  candidate.is_null = true;
  candidate.udp = EndpointOf(**process, tracker::Transport::kUdp);
  const auto http = EndpointOf(**process, tracker::Transport::kHttp);
  if (absl::string_view(name) == kNullHttpKeepAlive) {
    candidate.http_keep_alive = http;
  } else {
    candidate.http_close = http;
  }
  candidate.process = *std::move(process);
  return candidate;
}

tracker::Endpoint Loopback(uint16_t port) {
  const uint8_t address[4] = {127, 0, 0, 1};
  return tracker::MakeIpv4(address, port);
}

absl::StatusOr<absl::optional<tracker::Endpoint>> OtherEndpoint(const std::string& text) {
  if (text.empty()) return absl::optional<tracker::Endpoint>();
  const auto addresses = tracker::ParseListenAddresses(absl::StrCat("udp://", text));
  if (!addresses.ok()) return addresses.status();
  return absl::optional<tracker::Endpoint>(addresses->front().endpoint);
}

// Whether somebody listens there, waiting for it.
bool TakesConnections(const tracker::Endpoint& endpoint) {
  const SocketName name(endpoint);
  for (int i = 0; i < kConnectTriesMax; ++i) {
    const int fd = socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_connected = connect(fd, &name.any, name.size) == 0;
    close(fd);
    if (is_connected) return true;
    usleep(kConnectTryUs);
  }
  return false;
}

}  // namespace

absl::StatusOr<Candidate> StartSeptet(uint32_t workers) {
  const std::string path = BuiltPath("tracker/tracker");
  std::vector<std::string> command = {path, "--listen=127.0.0.1:0,[::1]:0",
                                      absl::StrCat("--workers=", workers)};
  // Two of them cannot have the same port of the admin pages.
  if (FirstLineOf(absl::StrCat("'", path, "' --help | grep -F -- --admin_listen")) != "") {
    command.push_back("--admin_listen=");
  }
  auto process = ServerProcess::Start(command);
  if (!process.ok()) return process.status();
  Candidate candidate;
  candidate.server.name = absl::StrCat("septet, ", workers, workers == 1 ? " worker" : " workers");
  candidate.server.version = FirstLineOf(absl::StrCat("'", path, "' --version"));
  candidate.pid = (*process)->pid();
  candidate.udp = EndpointOf(**process, tracker::Transport::kUdp);
  candidate.http_keep_alive = EndpointOf(**process, tracker::Transport::kHttp);
  candidate.http_close = candidate.http_keep_alive;
  candidate.process = *std::move(process);
  return candidate;
}

absl::StatusOr<std::vector<Candidate>> StartNullServers() {
  struct Row {
    const char* name;
    const char* program;
    const char* version;
    const char* flag;
  };
  constexpr Row kRows[] = {
      {kNullUdp, "bench/null_udp_server", "canned replies, recvmmsg and sendmmsg of 32",
       "--batch=32"},
      {kNullUdpOneByOne, "bench/null_udp_server", "canned replies, recvfrom and sendto",
       "--batch=1"},
      {kNullHttpClose, "bench/null_http_server", "canned responses, a connection each",
       "--keep_alive=false"},
      {kNullHttpKeepAlive, "bench/null_http_server", "canned responses, connections stay",
       "--keep_alive"},
  };
  std::vector<Candidate> candidates;
  for (const Row& row : kRows) {
    auto candidate = StartNull(row.name, row.program, row.version, row.flag);
    if (!candidate.ok()) return candidate.status();
    candidates.push_back(*std::move(candidate));
  }
  return candidates;
}

absl::StatusOr<Candidate> StartOpentracker(const std::vector<tracker::InfoHash>& hashes) {
  auto process = TrackerProcess::StartOpentracker(hashes);
  if (!process.ok()) return process.status();
  Candidate candidate;
  candidate.server.name = "opentracker";
  candidate.server.version = absl::StrCat(
      "Debian package ", FirstLineOf("dpkg-query --show --showformat='${Version}' opentracker"));
  candidate.pid = (*process)->pid();
  candidate.udp = Loopback((*process)->udp_port());
  // It closes every connection.
  candidate.http_close = Loopback((*process)->http_port());
  candidate.opentracker = *std::move(process);
  return candidate;
}

absl::StatusOr<Candidate> StartOther(const OtherTracker& other) {
  const auto udp = OtherEndpoint(other.udp);
  if (!udp.ok()) return udp.status();
  const auto http = OtherEndpoint(other.http);
  if (!http.ok()) return http.status();
  auto process = ServerProcess::StartSilent(other.command);
  if (!process.ok()) return process.status();
  if (http->has_value() && !TakesConnections(**http)) {
    return absl::UnavailableError(absl::StrCat(other.name, " does not listen on ", other.http));
  }
  Candidate candidate;
  candidate.server.name = other.name;
  candidate.server.version = other.command;
  candidate.pid = (*process)->pid();
  candidate.udp = *udp;
  candidate.http_close = *http;
  if (other.keeps_alive) candidate.http_keep_alive = *http;
  candidate.process = *std::move(process);
  return candidate;
}

}  // namespace septet::bench
