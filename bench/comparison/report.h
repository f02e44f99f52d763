// A comparison as text for people and for programs.

#ifndef SEPTET_BENCH_COMPARISON_REPORT_H_
#define SEPTET_BENCH_COMPARISON_REPORT_H_

#include <string>

#include "bench/comparison/comparison.h"

namespace septet::bench {

// Markdown: the machine, the settings, a table for each load and one of the memory. Dated, to
// be put into docs/benchmarks.md as it is.
std::string ToMarkdown(const Comparison& comparison);

// The machine, the medians, and every measurement.
std::string ToJson(const Comparison& comparison);

// One page with plots (SVG), which needs no other file and no network.
std::string ToHtml(const Comparison& comparison);

// "Xeon, 2 cores, Linux 6.1, Debian 12 (load average 0.1 before)"
std::string ToText(const Machine& machine);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_REPORT_H_
