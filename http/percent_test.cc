#include "http/percent.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

using absl::string_view;

struct Result {
  std::string hex;
  bool is_broken = false;

  friend bool operator==(const Result&, const Result&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Result& result) {
    return out << result.hex << (result.is_broken ? " broken" : "");
  }
};

Result Decode(string_view text) {
  // Allocations of exactly their sizes, so that a sanitizer sees an access past an end.
  const std::vector<char> in(text.begin(), text.end());
  std::vector<uint8_t> out(text.size());
  const Decoded decoded = PercentDecode(string_view(in.data(), in.size()), out.data(), out.size());
  return {absl::BytesToHexString(string_view(reinterpret_cast<char*>(out.data()), decoded.size)),
          decoded.is_broken};
}

TEST(PercentDecode, EscapesAndWhatStandsForItself) {
  EXPECT_EQ(Decode(""), (Result{""}));
  EXPECT_EQ(Decode("az"), (Result{"617a"}));
  EXPECT_EQ(Decode("%00%7f%80%FF"), (Result{"007f80ff"}));
  EXPECT_EQ(Decode("%aB%Ab"), (Result{"abab"}));
  EXPECT_EQ(Decode("a+b c"), (Result{"612b622063"}));
  EXPECT_EQ(Decode("%25%32%35"), (Result{"253235"}));  // decoded once
  EXPECT_EQ(Decode("%2B+"), (Result{"2b2b"}));
  EXPECT_EQ(Decode("\x01\x80\xff"), (Result{"0180ff"}));
}

TEST(PercentDecode, EveryByteInEitherCase) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string hex = absl::StrCat(absl::Hex(byte, absl::kZeroPad2));
    std::string upper = hex;
    for (char& c : upper) c = c >= 'a' ? static_cast<char>(c - 32) : c;
    EXPECT_EQ(Decode("%" + hex), (Result{hex}));
    EXPECT_EQ(Decode("%" + upper), (Result{hex}));
  }
}

TEST(PercentDecode, ABrokenEscapeStandsForItself) {
  EXPECT_EQ(Decode("%"), (Result{"25", true}));
  EXPECT_EQ(Decode("%1"), (Result{"2531", true}));
  EXPECT_EQ(Decode("%1g"), (Result{"253167", true}));
  EXPECT_EQ(Decode("%g1"), (Result{"256731", true}));
  EXPECT_EQ(Decode("%%41"), (Result{"2541", true}));
  EXPECT_EQ(Decode("%41%"), (Result{"4125", true}));
  EXPECT_EQ(Decode("%/0"), (Result{"252f30", true}));
  EXPECT_EQ(Decode("%:0%@0%G0%`0"), (Result{"253a30254030254730256030", true}));
}

TEST(PercentDecode, HexadecimalDigitsAreTheTwentyTwo) {
  for (int c = 0; c < 256; ++c) {
    const bool is_digit =
        string_view("0123456789abcdefABCDEF").find(static_cast<char>(c)) != string_view::npos;
    EXPECT_EQ(Decode(std::string("%0") + static_cast<char>(c)).is_broken, !is_digit) << c;
    EXPECT_EQ(Decode(std::string("%") + static_cast<char>(c) + "0").is_broken, !is_digit) << c;
  }
}

// Texts of the size of an info-hash and around it are decoded in another way than others.
TEST(PercentDecode, OneEscapeAnywhereInATextOfAnySize) {
  for (size_t size = 3; size <= 70; ++size) {
    for (size_t at = 0; at + 3 <= size; ++at) {
      std::string text(size, 'a');
      text.replace(at, 3, "%e1");
      std::string hex;
      for (size_t i = 0; i < size - 2; ++i) hex += i == at ? "e1" : "61";
      EXPECT_EQ(Decode(text), (Result{hex})) << text;
    }
  }
}

TEST(PercentDecode, OneBrokenEscapeAnywhereInATextOfAnySize) {
  for (size_t size = 3; size <= 70; ++size) {
    for (const string_view broken : {"%e%", "%x1", "%1x", "%%1"}) {
      for (size_t at = 0; at + 3 <= size; ++at) {
        std::string text(size, '.');
        text.replace(at, 3, broken.data(), 3);
        EXPECT_EQ(Decode(text), (Result{absl::BytesToHexString(text), true})) << text;
      }
    }
    for (const string_view tail : {"%", "%1"}) {
      std::string text(size, '.');
      text.replace(size - tail.size(), tail.size(), tail.data(), tail.size());
      EXPECT_EQ(Decode(text), (Result{absl::BytesToHexString(text), true})) << text;
    }
  }
}

TEST(PercentDecode, TwentyBytesHoweverManyAreEscaped) {
  std::string hex;
  for (int i = 0; i < 20; ++i) hex += "41";
  for (int escaped = 0; escaped <= 20; ++escaped) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += i < escaped ? "%41" : "A";
    EXPECT_EQ(Decode(text), (Result{hex})) << text;
  }
}

TEST(PercentDecode, WritesNoMoreThanThereIsRoomAndCountsOn) {
  std::vector<uint8_t> out = {9, 9, 9};
  const Decoded decoded = PercentDecode("a%62cd", out.data(), 2);
  EXPECT_EQ(decoded.size, 4u);
  EXPECT_FALSE(decoded.is_broken);
  EXPECT_EQ(out, (std::vector<uint8_t>{'a', 'b', 9}));
  EXPECT_EQ(PercentDecode("abc", nullptr, 0).size, 3u);
  EXPECT_TRUE(PercentDecode("abc%", nullptr, 0).is_broken);

  std::vector<uint8_t> room(20, 9);
  const std::string twenty_one = "%41" + std::string(20, 'b');
  EXPECT_EQ(PercentDecode(twenty_one, room.data(), room.size()).size, 21u);
  EXPECT_EQ(room.front(), 'A');
  EXPECT_EQ(room.back(), 'b');
}

}  // namespace
}  // namespace septet::http
