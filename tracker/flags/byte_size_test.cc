#include "tracker/flags/byte_size.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

TEST(ByteSizeTest, ParsesAndUnparses) {
  const struct {
    absl::string_view text;
    uint64_t bytes;
    absl::string_view unparsed;
  } kCases[] = {
      {"none", 0, "none"},
      {"0", 0, "none"},
      {"0GiB", 0, "none"},
      {"1", 1, "1"},
      {"1023", 1023, "1023"},
      {"1024", 1024, "1KiB"},
      {"1KiB", 1024, "1KiB"},
      {"1536KiB", 1572864, "1536KiB"},
      {"512MiB", 536870912, "512MiB"},
      {"1024MiB", 1073741824, "1GiB"},
      {"4GiB", 4294967296, "4GiB"},
      {"3TiB", 3298534883328, "3TiB"},
      {"18446744073709551615", UINT64_MAX, "18446744073709551615"},
      {"16777215TiB", 18446742974197923840u, "16777215TiB"},
  };
  for (const auto& test : kCases) {
    ByteSize size{77};
    std::string error;
    EXPECT_TRUE(AbslParseFlag(test.text, &size, &error)) << test.text << ": " << error;
    EXPECT_EQ(size.bytes, test.bytes) << test.text;
    EXPECT_EQ(AbslUnparseFlag(size), test.unparsed) << test.text;
  }
}

TEST(ByteSizeTest, RefusesAllElseAndSaysWhatIsAllowed) {
  for (const absl::string_view text :
       {"", " ", "GiB", "-1", "+1", "1.5GiB", "1GB", "1G", "1 GiB", " 1", "1gib", "0x10", "None",
        "18446744073709551616", "16777216TiB", "1GiBKiB", "1e9"}) {
    ByteSize size{77};
    std::string error;
    EXPECT_FALSE(AbslParseFlag(text, &size, &error)) << text;
    EXPECT_THAT(error, ::testing::HasSubstr("KiB, MiB, GiB")) << text;
    EXPECT_EQ(size.bytes, 77u) << text;
  }
}

}  // namespace
}  // namespace septet::tracker
