#include "bencode/encoder.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

std::string Encode(const std::function<void(Encoder&)>& write, size_t room = 1024) {
  std::vector<char> out(room);
  Encoder encoder(absl::MakeSpan(out));
  write(encoder);
  EXPECT_LE(encoder.size(), room);
  return encoder.overflowed() ? "overflowed" : std::string(out.data(), encoder.size());
}

TEST(Encoder, WritesTheExamplesOfTheBep) {
  EXPECT_EQ(Encode([](Encoder& e) { e.String("spam"); }), "4:spam");
  EXPECT_EQ(Encode([](Encoder& e) { e.String(""); }), "0:");
  EXPECT_EQ(Encode([](Encoder& e) { e.Integer(-3); }), "i-3e");
  EXPECT_EQ(Encode([](Encoder& e) {
              e.BeginDictionary();
              e.Key("cow");
              e.String("moo");
              e.Key("spam");
              e.BeginList();
              e.String("a");
              e.String("b");
              e.End();
              e.End();
            }),
            "d3:cow3:moo4:spaml1:a1:bee");
}

TEST(Encoder, WritesTheWholeRangeOfIntegers) {
  EXPECT_EQ(Encode([](Encoder& e) { e.Integer(0); }), "i0e");
  EXPECT_EQ(Encode([](Encoder& e) { e.Integer(INT64_MIN); }), "i-9223372036854775808e");
  EXPECT_EQ(Encode([](Encoder& e) { e.Integer(INT64_MAX); }), "i9223372036854775807e");
  EXPECT_EQ(Encode([](Encoder& e) { e.Unsigned(UINT64_MAX); }), "i18446744073709551615e");
}

TEST(Encoder, StringsMayBeFilledInByTheCaller) {
  EXPECT_EQ(Encode([](Encoder& e) { std::memcpy(e.StringSpace(3), "xyz", 3); }), "3:xyz");
  EXPECT_EQ(Encode([](Encoder& e) { EXPECT_NE(e.StringSpace(0), nullptr); }), "0:");
}

TEST(Encoder, WritesNothingPastTheEndAndSaysSo) {
  const auto write = [](Encoder& e) {
    e.BeginList();
    e.Integer(12);
    e.String("abc");
    e.Raw("i7e");
    e.End();
  };
  const std::string whole = Encode(write);
  EXPECT_EQ(whole, "li12e3:abci7ee");
  // A room of every size: exact ones are an allocation whose end a sanitizer watches.
  for (size_t room = 0; room < whole.size(); ++room) {
    EXPECT_EQ(Encode(write, room), "overflowed") << room;
  }
  EXPECT_EQ(Encode(write, whole.size()), whole);
}

TEST(Encoder, OverflowSticks) {
  char out[4];
  Encoder encoder(absl::MakeSpan(out));
  encoder.String("too long");
  encoder.String("");
  EXPECT_TRUE(encoder.overflowed());
  EXPECT_EQ(encoder.size(), 0u);
  EXPECT_EQ(encoder.StringSpace(SIZE_MAX), nullptr);
  EXPECT_EQ(encoder.StringSpace(0), nullptr);
}

}  // namespace
}  // namespace septet::bencode
