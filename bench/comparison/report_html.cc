#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/comparison/bar_chart.h"
#include "bench/comparison/report.h"

namespace septet::bench {
namespace {

constexpr absl::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Septet: comparison</title>
<style>
:root { color-scheme: light dark; --text: #1c2330; --faint: #667; --grid: #dde; --s0: #2f6fb0;
  --s1: #93bce0; --s2: #d97b29; --floor: #c0392b; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ef; --faint: #99a; --grid: #334;
  --s0: #6aa9e8; --s1: #345f8a; --s2: #f0a35e; --floor: #ff7b6b; --page: #14181f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 860px; margin: 2em auto; padding: 0 1em; }
h2 { margin-top: 2.2em; } h3 { margin-bottom: .2em; font-size: 1em; }
p.key { color: var(--faint); margin: .2em 0; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .label { text-anchor: end; } svg .tick { text-anchor: middle;
  fill: var(--faint); }
.s0 { fill: var(--s0); background: var(--s0); } .s1 { fill: var(--s1); background: var(--s1); }
.s2 { fill: var(--s2); background: var(--s2); }
.grid { stroke: var(--grid); } .floor { stroke: var(--floor); stroke-dasharray: 4 3; }
i.box { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2em .5em; border-bottom: 1px solid var(--grid); }
th:first-child, td:first-child { text-align: left; }
div.wide { overflow-x: auto; }
</style>
</head>
<body>
)";

std::string Box(int series, absl::string_view text) {
  return absl::StrCat("<i class=\"box s", series, "\"></i>", text);
}

struct Row {
  const ComparedServer* server;
  Figures figures;
};

std::vector<Row> RowsOf(const Comparison& comparison, const ComparedLoad& load) {
  std::vector<Row> rows;
  for (const ComparedServer& server : comparison.servers) {
    const auto figures = FiguresOf(comparison, server.name, load);
    if (figures.has_value()) rows.push_back({&server, *figures});
  }
  return rows;
}

std::string Table(const std::vector<Row>& rows) {
  std::string out =
      "<div class=\"wide\"><table><tr><th>server</th><th>CPU µs</th><th>user</th><th>system</th>"
      "<th>× null</th><th>a second</th><th>p50 µs</th><th>p99 µs</th><th>p99.9 µs</th>"
      "<th>waits a request</th><th>errors</th></tr>\n";
  for (const Row& row : rows) {
    const Figures& f = row.figures;
    absl::StrAppendFormat(
        &out,
        "<tr><td>%s</td><td>%.2f</td><td>%.2f</td><td>%.2f</td><td>%s</td><td>%.0f</td>"
        "<td>%.0f</td><td>%.0f</td><td>%.0f</td><td>%.3f</td><td>%d</td></tr>\n",
        EscapeHtml(row.server->name), f.cpu_us, f.user_us, f.system_us,
        f.to_floor.has_value() ? absl::StrFormat("%.2f", *f.to_floor) : "", f.requests_a_second,
        f.p50_us, f.p99_us, f.p999_us, f.switches, f.errors);
  }
  return out + "</table></div>\n";
}

std::string CpuChart(const ComparedLoad& load, const std::vector<Row>& rows) {
  BarChart chart;
  chart.title = absl::StrCat(load.name, ": CPU time a request");
  for (const Row& row : rows) {
    const Figures& f = row.figures;
    std::string note = absl::StrFormat("%.2f µs", f.cpu_us);
    if (f.to_floor.has_value()) absl::StrAppendFormat(&note, ", %.2f × null", *f.to_floor);
    chart.bars.push_back({row.server->name, {f.user_us, f.system_us}, note});
    if (row.server->name == load.floor) chart.line = f.cpu_us;
  }
  return ToSvg(chart);
}

std::string RateChart(const ComparedLoad& load, const std::vector<Row>& rows) {
  BarChart chart;
  chart.title = absl::StrCat(load.name, ": requests a second");
  for (const Row& row : rows) {
    const double rate = row.figures.requests_a_second;
    chart.bars.push_back({row.server->name, {rate}, absl::StrFormat("%.0f", rate)});
  }
  return ToSvg(chart);
}

std::string LatencyChart(const ComparedLoad& load, const std::vector<Row>& rows) {
  DotChart chart;
  chart.title = absl::StrCat(load.name, ": latency");
  chart.unit = "µs";
  for (const Row& row : rows) {
    const Figures& f = row.figures;
    chart.rows.push_back({row.server->name, {f.p50_us, f.p99_us, f.p999_us}});
  }
  return ToSvg(chart);
}

std::string LoadSection(const Comparison& comparison, const ComparedLoad& load) {
  const std::vector<Row> rows = RowsOf(comparison, load);
  if (rows.empty()) return "";
  return absl::StrCat(
      "<h2>", EscapeHtml(load.name), "</h2>\n<h3>CPU time of the server, a request</h3>\n",
      "<p class=\"key\">", Box(0, "user"), Box(1, "system"), ", the line is the null server</p>\n",
      CpuChart(load, rows), "<h3>Requests a second, one load generator</h3>\n",
      RateChart(load, rows), "<h3>Latency in a closed loop</h3>\n<p class=\"key\">", Box(0, "p50"),
      Box(1, "p99"), Box(2, "p99.9"), "</p>\n", LatencyChart(load, rows), Table(rows));
}

std::string MemorySection(const Comparison& comparison) {
  BarChart chart;
  chart.title = "Memory a peer";
  for (const ComparedServer& server : comparison.servers) {
    if (!server.bytes_a_peer.has_value()) continue;
    chart.bars.push_back({server.name,
                          {std::max(0.0, *server.bytes_a_peer)},
                          absl::StrFormat("%.2f bytes", *server.bytes_a_peer)});
  }
  if (chart.bars.empty()) return "";
  return absl::StrCat("<h2>Memory a peer</h2>\n<p class=\"key\">growth of the resident set</p>\n",
                      ToSvg(chart));
}

}  // namespace

std::string ToHtml(const Comparison& comparison) {
  std::string out(kHead);
  absl::StrAppend(&out, "<h1>Trackers beside a server that looks nothing up</h1>\n<p>Measured ",
                  EscapeHtml(comparison.machine.date), " on ",
                  EscapeHtml(ToText(comparison.machine)), ".</p>\n<p>",
                  EscapeHtml(comparison.settings), "</p>\n<ul>\n");
  for (const ComparedServer& server : comparison.servers) {
    absl::StrAppend(&out, "<li>", EscapeHtml(server.name), ": ", EscapeHtml(server.version),
                    "</li>\n");
  }
  absl::StrAppend(&out, "</ul>\n");
  for (const ComparedLoad& load : comparison.loads) {
    absl::StrAppend(&out, LoadSection(comparison, load));
  }
  return absl::StrCat(out, MemorySection(comparison), "</body>\n</html>\n");
}

}  // namespace septet::bench
