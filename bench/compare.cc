// This tracker, others and the null servers under the same loads, one after the other in
// rounds. docs/benchmarks.md says how to read the figures.
//
//   tools/bench --html=comparison.html

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "bench/comparison/candidates.h"
#include "bench/comparison/comparison.h"
#include "bench/comparison/machine.h"
#include "bench/comparison/report.h"
#include "bench/load/load_run.h"
#include "bench/process_stats.h"

ABSL_FLAG(uint32_t, torrents, 2000, "Torrents, 4 to 1,000,000.");
ABSL_FLAG(uint32_t, peers, 1000, "Peers of each torrent, 1 to 100,000.");
ABSL_FLAG(uint32_t, rounds, 5, "Every server is measured so often under each load, 1 to 100.");
ABSL_FLAG(double, seconds, 3, "Of each measurement, 0.1 to 600.");
ABSL_FLAG(uint32_t, window, 32, "Requests under way, 1 to 1024; over HTTP as many connections.");
ABSL_FLAG(uint32_t, sources, 64, "Addresses that peers come from, 1 to 65,535.");
ABSL_FLAG(bool, opentracker, true, "Measure opentracker, where it is installed.");
ABSL_FLAG(std::string, load, "", "Only loads whose name has this in it, such as UDP.");
ABSL_FLAG(std::string, other_command, "",
          "Another tracker: the command of the shell that starts it, in the foreground.");
ABSL_FLAG(std::string, other_name, "other", "Its name in the tables.");
ABSL_FLAG(std::string, other_udp, "", "Its UDP address, ADDR:PORT.");
ABSL_FLAG(std::string, other_http, "", "Its HTTP address.");
ABSL_FLAG(bool, other_keeps_alive, false, "It keeps HTTP connections.");
ABSL_FLAG(std::string, json, "", "Writes all figures to this file.");
ABSL_FLAG(std::string, html, "", "Writes a page with plots to this file.");
ABSL_FLAG(std::string, markdown, "", "Writes the tables, which are also printed, to this file.");

namespace septet::bench {
namespace {

// Enough for the sample of CPU time not to fall between two ticks of the clock.
constexpr double kWarmUpSeconds = 0.2;

struct Load {
  ComparedLoad compared;
  LoadProtocol protocol;
  bool scrape;
};
const Load kLoads[] = {
    {{"UDP announce", kNullUdp}, LoadProtocol::kUdp, false},
    {{"UDP scrape", kNullUdp}, LoadProtocol::kUdp, true},
    {{"HTTP announce, a connection each", kNullHttpClose}, LoadProtocol::kHttpClose, false},
    {{"HTTP announce, keep-alive", kNullHttpKeepAlive}, LoadProtocol::kHttpKeepAlive, false},
    {{"HTTP scrape, a connection each", kNullHttpClose}, LoadProtocol::kHttpClose, true},
};

bool IsInRange(double value, double least, double most) { return value >= least && value <= most; }

bool FlagsAreInRange() {
  return IsInRange(absl::GetFlag(FLAGS_torrents), 4, 1e6) &&
         IsInRange(absl::GetFlag(FLAGS_peers), 1, 1e5) &&
         IsInRange(absl::GetFlag(FLAGS_rounds), 1, 100) &&
         IsInRange(absl::GetFlag(FLAGS_seconds), 0.1, 600) &&
         IsInRange(absl::GetFlag(FLAGS_window), 1, 1024) &&
         IsInRange(absl::GetFlag(FLAGS_sources), 1, 65535);
}

absl::optional<LoadTarget> TargetOf(const Candidate& candidate, LoadProtocol protocol) {
  const absl::optional<tracker::Endpoint>& endpoint = protocol == LoadProtocol::kUdp ? candidate.udp
                                                      : protocol == LoadProtocol::kHttpKeepAlive
                                                          ? candidate.http_keep_alive
                                                          : candidate.http_close;
  if (!endpoint.has_value()) return absl::nullopt;
  return LoadTarget{protocol, *endpoint, absl::nullopt};
}

class Run {
 public:
  Run()
      : population_(SwarmPopulation::Uniform(absl::GetFlag(FLAGS_torrents),
                                             absl::GetFlag(FLAGS_peers),
                                             {.sources = absl::GetFlag(FLAGS_sources)})),
        hashes_(HashesOf(population_)) {}

  absl::Status Start() {
    for (const uint32_t workers : {1u, 2u}) {
      auto septet = StartSeptet(workers);
      if (!septet.ok()) return septet.status();
      candidates_.push_back(*std::move(septet));
    }
    if (absl::GetFlag(FLAGS_opentracker)) {
      auto opentracker = StartOpentracker(hashes_);
      if (opentracker.ok()) candidates_.push_back(*std::move(opentracker));
      if (!opentracker.ok()) std::fprintf(stderr, "%s\n", opentracker.status().ToString().c_str());
    }
    if (!absl::GetFlag(FLAGS_other_command).empty()) {
      auto other = StartOther({absl::GetFlag(FLAGS_other_name), absl::GetFlag(FLAGS_other_command),
                               absl::GetFlag(FLAGS_other_udp), absl::GetFlag(FLAGS_other_http),
                               absl::GetFlag(FLAGS_other_keeps_alive)});
      if (!other.ok()) return other.status();
      candidates_.push_back(*std::move(other));
    }
    auto nulls = StartNullServers();
    if (!nulls.ok()) return nulls.status();
    for (Candidate& null : *nulls) candidates_.push_back(std::move(null));
    return absl::OkStatus();
  }

