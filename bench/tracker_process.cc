#include "bench/tracker_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tracker/server/server.h"

namespace septet::bench {
namespace {

using tracker::StoreUsage;

constexpr char kServeArgument[] = "--serve-for-benchmark";
constexpr char kOpentracker[] = "/usr/bin/opentracker";

// The members of StoreUsage, in the order in which they go through the pipe.
constexpr uint64_t StoreUsage::* kUsageMembers[] = {
    &StoreUsage::torrents,          &StoreUsage::ipv4_peers,  &StoreUsage::ipv6_peers,
    &StoreUsage::bytes_total,       &StoreUsage::bytes_slots, &StoreUsage::bytes_peers,
    &StoreUsage::bytes_directories, &StoreUsage::bytes_slack, &StoreUsage::bytes_fixed,
};

struct Pipes {
  int to_child[2];
  int from_child[2];
};

// Starts a program with its standard input and output at pipes.
pid_t Spawn(const std::vector<std::string>& command, const Pipes& pipes) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  dup2(pipes.to_child[0], STDIN_FILENO);
  dup2(pipes.from_child[1], STDOUT_FILENO);
  for (const int fd :
       {pipes.to_child[0], pipes.to_child[1], pipes.from_child[0], pipes.from_child[1]}) {
    close(fd);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// A port that was free a moment ago, for a program that cannot choose one itself.
uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// Whether the process answers a connect request, waiting up to ten seconds for it.
bool AnswersUdp(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  const timeval patience = {0, 100'000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  constexpr uint8_t kConnect[16] = {0, 0, 4, 0x17, 0x27, 0x10, 0x19, 0x80};
  bool answers = false;
  for (int i = 0; i < 100 && !answers; ++i) {
    uint8_t reply[16];
    send(fd, kConnect, sizeof(kConnect), 0);
    answers = recv(fd, reply, sizeof(reply), 0) == sizeof(reply);
    // Nobody is at the port yet, of which the kernel tells at once.
    if (!answers && errno == ECONNREFUSED) usleep(100'000);
  }
  close(fd);
  return answers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TrackerProcess>> TrackerProcess::StartSeptet(uint32_t workers) {
  Pipes pipes;
  if (pipe(pipes.to_child) != 0 || pipe(pipes.from_child) != 0) {
    return absl::UnavailableError("no pipe");
  }
  auto process = std::unique_ptr<TrackerProcess>(new TrackerProcess);
  process->pid_ = Spawn({"/proc/self/exe", kServeArgument, absl::StrCat(workers)}, pipes);
  close(pipes.to_child[0]);
  close(pipes.from_child[1]);
  process->to_child_ = pipes.to_child[1];
  process->from_child_ = pipes.from_child[0];
  // http, udp, udp of IPv6
  const std::vector<std::string> ports = absl::StrSplit(process->ReadLine(), ' ');
  if (ports.size() != 3) return absl::UnavailableError("the tracker did not start");
  process->http_port_ = static_cast<uint16_t>(std::stoi(ports[0]));
  process->udp_port_ = static_cast<uint16_t>(std::stoi(ports[1]));
  process->udp6_port_ = static_cast<uint16_t>(std::stoi(ports[2]));
  return process;
}

absl::StatusOr<std::unique_ptr<TrackerProcess>> TrackerProcess::StartOpentracker(
    const std::vector<tracker::InfoHash>& torrents) {
  if (access(kOpentracker, X_OK) != 0) return absl::NotFoundError("opentracker is not installed");
  char folder[] = "/tmp/opentracker-XXXXXX";
  if (mkdtemp(folder) == nullptr) return absl::UnavailableError("no temporary folder");
  auto process = std::unique_ptr<TrackerProcess>(new TrackerProcess);
  process->folder_ = folder;
  chmod(folder, 0755);
  {
    std::ofstream whitelist(absl::StrCat(folder, "/whitelist"));
    for (const tracker::InfoHash& hash : torrents) {
      whitelist << absl::BytesToHexString(
                       absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()))
                << "\n";
    }
    std::ofstream config(absl::StrCat(folder, "/config"));
    // Read after the change of root to `folder`.
    config << "access.whitelist /whitelist\n";
  }
  Pipes pipes;
  if (pipe(pipes.to_child) != 0 || pipe(pipes.from_child) != 0) {
    return absl::UnavailableError("no pipe");
  }
  process->udp_port_ = process->http_port_ = FreePort();
  const std::string port = absl::StrCat(process->udp_port_);
  process->pid_ = Spawn({kOpentracker, "-i", "127.0.0.1", "-p", port, "-P", port, "-d", folder,
                         "-f", absl::StrCat(folder, "/config")},
                        pipes);
  close(pipes.to_child[0]);
  close(pipes.from_child[1]);
  process->to_child_ = pipes.to_child[1];
  process->from_child_ = pipes.from_child[0];
  if (!AnswersUdp(process->udp_port_)) return absl::UnavailableError("opentracker does not answer");
  return process;
}

TrackerProcess::~TrackerProcess() {
  if (to_child_ >= 0) close(to_child_);
  if (from_child_ >= 0) close(from_child_);
  if (pid_ > 0) {
    // A Septet server ends with its input; opentracker has to be told.
    if (!folder_.empty()) kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  if (folder_.empty()) return;
  unlink(absl::StrCat(folder_, "/whitelist").c_str());
  unlink(absl::StrCat(folder_, "/config").c_str());
  rmdir(folder_.c_str());
}

std::string TrackerProcess::ReadLine() {
  std::string line;
  char c = 0;
  while (read(from_child_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

absl::optional<StoreUsage> TrackerProcess::Usage() {
  if (!folder_.empty() || write(to_child_, "u\n", 2) != 2) return absl::nullopt;
  const std::vector<std::string> numbers = absl::StrSplit(ReadLine(), ' ');
  StoreUsage usage;
  size_t i = 0;
  for (const auto member : kUsageMembers) {
    if (i < numbers.size()) usage.*member = std::strtoull(numbers[i].c_str(), nullptr, 10);
    ++i;
  }
  return usage;
}

void ServeIfAsked(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], kServeArgument) != 0) return;
  signal(SIGPIPE, SIG_IGN);
  tracker::ServerOptions options;
  options.listen =
      *tracker::ParseListenAddresses("http://127.0.0.1:0,udp://127.0.0.1:0,udp://[::1]:0");
  options.workers = static_cast<uint32_t>(std::atoi(argv[2]));
  const auto server = tracker::Server::Start(options);
  if (!server.ok()) {
    std::cerr << server.status() << std::endl;
    std::exit(1);
  }
  const auto& addresses = (*server)->addresses();
  std::cout << addresses[0].endpoint.port() << " " << addresses[1].endpoint.port() << " "
            << addresses[2].endpoint.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const StoreUsage usage = (*server)->store().Usage();
    for (const auto member : kUsageMembers) std::cout << usage.*member << " ";
    std::cout << std::endl;
  }
  (*server)->Stop();
  std::exit(0);
}

}  // namespace septet::bench
