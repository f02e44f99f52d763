#include "tracker/access/hash_list.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kA = "0123456789abcdefABCDEF0123456789abcdef01";
constexpr InfoHash kAHash = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xab, 0xcd,
                             0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01};
// Of version 2: the first 40 digits are kA's.
constexpr absl::string_view kV2 =
    "0123456789abcdefABCDEF0123456789abcdef0123456789abcdefABCDEF0123";

std::vector<InfoHash> Parse(absl::string_view text) {
  const auto hashes = ParseHashList(text);
  EXPECT_TRUE(hashes.ok()) << hashes.status();
  return hashes.ok() ? *hashes : std::vector<InfoHash>{};
}

TEST(HashList, LinesOfHashesAndWhatIsSkipped) {
  const std::vector<InfoHash> one = {kAHash};
  EXPECT_EQ(Parse(""), std::vector<InfoHash>{});
  EXPECT_EQ(Parse("\n\r\n  \t\n# a comment\n  # another"), std::vector<InfoHash>{});
  EXPECT_EQ(Parse(kA), one);
  EXPECT_EQ(Parse(absl::StrCat(kA, "\n")), one);
  EXPECT_EQ(Parse(absl::StrCat(kA, "\r\n")), one);
  EXPECT_EQ(Parse(absl::StrCat(" \t", kA, "  # Debian 12\n")), one);
  EXPECT_EQ(Parse(absl::StrCat(kA, "#Debian 12")), one);
  EXPECT_EQ(Parse(absl::StrCat("\xef\xbb\xbf", kA)), one);
  EXPECT_EQ(Parse(kV2), one);
}

TEST(HashList, KeepsTheOrderAndDuplicates) {
  InfoHash zeros{};
  EXPECT_EQ(Parse(absl::StrCat(std::string(40, '0'), "\n", kA, "\n\n", kA)),
            (std::vector<InfoHash>{zeros, kAHash, kAHash}));
}

TEST(HashList, AWrongLineIsNamedWithWhatIsAllowed) {
  const struct {
    std::string text;
    absl::string_view named;
  } kCases[] = {
      {"x", "line 1: 'x': allowed: the 40 hexadecimal digits"},
      {absl::StrCat("# c\n\n", kA, "\nabc\n"), "line 4: 'abc'"},
      {absl::StrCat(kA, "0"), "line 1: '0123"},
      {std::string(kA.substr(1)), "line 1: '123"},
      {absl::StrCat(kA, " ", kA), "line 1: "},
      {absl::StrCat(kA.substr(1), "g"), "line 1: "},
      {absl::StrCat("g", kA.substr(1)), "line 1: "},
      {absl::StrCat(kV2.substr(1), "g"), "line 1: "},
      {std::string("\0", 1), "line 1: '\\x00'"},
      {"\xff\xfe", "line 1: '\\xff\\xfe'"},
      {std::string(100, 'a'), "aaa...': allowed"},
      // The mark of a byte order stands at the start only.
      {absl::StrCat("\n\xef\xbb\xbf", kA), "line 2: "},
  };
  for (const auto& test : kCases) {
    const auto hashes = ParseHashList(test.text);
    ASSERT_FALSE(hashes.ok()) << test.text;
    EXPECT_TRUE(absl::StrContains(hashes.status().message(), test.named)) << hashes.status();
  }
}

}  // namespace
}  // namespace septet::tracker
