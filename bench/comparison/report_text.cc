#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/comparison/report.h"

namespace septet::bench {
namespace {

std::string RatioText(const absl::optional<double>& ratio) {
  return ratio.has_value() ? absl::StrFormat("%.2f", *ratio) : "";
}

void AppendLoad(const Comparison& comparison, const ComparedLoad& load, std::string* out) {
  absl::StrAppend(out, "\n**", load.name, "**\n\n");
  absl::StrAppend(
      out,
      "| server | CPU µs | user | system | × null | least to greatest | a second | p50 µs | "
      "p99 µs | p99.9 µs | waits a request | errors |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const ComparedServer& server : comparison.servers) {
    const auto f = FiguresOf(comparison, server.name, load);
    if (!f.has_value()) continue;
    absl::StrAppendFormat(
        out,
        "| %s | %.2f | %.2f | %.2f | %s | %.2f to %.2f | %.0f | %.0f | %.0f | %.0f | %.3f | %d |\n",
        server.name, f->cpu_us, f->user_us, f->system_us, RatioText(f->to_floor), f->cpu_us_least,
        f->cpu_us_greatest, f->requests_a_second, f->p50_us, f->p99_us, f->p999_us, f->switches,
        f->errors);
  }
}

void AppendMemory(const Comparison& comparison, std::string* out) {
  std::string rows;
  for (const ComparedServer& server : comparison.servers) {
    if (!server.bytes_a_peer.has_value()) continue;
    absl::StrAppendFormat(&rows, "| %s | %.2f |\n", server.name, *server.bytes_a_peer);
  }
  if (rows.empty()) return;
  absl::StrAppend(out,
                  "\n**Memory** (growth of the resident set, by peer)\n\n| server | bytes a peer "
                  "|\n|---|---|\n",
                  rows);
}

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

std::string MachineJson(const Machine& machine) {
  return absl::StrFormat(
      "{\"date\": %s, \"cpu\": %s, \"cores\": %d, \"kernel\": %s, \"distribution\": %s, "
      "\"compiler\": %s, \"load_average\": %s}",
      Quoted(machine.date), Quoted(machine.cpu), machine.cores, Quoted(machine.kernel),
      Quoted(machine.distribution), Quoted(machine.compiler), Quoted(machine.load_average));
}

std::string ServerJson(const ComparedServer& server) {
  return absl::StrFormat(
      "{\"name\": %s, \"version\": %s, \"bytes_a_peer\": %s}", Quoted(server.name),
      Quoted(server.version),
      server.bytes_a_peer.has_value() ? absl::StrFormat("%.3f", *server.bytes_a_peer) : "null");
}

std::string MeasurementJson(const Measurement& m) {
  return absl::StrFormat(
      "{\"server\": %s, \"load\": %s, \"round\": %d, \"requests_a_second\": %.1f, \"user_us\": "
      "%.4f, \"system_us\": %.4f, \"switches\": %.5f, \"p50_us\": %.2f, \"p99_us\": %.2f, "
      "\"p999_us\": %.2f, \"errors\": %d}",
      Quoted(m.server), Quoted(m.load), m.round, m.requests_a_second, m.user_us, m.system_us,
      m.switches, m.p50_us, m.p99_us, m.p999_us, m.errors);
}

std::string MedianJson(const std::string& server, const ComparedLoad& load, const Figures& f) {
  return absl::StrFormat(
      "{\"server\": %s, \"load\": %s, \"floor\": %s, \"rounds\": %d, \"cpu_us\": %.4f, "
      "\"to_floor\": %s, \"requests_a_second\": %.1f}",
      Quoted(server), Quoted(load.name), Quoted(load.floor), f.rounds, f.cpu_us,
      f.to_floor.has_value() ? absl::StrFormat("%.4f", *f.to_floor) : "null", f.requests_a_second);
}

std::string Array(const std::vector<std::string>& rows) {
  return absl::StrCat("[\n  ", absl::StrJoin(rows, ",\n  "), "\n]");
}

}  // namespace

std::string ToText(const Machine& machine) {
  return absl::StrCat(machine.cpu, ", ", machine.cores, " cores, ", machine.kernel, ", ",
                      machine.distribution, ", ", machine.compiler,
                      "; load average before: ", machine.load_average);
}

std::string ToMarkdown(const Comparison& comparison) {
  std::string out = absl::StrCat("Measured ", comparison.machine.date, " on ",
                                 ToText(comparison.machine), ".\n", comparison.settings, "\n\n");
  for (const ComparedServer& server : comparison.servers) {
    absl::StrAppend(&out, "- ", server.name, ": ", server.version, "\n");
  }
  for (const ComparedLoad& load : comparison.loads) AppendLoad(comparison, load, &out);
  AppendMemory(comparison, &out);
  return out;
}

std::string ToJson(const Comparison& comparison) {
  std::vector<std::string> servers;
  std::vector<std::string> medians;
  std::vector<std::string> measurements;
  for (const ComparedServer& server : comparison.servers) {
    servers.push_back(ServerJson(server));
    for (const ComparedLoad& load : comparison.loads) {
      const auto figures = FiguresOf(comparison, server.name, load);
      if (figures.has_value()) medians.push_back(MedianJson(server.name, load, *figures));
    }
  }
  for (const Measurement& m : comparison.measurements) measurements.push_back(MeasurementJson(m));
  return absl::StrCat("{\"machine\": ", MachineJson(comparison.machine),
                      ",\n\"settings\": ", Quoted(comparison.settings),
                      ",\n\"servers\": ", Array(servers), ",\n\"medians\": ", Array(medians),
                      ",\n\"measurements\": ", Array(measurements), "}\n");
}

}  // namespace septet::bench
