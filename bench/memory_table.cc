// Memory a peer over the shapes of swarms: how much the resident set of a fresh tracker
// grows when it is loaded over UDP, and what its store says of itself.
//
//   bazel run -c opt //bench:memory_table

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/swarm_shape.h"
#include "bench/tracker_process.h"
#include "bench/udp_load.h"

ABSL_FLAG(bool, opentracker, true, "Load opentracker with the same, where it is installed.");
ABSL_FLAG(uint32_t, row, 0, "Only this row of the table, from 1; 0: all.");

namespace septet::bench {
namespace {

struct Row {
  SwarmShape shape;
  double goal;  // bytes a peer
};
constexpr Row kRows[] = {
    {{200'000, 1}, 45},    {{200'000, 2}, 38},   {{200'000, 4}, 22},
    {{20'000, 10}, 14},    {{20'000, 40}, 10.5}, {{5'000, 100}, 9.5},
    {{2'000, 300}, 9.0},   {{2'000, 700}, 8.8},  {{2'000, 1'000}, 8.0},
    {{2'000, 1'400}, 8.8}, {{200, 10'000}, 8.0}, {{2'000, 1'000, true}, 21.5},
};

// Bytes that the process grew by, for each peer; negative if something went wrong.
double LoadedBytesAPeer(TrackerProcess* process, const SwarmShape& shape) {
  const uint16_t port = shape.ipv6 ? process->udp6_port() : process->udp_port();
  const auto load = UdpLoad::Connect(port, shape.ipv6);
  if (!load.ok()) {
    std::fprintf(stderr, "%s\n", load.status().ToString().c_str());
    return -1;
  }
  const uint64_t before = process->stats().resident_bytes;
  const absl::Status status = LoadShape(load->get(), shape);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return -1;
  }
  return static_cast<double>(process->stats().resident_bytes - before) /
         static_cast<double>(shape.all_peers());
}

std::string Opentracker(const SwarmShape& shape) {
  if (!absl::GetFlag(FLAGS_opentracker) || shape.ipv6) return "-";
  const auto process = TrackerProcess::StartOpentracker(TorrentHashes(shape.torrents));
  if (!process.ok()) return "-";
  return absl::StrFormat("%.2f", LoadedBytesAPeer(process->get(), shape));
}

bool PrintRow(const Row& row) {
  const auto process = TrackerProcess::StartSeptet(1);
  if (!process.ok()) {
    std::fprintf(stderr, "%s\n", process.status().ToString().c_str());
    return false;
  }
  const uint64_t empty_bytes = (*process)->Usage()->bytes_total;
  const double resident = LoadedBytesAPeer(process->get(), row.shape);
  const auto usage = (*process)->Usage();
  const auto peers = static_cast<double>(row.shape.all_peers());
  const bool is_whole = usage->ipv4_peers + usage->ipv6_peers == row.shape.all_peers();
  absl::PrintF("%8u x %-6u %s  %9.2f  %9.2f  %7.2f %7.2f %7.2f %7.2f  %7.2f %5s  %11s%s\n",
               row.shape.torrents, row.shape.peers, row.shape.ipv6 ? "IPv6" : "IPv4", resident,
               static_cast<double>(usage->bytes_total - empty_bytes) / peers,
               static_cast<double>(usage->bytes_slots) / peers,
               static_cast<double>(usage->bytes_peers) / peers,
               static_cast<double>(usage->bytes_directories) / peers,
               static_cast<double>(usage->bytes_slack) / peers, row.goal,
               resident <= row.goal ? "met" : "no", Opentracker(row.shape),
               is_whole ? "" : "  NOT ALL PEERS ARE STORED");
  std::fflush(stdout);
  return is_whole && resident >= 0;
}

int Main() {
  std::printf(
      "Bytes a peer. `resident`: growth of the resident set of the running server; `store`: "
      "growth of the store's own account, and its parts.\n\n");
  std::printf(
      "torrents x peers          resident      store    slots   peers    dirs   slack     "
      "goal        opentracker\n");
  bool ok = true;
  uint32_t number = 0;
  for (const Row& row : kRows) {
    ++number;
    const uint32_t only = absl::GetFlag(FLAGS_row);
    if (only == 0 || only == number) ok = PrintRow(row) && ok;
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  septet::bench::ServeIfAsked(argc, argv);
  absl::SetProgramUsageMessage("Memory a peer of the running server, over shapes of swarms.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
