#include "bench/comparison/report.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bench/comparison/bar_chart.h"
#include "gtest/gtest.h"

namespace septet::bench {
namespace {

Comparison Sample() {
  Comparison comparison;
  comparison.machine.cpu = "A <fast> \"CPU\"";
  comparison.machine.date = "2026-01-02";
  comparison.loads = {{"UDP announce", "null"}};
  comparison.servers = {{"ours", "1", 7.5}, {"null", "", {}}};
  for (const char* server : {"ours", "null"}) {
    Measurement m;
    m.server = server;
    m.load = "UDP announce";
    m.user_us = server[0] == 'o' ? 1 : 0;
    m.system_us = 2;
    m.p50_us = 10;
    m.p99_us = 100;
    m.p999_us = 1000;
    m.requests_a_second = 123'456;
    comparison.measurements.push_back(m);
  }
  return comparison;
}

TEST(Report, MarkdownHasTheRatioToTheFloor) {
  const std::string text = ToMarkdown(Sample());
  EXPECT_TRUE(absl::StrContains(text, "Measured 2026-01-02 on A <fast>")) << text;
  EXPECT_TRUE(absl::StrContains(text, "| ours | 3.00 | 1.00 | 2.00 | 1.50 |")) << text;
  EXPECT_TRUE(absl::StrContains(text, "| null | 2.00 | 0.00 | 2.00 | 1.00 |")) << text;
  EXPECT_TRUE(absl::StrContains(text, "| ours | 7.50 |")) << text;
}

TEST(Report, JsonEscapesWhatTheMachineSays) {
  const std::string text = ToJson(Sample());
  EXPECT_TRUE(absl::StrContains(text, "\"cpu\": \"A <fast> \\\"CPU\\\"\"")) << text;
  EXPECT_TRUE(absl::StrContains(text, "\"to_floor\": 1.5000")) << text;
  EXPECT_TRUE(absl::StrContains(text, "\"bytes_a_peer\": null")) << text;
}

TEST(Report, HtmlIsOnePageWithPlotsAndNoNetwork) {
  const std::string page = ToHtml(Sample());
  EXPECT_TRUE(absl::StrContains(page, "<svg"));
  EXPECT_TRUE(absl::StrContains(page, "A &lt;fast&gt; &quot;CPU&quot;"));
  for (const char* outside : {"http:", "https:", "src=", "href=", "url(", "@import"}) {
    EXPECT_FALSE(absl::StrContains(page, outside)) << outside;
  }
}

// 3 and 2 of 3: the longest bar has the whole width, the other two thirds of it.
TEST(Report, BarsAreInProportion) {
  const std::string svg = ToSvg(BarChart{"t", {{"a", {1, 2}, ""}, {"b", {2}, ""}}, 1.5});
  EXPECT_TRUE(absl::StrContains(svg, "class=\"s0\" x=\"190.00\" y=\"5\" width=\"140.00\"")) << svg;
  EXPECT_TRUE(absl::StrContains(svg, "class=\"s1\" x=\"330.00\" y=\"5\" width=\"280.00\"")) << svg;
  EXPECT_TRUE(absl::StrContains(svg, "class=\"s0\" x=\"190.00\" y=\"31\" width=\"280.00\"")) << svg;
  EXPECT_TRUE(absl::StrContains(svg, "x1=\"400.00\"")) << svg;
}

TEST(Report, DotsAreOnALogarithmicAxis) {
  const std::string svg = ToSvg(DotChart{"t", "us", {{"a", {10, 100, 1000}}}});
  // Two decades over 530 pixels from 190 on.
  for (const char* x : {"cx=\"190.00\"", "cx=\"455.00\"", "cx=\"720.00\""}) {
    EXPECT_TRUE(absl::StrContains(svg, x)) << svg;
  }
  EXPECT_EQ(ToSvg(DotChart{"t", "us", {{"a", {0}}}}), "");
}

}  // namespace
}  // namespace septet::bench
