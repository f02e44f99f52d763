#include "bench/comparison/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace septet::bench {
namespace {

constexpr double kWidth = 760;
constexpr double kLabelWidth = 190;
constexpr double kPlotWidth = 420;  // the rest is for the notes
constexpr double kRowHeight = 26;
constexpr double kBarHeight = 16;
constexpr double kAxisHeight = 22;

std::string Open(const std::string& title, size_t rows, double axis_height) {
  return absl::StrFormat(
      "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%s\"><title>%s</title>\n", kWidth,
      static_cast<double>(rows) * kRowHeight + axis_height, EscapeHtml(title), EscapeHtml(title));
}

std::string Label(const std::string& text, double y) {
  return absl::StrFormat("<text class=\"label\" x=\"%g\" y=\"%g\">%s</text>\n", kLabelWidth - 8,
                         y + kRowHeight / 2 + 4, EscapeHtml(text));
}

double SumOf(const Bar& bar) {
  double sum = 0;
  for (const double part : bar.parts) sum += part;
  return sum;
}

std::string Rectangle(double x, double y, double width, size_t series) {
  return absl::StrFormat("<rect class=\"s%d\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%g\"/>\n",
                         series, x, y + (kRowHeight - kBarHeight) / 2, width, kBarHeight);
}

}  // namespace

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string ToSvg(const BarChart& chart) {
  double greatest = chart.line.value_or(0);
  for (const Bar& bar : chart.bars) greatest = std::max(greatest, SumOf(bar));
  const double scale = greatest > 0 ? kPlotWidth / greatest : 0;
  std::string svg = Open(chart.title, chart.bars.size(), 4);
  double y = 0;
  for (const Bar& bar : chart.bars) {
    absl::StrAppend(&svg, Label(bar.label, y));
    double x = kLabelWidth;
    for (size_t i = 0; i < bar.parts.size(); ++i) {
      absl::StrAppend(&svg, Rectangle(x, y, bar.parts[i] * scale, i));
      x += bar.parts[i] * scale;
    }
    absl::StrAppendFormat(&svg, "<text x=\"%.2f\" y=\"%g\">%s</text>\n", x + 6,
                          y + kRowHeight / 2 + 4, EscapeHtml(bar.note));
    y += kRowHeight;
  }
  if (chart.line.has_value()) {
    const double x = kLabelWidth + *chart.line * scale;
    absl::StrAppendFormat(
        &svg, "<line class=\"floor\" x1=\"%.2f\" y1=\"0\" x2=\"%.2f\" y2=\"%g\"/>\n", x, x, y);
  }
  return svg + "</svg>\n";
}

std::string ToSvg(const DotChart& chart) {
  double least = INFINITY;
  double greatest = 0;
  for (const DotRow& row : chart.rows) {
    for (const double value : row.values) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  if (!(least > 0) || greatest <= 0) return "";
  // Whole decades.
  const double begin = std::floor(std::log10(least));
  const double end = std::max(begin + 1, std::ceil(std::log10(greatest)));
  const double width = kWidth - kLabelWidth - 40;
  const auto x_of = [&](double value) {
    return kLabelWidth + (std::log10(value) - begin) / (end - begin) * width;
  };
  std::string svg = Open(chart.title, chart.rows.size(), kAxisHeight);
  const double bottom = static_cast<double>(chart.rows.size()) * kRowHeight;
  for (double decade = begin; decade <= end; ++decade) {
    const double x = x_of(std::pow(10, decade));
    absl::StrAppendFormat(&svg,
                          "<line class=\"grid\" x1=\"%.2f\" y1=\"0\" x2=\"%.2f\" y2=\"%g\"/>\n"
                          "<text class=\"tick\" x=\"%.2f\" y=\"%g\">%g %s</text>\n",
                          x, x, bottom, x, bottom + 16, std::pow(10, decade), chart.unit);
  }
  double y = 0;
  for (const DotRow& row : chart.rows) {
    absl::StrAppend(&svg, Label(row.label, y));
    for (size_t i = 0; i < row.values.size(); ++i) {
      absl::StrAppendFormat(&svg,
                            "<circle class=\"s%d\" cx=\"%.2f\" cy=\"%g\" r=\"5\"><title>%.1f "
                            "%s</title></circle>\n",
                            i, x_of(row.values[i]), y + kRowHeight / 2, row.values[i], chart.unit);
    }
    y += kRowHeight;
  }
  return svg + "</svg>\n";
}

}  // namespace septet::bench
