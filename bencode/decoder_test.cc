#include "bencode/decoder.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

using absl::string_view;

// The tokens in a form that is easy to read: 7 "abc" [ ] { } and ! for an error.
std::string Tokens(string_view input, const DecoderOptions& options = {}) {
  Decoder decoder(input, options);
  std::string text;
  for (;;) {
    const Token token = decoder.Next();
    switch (token.type) {
      case TokenType::kInteger:
        absl::StrAppend(&text, token.integer, " ");
        break;
      case TokenType::kString:
        absl::StrAppend(&text, "\"", token.string, "\"", token.is_key ? ": " : " ");
        break;
      case TokenType::kListBegin:
        absl::StrAppend(&text, "[ ");
        break;
      case TokenType::kDictionaryBegin:
        absl::StrAppend(&text, "{ ");
        break;
      case TokenType::kEnd:
        absl::StrAppend(&text, "end ");
        break;
      case TokenType::kEndOfInput:
        return text;
      case TokenType::kError:
        EXPECT_EQ(decoder.Next().type, TokenType::kError);
        return absl::StrCat(text, "error at ", decoder.error().offset);
    }
  }
}

TEST(Decoder, ReadsTheExamplesOfTheBep) {
  EXPECT_EQ(Tokens("4:spam"), "\"spam\" ");
  EXPECT_EQ(Tokens("0:"), "\"\" ");
  EXPECT_EQ(Tokens("i3e"), "3 ");
  EXPECT_EQ(Tokens("i-3e"), "-3 ");
  EXPECT_EQ(Tokens("i0e"), "0 ");
  EXPECT_EQ(Tokens("l4:spam4:eggse"), "[ \"spam\" \"eggs\" end ");
  EXPECT_EQ(Tokens("d3:cow3:moo4:spam4:eggse"), "{ \"cow\": \"moo\" \"spam\": \"eggs\" end ");
  EXPECT_EQ(Tokens("d4:spaml1:a1:bee"), "{ \"spam\": [ \"a\" \"b\" end end ");
}

TEST(Decoder, KnowsKeysFromValuesAtEveryDepth) {
  EXPECT_EQ(Tokens("d1:ad1:bi1e1:c0:e1:d2:xye"),
            "{ \"a\": { \"b\": 1 \"c\": \"\" end \"d\": \"xy\" end ");
  EXPECT_EQ(Tokens("ld1:a1:aed1:a1:aee"), "[ { \"a\": \"a\" end { \"a\": \"a\" end end ");
  EXPECT_EQ(Tokens("d1:ale1:bdee"), "{ \"a\": [ end \"b\": { end end ");
}

TEST(Decoder, ReadsTheWholeRangeOfIntegers) {
  EXPECT_EQ(Tokens("i9223372036854775807e"), "9223372036854775807 ");
  EXPECT_EQ(Tokens("i-9223372036854775808e"), "-9223372036854775808 ");
  EXPECT_EQ(Tokens("i9223372036854775808e"), "error at 19");
  EXPECT_EQ(Tokens("i-9223372036854775809e"), "error at 20");
  EXPECT_EQ(Tokens("i99999999999999999999999e"), "error at 19");
}

struct Fault {
  const char* input;
  size_t offset;
  bool lenient_accepts;
};

TEST(Decoder, NamesTheOffsetOfAFault) {
  constexpr Fault kFaults[] = {
      {"", 0, false},
      {"x", 0, false},
      {"e", 0, false},
      {"i", 1, false},
      {"ie", 1, false},
      {"i-e", 2, false},
      {"i1", 2, false},
      {"i1x", 2, false},
      {"i+1e", 1, false},
      {"i 1e", 1, false},
      {"i1.5e", 2, false},
      {"i01e", 1, true},
      {"i00e", 1, true},
      {"i-0e", 2, true},
      {"i-01e", 2, true},
      {"1", 1, false},
      {"1:", 2, false},
      {"2:a", 2, false},
      {"01:a", 0, true},
      {"1a", 1, false},
      {"-1:a", 0, false},
      {"18446744073709551616:a", 19, false},
      {"18446744073709551615:a", 21, false},
      {"l", 1, false},
      {"li1e", 4, false},
      {"d", 1, false},
      {"di1ei2ee", 1, false},
      {"dlei1ee", 1, false},
      {"d1:ae", 4, false},
      {"d1:a", 4, false},
      {"d1:a1:b", 7, false},
      {"d1:bi1e1:ai2ee", 7, true},
      {"d1:ai1e1:ai2ee", 7, true},
      {"i1ei2e", 3, true},
      {"4:spam ", 6, true},
      {"lee", 2, true},
  };
  DecoderOptions lenient;
  lenient.lenient = true;
  for (const Fault& fault : kFaults) {
    const DecodeError error = Check(fault.input);
    EXPECT_FALSE(error.expected.empty()) << fault.input;
    EXPECT_EQ(error.offset, fault.offset) << fault.input << ": " << error.expected;
    EXPECT_EQ(Check(fault.input, lenient).expected.empty(), fault.lenient_accepts) << fault.input;
  }
}

TEST(Decoder, LimitsDepthAndLength) {
  const std::string deep(64, 'l');
  const std::string ends(64, 'e');
  EXPECT_TRUE(Check(deep + ends).expected.empty());
  EXPECT_EQ(Check("l" + deep + ends + "e").offset, 64u);
  // However deep the input is, it is looked at no further.
  EXPECT_EQ(Check(std::string(1'000'000, 'l')).offset, 64u);
  DecoderOptions options;
  options.depth_max = 1;
  EXPECT_TRUE(Check("li1ee", options).expected.empty());
  EXPECT_EQ(Check("llee", options).offset, 1u);
  options.string_bytes_max = 3;
  EXPECT_TRUE(Check("3:abc", options).expected.empty());
  EXPECT_EQ(Check("4:abcd", options).offset, 0u);
}

TEST(Decoder, SkipReturnsExactlyTheBytesOfAValue) {
  Decoder decoder("d4:infod1:ali1ei2ee1:b0:e1:zi9ee");
  EXPECT_EQ(decoder.Next().type, TokenType::kDictionaryBegin);
  const Token key = decoder.Next();
  EXPECT_EQ(decoder.Skip(key), "4:info");
  EXPECT_EQ(decoder.Skip(decoder.Next()), "d1:ali1ei2ee1:b0:e");
  EXPECT_EQ(decoder.Next().string, "z");
  EXPECT_EQ(decoder.Skip(decoder.Next()), "i9e");
  EXPECT_EQ(decoder.Next().type, TokenType::kEnd);
  EXPECT_EQ(decoder.Next().type, TokenType::kEndOfInput);
}

TEST(Decoder, SkipOfABrokenValueIsEmpty) {
  Decoder decoder("dli1e");
  EXPECT_EQ(decoder.Skip(decoder.Next()), "");
  EXPECT_EQ(decoder.error().offset, 1u);
}

}  // namespace
}  // namespace septet::bencode
