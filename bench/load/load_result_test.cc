#include "bench/load/load_result.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace septet::bench {
namespace {

LoadResult Result() {
  LoadResult result;
  result.sent = 103;
  result.replies = 100;
  result.lost = 1;
  result.peers_told = 4950;
  result.seconds = 0.5;
  result.AddFault("an error packet");
  result.AddFault("an error packet");
  for (int i = 0; i < 100; ++i) result.latency.Add(100);
  return result;
}

TEST(LoadResult, RatesAndErrorsFollowFromTheCounts) {
  EXPECT_EQ(Result().faulty(), 2u);
  EXPECT_EQ(Result().errors(), 3u);
  EXPECT_DOUBLE_EQ(Result().rate(), 200);
  EXPECT_DOUBLE_EQ(LoadResult().rate(), 0);
}

TEST(LoadResult, TextNamesWhatWasWrong) {
  const std::string text = ToText(Result());
  EXPECT_TRUE(absl::StrContains(text, "rate         200 a second")) << text;
  EXPECT_TRUE(absl::StrContains(text, "49.5 a reply")) << text;
  EXPECT_TRUE(absl::StrContains(text, "2 times an error packet")) << text;
}

TEST(LoadResult, JsonHasTheSame) {
  const std::string json = ToJson(Result());
  EXPECT_TRUE(absl::StrContains(json, "\"requests_per_second\": 200.0,")) << json;
  EXPECT_TRUE(absl::StrContains(json, "\"p50_us\": 0.10,")) << json;
  EXPECT_TRUE(absl::StrContains(json, "\"faults\": {\"an error packet\": 2}}")) << json;
}

}  // namespace
}  // namespace septet::bench
