// Bars and dots as SVG, for a page without scripts.

#ifndef SEPTET_BENCH_COMPARISON_BAR_CHART_H_
#define SEPTET_BENCH_COMPARISON_BAR_CHART_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace septet::bench {

// Text as it may stand in HTML and SVG.
std::string EscapeHtml(absl::string_view text);

struct Bar {
  std::string label;
  // Laid end to end; each has the colour of its place (class s0, s1, ...). Not negative.
  std::vector<double> parts;
  std::string note;  // at the end of the bar
};

struct BarChart {
  std::string title;  // read out by a screen reader
  std::vector<Bar> bars;
  absl::optional<double> line;  // a value marked across all bars
};
std::string ToSvg(const BarChart& chart);

struct DotRow {
  std::string label;
  std::vector<double> values;  // over 0
};

// Values on a logarithmic axis, each row with dots of the classes s0, s1, ...
struct DotChart {
  std::string title;
  std::string unit;
  std::vector<DotRow> rows;
};
std::string ToSvg(const DotChart& chart);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_BAR_CHART_H_
