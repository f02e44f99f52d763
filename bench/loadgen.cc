// Loads a tracker on this machine with announces or scrapes, checks every reply, and says
// how fast they came. docs/benchmarks.md has examples.
//
//   bazel run -c opt //bench:loadgen -- --udp=127.0.0.1:6969 --load

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "bench/load/exchange.h"
#include "bench/load/load_run.h"
#include "tracker/server/listen_address.h"

ABSL_FLAG(std::string, udp, "", "The tracker: ADDR:PORT of UDP, IPv4 and of this machine.");
ABSL_FLAG(std::string, udp6, "", "Likewise of IPv6, [::1]:PORT, for the peers of --ipv6.");
ABSL_FLAG(std::string, http, "", "The tracker over HTTP, ADDR:PORT.");
ABSL_FLAG(std::string, http6, "", "Likewise of IPv6.");
ABSL_FLAG(std::string, protocol, "udp",
          "udp; http: connections that stay; http-close: a connection for each request.");
ABSL_FLAG(std::string, request, "announce", "announce or scrape.");
ABSL_FLAG(std::string, shape, "uniform",
          "uniform: --torrents of --peers each; real: half of the torrents have one peer, the "
          "largest has --largest, by a power law.");
ABSL_FLAG(uint32_t, torrents, 2000, "Torrents, 4 to 10,000,000.");
ABSL_FLAG(uint32_t, peers, 1000, "Peers of each torrent (uniform), 1 to 1,000,000.");
ABSL_FLAG(uint32_t, largest, 100000, "Peers of the largest torrent (real), 2 to 1,000,000.");
ABSL_FLAG(int32_t, seeders, -1, "Percent of the peers that are seeders; -1: 50, or 75 if real.");
ABSL_FLAG(int32_t, ipv6, -1,
          "Percent of the peers that come over IPv6; -1: none, or 20 if real and there is an "
          "address of IPv6.");
ABSL_FLAG(uint32_t, sources, 16,
          "Addresses that IPv4 peers come from, from 127.0.0.1 on, 1 to 65,535.");
ABSL_FLAG(bool, load, false, "First announce every peer once: over UDP if there is --udp.");
ABSL_FLAG(std::string, events, "updates",
          "updates: peers only report; mixed: 6 percent start, 6 stop, 2 complete.");
ABSL_FLAG(uint32_t, numwant, 50, "Peers wanted by an announce, 0 to 200.");
ABSL_FLAG(uint32_t, window, 32,
          "Requests under way at most, 1 to 4096; over HTTP as many connections.");
ABSL_FLAG(double, rate, 0,
          "Requests a second (open loop): latency counts from when a request should have gone "
          "out. 0: the next goes out when a reply came (closed loop).");
ABSL_FLAG(double, seconds, 5, "How long to send, 0 to 3600; 0: only --load.");
ABSL_FLAG(double, timeout, 1, "Seconds after which a request counts as lost, 0.01 to 60.");
ABSL_FLAG(bool, canned, false,
          "The server says the same to every request: do not compare the info-hash of a scrape.");
ABSL_FLAG(uint64_t, seed, 1, "Of the random choice of peers: the same seed, the same requests.");
ABSL_FLAG(bool, json, false, "Print one JSON object, not text.");

namespace septet::bench {
namespace {

int Usage(absl::string_view text) {
  std::fprintf(stderr, "%s; see --help\n", std::string(text).c_str());
  return 2;
}

// An address of this machine: a load against other machines is an attack.
absl::StatusOr<tracker::Endpoint> LoopbackEndpoint(const std::string& flag,
                                                   const std::string& text) {
  const auto addresses = tracker::ParseListenAddresses(absl::StrCat("udp://", text));
  if (!addresses.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, ": ", addresses.status().message()));
  }
  const tracker::Endpoint& endpoint = addresses->front().endpoint;
  const bool is_ipv4 = endpoint.family == tracker::Family::kIpv4;
  uint8_t loopback6[16] = {};
  loopback6[15] = 1;
  const bool is_loopback = is_ipv4 ? endpoint.compact[0] == 127
                                   : endpoint == tracker::MakeIpv6(loopback6, endpoint.port());
  if (addresses->size() != 1 || !is_loopback || endpoint.port() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": has to be a port of 127.0.0.0/8 or [::1]"));
  }
  return endpoint;
}

// The target over one transport, from its two flags.
absl::StatusOr<LoadTarget> TargetOf(const std::string& name, LoadProtocol protocol) {
  const bool is_udp = protocol == LoadProtocol::kUdp;
  const std::string ipv4 = absl::GetFlag(is_udp ? FLAGS_udp : FLAGS_http);
  const std::string ipv6 = absl::GetFlag(is_udp ? FLAGS_udp6 : FLAGS_http6);
  LoadTarget target;
  target.protocol = protocol;
  const auto endpoint = LoopbackEndpoint(name, ipv4);
  if (!endpoint.ok()) return endpoint.status();
  target.ipv4 = *endpoint;
  if (ipv6.empty()) return target;
  const auto endpoint6 = LoopbackEndpoint(absl::StrCat(name, "6"), ipv6);
  if (!endpoint6.ok()) return endpoint6.status();
  target.ipv6 = *endpoint6;
  return target;
}

struct ProtocolName {
  absl::string_view name;
  LoadProtocol protocol;
};
constexpr ProtocolName kProtocols[] = {
    {"udp", LoadProtocol::kUdp},
    {"http", LoadProtocol::kHttpKeepAlive},
    {"http-close", LoadProtocol::kHttpClose},
};

