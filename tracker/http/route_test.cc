#include "tracker/http/route.h"

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

TEST(RouteTest, IsThatOfTheLastSegment) {
  const struct {
    absl::string_view path;
    Route route;
  } kCases[] = {
      {"/announce", Route::kAnnounce},
      {"/announce/", Route::kAnnounce},
      {"/announce//", Route::kAnnounce},
      {"//announce", Route::kAnnounce},
      {"/x/announce", Route::kAnnounce},
      {"/announce.php", Route::kAnnounce},
      {"/announce ", Route::kAnnounce},
      {"/announce/ ", Route::kAnnounce},
      {"/x/announce1234", Route::kAnnounce},
      {"/scrape", Route::kScrape},
      {"/scrape.php", Route::kScrape},
      {"/x/scrape/", Route::kScrape},
      {"/announce/scrape", Route::kScrape},
      {"", Route::kNone},
      {"/", Route::kNone},
      {"//", Route::kNone},
      {" ", Route::kNone},
      {"announce", Route::kNone},
      {"/announc", Route::kNone},
      {"/Announce", Route::kNone},
      {"/xannounce", Route::kNone},
      {"/announce/x", Route::kNone},
      {"/scrap", Route::kNone},
      {"/favicon.ico", Route::kNone},
  };
  for (const auto& test : kCases) EXPECT_EQ(RouteOf(test.path), test.route) << test.path;
}

}  // namespace
}  // namespace septet::tracker