  absl::Status LoadAll() {
    for (Candidate& candidate : candidates_) {
      if (candidate.is_null) continue;
      const LoadProtocol protocol =
          candidate.udp.has_value() ? LoadProtocol::kUdp : LoadProtocol::kHttpClose;
      const auto target = TargetOf(candidate, protocol);
      if (!target.has_value()) return absl::InvalidArgumentError("a tracker without an address");
      std::fprintf(stderr, "loading %s\n", candidate.server.name.c_str());
      const uint64_t empty = StatsOf(candidate.pid).resident_bytes;
      const auto result = LoadPopulation(*target, population_, hashes_);
      if (!result.ok()) return result.status();
      if (result->errors() > 0) std::fprintf(stderr, "%s", ToText(*result).c_str());
      const auto grown =
          static_cast<double>(StatsOf(candidate.pid).resident_bytes) - static_cast<double>(empty);
      candidate.server.bytes_a_peer = grown / static_cast<double>(population_.all_peers());
    }
    return absl::OkStatus();
  }

  absl::Status MeasureAll(Comparison* comparison) {
    for (const Load& load : kLoads) {
      if (absl::StrContains(load.compared.name, absl::GetFlag(FLAGS_load))) {
        comparison->loads.push_back(load.compared);
      }
    }
    for (uint32_t round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
      for (const Load& load : kLoads) {
        if (!absl::StrContains(load.compared.name, absl::GetFlag(FLAGS_load))) continue;
        std::fprintf(stderr, "round %u: %s\n", round + 1, load.compared.name.c_str());
        // Another one begins each round, so that none is always first after a pause.
        for (size_t i = 0; i < candidates_.size(); ++i) {
          const Candidate& candidate = candidates_[(i + round) % candidates_.size()];
          const absl::Status status = Measure(candidate, load, round, comparison);
          if (!status.ok()) return status;
        }
      }
    }
    for (const Candidate& candidate : candidates_) comparison->servers.push_back(candidate.server);
    return absl::OkStatus();
  }

 private:
  absl::Status Measure(const Candidate& candidate, const Load& load, uint32_t round,
                       Comparison* comparison) {
    const auto target = TargetOf(candidate, load.protocol);
    if (!target.has_value()) return absl::OkStatus();
    LoadOptions options;
    options.scrape = load.scrape;
    options.window = absl::GetFlag(FLAGS_window);
    options.knows_hashes = !candidate.is_null;
    options.seed = round + 1;
    options.seconds = kWarmUpSeconds;
    const auto warm_up = RunLoad(*target, options, population_, hashes_);
    if (!warm_up.ok()) return warm_up.status();

    options.seconds = absl::GetFlag(FLAGS_seconds);
    const ProcessStats before = StatsOf(candidate.pid);
    const auto result = RunLoad(*target, options, population_, hashes_);
    const ProcessStats after = StatsOf(candidate.pid);
    if (!result.ok()) return result.status();
    if (result->errors() > 0) {
      std::fprintf(stderr, "%s: %s", candidate.server.name.c_str(), ToText(*result).c_str());
    }
    const double requests = std::max(1.0, static_cast<double>(result->sent));
    Measurement m;
    m.server = candidate.server.name;
    m.load = load.compared.name;
    m.round = round;
    m.requests_a_second = result->rate();
    m.user_us = (after.user_s - before.user_s) * 1e6 / requests;
    m.system_us = (after.system_s - before.system_s) * 1e6 / requests;
    m.switches =
        static_cast<double>(after.voluntary_switches - before.voluntary_switches) / requests;
    m.p50_us = result->QuantileUs(0.5);
    m.p99_us = result->QuantileUs(0.99);
    m.p999_us = result->QuantileUs(0.999);
    m.errors = result->errors();
    comparison->measurements.push_back(m);
    return absl::OkStatus();
  }

  const SwarmPopulation population_;
  const std::vector<tracker::InfoHash> hashes_;
  std::vector<Candidate> candidates_;
};

bool Write(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file.good()) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return file.good();
}

std::string Settings() {
  return absl::StrFormat(
      "%d torrents × %d peers loaded first, half of them seeders, 50 peers wanted; %d rounds of "
      "%.1f s, one server after the other; one load generator with %d requests under way, from %d "
      "addresses of the loopback network. CPU time is that of the server's process, a request; "
      "medians of the rounds; × null is the median of the ratios within a round.",
      absl::GetFlag(FLAGS_torrents), absl::GetFlag(FLAGS_peers), absl::GetFlag(FLAGS_rounds),
      absl::GetFlag(FLAGS_seconds), absl::GetFlag(FLAGS_window), absl::GetFlag(FLAGS_sources));
}

int Main() {
  if (!FlagsAreInRange()) {
    std::fprintf(stderr, "a flag is out of its range: see --help\n");
    return 2;
  }
  Comparison comparison;
  comparison.machine = ThisMachine();
  comparison.settings = Settings();
  Run run;
  absl::Status status = run.Start();
  if (status.ok()) status = run.LoadAll();
  if (status.ok()) status = run.MeasureAll(&comparison);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  const std::string markdown = ToMarkdown(comparison);
  std::printf("%s", markdown.c_str());
  const bool is_written = Write(absl::GetFlag(FLAGS_markdown), markdown) &&
                          Write(absl::GetFlag(FLAGS_json), ToJson(comparison)) &&
                          Write(absl::GetFlag(FLAGS_html), ToHtml(comparison));
  return is_written ? 0 : 1;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "Compares this tracker with others and with servers that look nothing up.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