absl::optional<LoadProtocol> ProtocolOf(absl::string_view name) {
  for (const ProtocolName& row : kProtocols) {
    if (row.name == name) return row.protocol;
  }
  return absl::nullopt;
}

bool IsInRange(double value, double least, double most) { return value >= least && value <= most; }

bool FlagsAreInRange() {
  return IsInRange(absl::GetFlag(FLAGS_torrents), 4, 10e6) &&
         IsInRange(absl::GetFlag(FLAGS_peers), 1, 1e6) &&
         IsInRange(absl::GetFlag(FLAGS_largest), 2, 1e6) &&
         IsInRange(absl::GetFlag(FLAGS_seeders), -1, 100) &&
         IsInRange(absl::GetFlag(FLAGS_ipv6), -1, 100) &&
         IsInRange(absl::GetFlag(FLAGS_sources), 1, 65535) &&
         IsInRange(absl::GetFlag(FLAGS_numwant), 0, 200) &&
         IsInRange(absl::GetFlag(FLAGS_window), 1, kWindowMax) &&
         IsInRange(absl::GetFlag(FLAGS_rate), 0, 10e6) &&
         IsInRange(absl::GetFlag(FLAGS_seconds), 0, 3600) &&
         IsInRange(absl::GetFlag(FLAGS_timeout), 0.01, 60);
}

SwarmPopulation Population(bool is_real, bool has_ipv6) {
  const int32_t seeders = absl::GetFlag(FLAGS_seeders);
  const int32_t ipv6 = absl::GetFlag(FLAGS_ipv6);
  PeerMix mix;
  mix.sources = absl::GetFlag(FLAGS_sources);
  mix.seeders_percent = static_cast<uint32_t>(seeders >= 0 ? seeders : is_real ? 75 : 50);
  mix.ipv6_percent = static_cast<uint32_t>(ipv6 >= 0 ? ipv6 : is_real && has_ipv6 ? 20 : 0);
  const uint32_t torrents = absl::GetFlag(FLAGS_torrents);
  return is_real ? SwarmPopulation::PowerLaw(torrents, absl::GetFlag(FLAGS_largest), mix)
                 : SwarmPopulation::Uniform(torrents, absl::GetFlag(FLAGS_peers), mix);
}

LoadOptions OptionsOf() {
  LoadOptions options;
  options.scrape = absl::GetFlag(FLAGS_request) == "scrape";
  options.window = absl::GetFlag(FLAGS_window);
  options.rate = absl::GetFlag(FLAGS_rate);
  options.seconds = absl::GetFlag(FLAGS_seconds);
  options.numwant = absl::GetFlag(FLAGS_numwant);
  options.mixed_events = absl::GetFlag(FLAGS_events) == "mixed";
  options.timeout_s = absl::GetFlag(FLAGS_timeout);
  options.knows_hashes = !absl::GetFlag(FLAGS_canned);
  options.seed = absl::GetFlag(FLAGS_seed);
  return options;
}

// False: it did not run, or not every reply was right.
bool Report(const char* what, const absl::StatusOr<LoadResult>& result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    return false;
  }
  const bool json = absl::GetFlag(FLAGS_json);
  std::printf(json ? "{\"%s\": %s}\n" : "%s\n%s", what,
              (json ? ToJson(*result) : ToText(*result)).c_str());
  std::fflush(stdout);
  return result->errors() == 0;
}

int Main() {
  const auto protocol = ProtocolOf(absl::GetFlag(FLAGS_protocol));
  if (!protocol.has_value()) return Usage("--protocol: udp, http or http-close");
  const std::string request = absl::GetFlag(FLAGS_request);
  if (request != "announce" && request != "scrape") return Usage("--request: announce or scrape");
  const std::string shape = absl::GetFlag(FLAGS_shape);
  if (shape != "uniform" && shape != "real") return Usage("--shape: uniform or real");
  const std::string events = absl::GetFlag(FLAGS_events);
  if (events != "updates" && events != "mixed") return Usage("--events: updates or mixed");
  if (!FlagsAreInRange()) return Usage("a flag is out of its range");

  const bool is_udp = *protocol == LoadProtocol::kUdp;
  const auto target = TargetOf(is_udp ? "udp" : "http", *protocol);
  if (!target.ok()) return Usage(target.status().message());
  const bool loads_by_udp = !absl::GetFlag(FLAGS_udp).empty();
  const auto load_target = TargetOf(loads_by_udp ? "udp" : "http",
                                    loads_by_udp ? LoadProtocol::kUdp : LoadProtocol::kHttpClose);
  if (!load_target.ok()) return Usage(load_target.status().message());
  const SwarmPopulation population = Population(shape == "real", target->ipv6.has_value());
  const bool loads = absl::GetFlag(FLAGS_load);
  if (population.mix().ipv6_percent > 0 &&
      (!target->ipv6.has_value() || (loads && !load_target->ipv6.has_value()))) {
    return Usage("--ipv6: needs --udp6 or --http6, whichever is used");
  }
  if (!population.FitsPorts()) return Usage("--sources: too few for the ports of so many peers");

  const std::vector<tracker::InfoHash> hashes = HashesOf(population);
  bool ok = true;
  if (loads) ok = Report("load", LoadPopulation(*load_target, population, hashes));
  const LoadOptions options = OptionsOf();
  if (options.seconds <= 0) return ok ? 0 : 1;
  return Report("run", RunLoad(*target, options, population, hashes)) && ok ? 0 : 1;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "Loads a tracker on this machine and checks every reply. Exit status 1: a reply was wrong or "
      "lost.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
