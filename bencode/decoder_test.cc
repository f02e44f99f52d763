#include "bencode/decoder.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

std::string Describe(const Token& token) {
  switch (token.type) {
    case TokenType::kError:
      return "error";
    case TokenType::kDone:
      return "done";
    case TokenType::kInteger:
      return absl::StrCat(token.integer);
    case TokenType::kString:
      return absl::StrCat("'", token.string, "'");
    case TokenType::kKey:
      return absl::StrCat(token.string, "=");
    case TokenType::kBeginList:
      return "[";
    case TokenType::kBeginDictionary:
      return "{";
    case TokenType::kEnd:
      return "end";
  }
  return "unknown";
}

// All tokens of the input, such as "{ cow= 'moo' end done".
std::string Tokens(absl::string_view input, const DecoderOptions& options = {}) {
  Decoder decoder(input, options);
  std::string result;
  for (;;) {
    const Token token = decoder.Next();
    result += Describe(token);
    if (token.type == TokenType::kDone || token.type == TokenType::kError) return result;
    result += ' ';
  }
}

std::string ErrorText(absl::string_view input, const DecoderOptions& options = {}) {
  const DecodeError error = Check(input, options);
  return error.expected == nullptr ? "" : error.Text();
}

// The examples of BEP 3.
TEST(Decoder, ReadsTheExamplesOfBep3) {
  EXPECT_EQ(Tokens("4:spam"), "'spam' done");
  EXPECT_EQ(Tokens("i3e"), "3 done");
  EXPECT_EQ(Tokens("i-3e"), "-3 done");
  EXPECT_EQ(Tokens("i0e"), "0 done");
  EXPECT_EQ(Tokens("l4:spam4:eggse"), "[ 'spam' 'eggs' end done");
  EXPECT_EQ(Tokens("d3:cow3:moo4:spam4:eggse"), "{ cow= 'moo' spam= 'eggs' end done");
  EXPECT_EQ(Tokens("d4:spaml1:a1:bee"), "{ spam= [ 'a' 'b' end end done");
}

TEST(Decoder, ReadsEmptyValues) {
  EXPECT_EQ(Tokens("0:"), "'' done");
  EXPECT_EQ(Tokens("le"), "[ end done");
  EXPECT_EQ(Tokens("de"), "{ end done");
  EXPECT_EQ(Tokens("d0:0:e"), "{ = '' end done");
  EXPECT_EQ(Tokens("llededee"), "[ [ end { end { end end done");
}

TEST(Decoder, ReadsNestedValues) {
  EXPECT_EQ(Tokens("d1:ad1:bli1ee1:cl1:x2:yzeee"),
            "{ a= { b= [ 1 end c= [ 'x' 'yz' end end end done");
}

TEST(Decoder, ReadsTheEndsOfTheRangeOfIntegers) {
  EXPECT_EQ(Tokens("i9223372036854775807e"), "9223372036854775807 done");
  EXPECT_EQ(Tokens("i-9223372036854775808e"), "-9223372036854775808 done");
}

TEST(Decoder, StringsAndKeysHoldAnyByte) {
  const std::string bytes(
      "\0\xff"
      "e",
      3);
  Decoder decoder(
      absl::string_view("d3:\0\xff"
                        "e3:\0\xff"
                        "ee",
                        12));
  decoder.Next();
  EXPECT_EQ(decoder.Next().string, bytes);
  EXPECT_EQ(decoder.Next().string, bytes);
}

struct Refused {
  std::string input;
  size_t offset;
  std::string expected;
  std::string lenient;  // the tokens when read leniently
};

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheByteAndWhatIsAllowed) {
  const Refused& refused = GetParam();
  EXPECT_EQ(ErrorText(refused.input),
            absl::StrCat("byte ", refused.offset, ": expected ", refused.expected));
  EXPECT_EQ(Tokens(refused.input, DecoderOptions::Lenient()), refused.lenient);
}

INSTANTIATE_TEST_SUITE_P(Values, Refusals,
                         testing::Values(Refused{"", 0, "a value", "error"},                     //
                                         Refused{"e", 0, "a value", "error"},                    //
                                         Refused{"x", 0, "a value", "error"},                    //
                                         Refused{"-1:a", 0, "a value", "error"},                 //
                                         Refused{" i1e", 0, "a value", "error"},                 //
                                         Refused{std::string(1, '\0'), 0, "a value", "error"},   //
                                         Refused{"l", 1, "a value or 'e'", "[ error"},           //
                                         Refused{"li1e", 4, "a value or 'e'", "[ 1 error"},      //
                                         Refused{"li1ex", 4, "a value or 'e'", "[ 1 error"},     //
                                         Refused{"i1ee", 3, "the end of the input", "1 done"},   //
                                         Refused{"i1e\n", 3, "the end of the input", "1 done"},  //
                                         Refused{"dede", 2, "the end of the input",
                                                 "{ end done"},  //
                                         Refused{"0:0:", 2, "the end of the input", "'' done"}));

INSTANTIATE_TEST_SUITE_P(
    Integers, Refusals,
    testing::Values(
        Refused{"i", 1, "a digit or '-'", "error"},      //
        Refused{"ie", 1, "a digit or '-'", "error"},     //
        Refused{"i+1e", 1, "a digit or '-'", "error"},   //
        Refused{"i 1e", 1, "a digit or '-'", "error"},   //
        Refused{"i-", 2, "a digit", "error"},            //
        Refused{"i-e", 2, "a digit", "error"},           //
        Refused{"i--1e", 2, "a digit", "error"},         //
        Refused{"i1", 2, "a digit or 'e'", "error"},     //
        Refused{"i12 e", 3, "a digit or 'e'", "error"},  //
        Refused{"i1.5e", 2, "a digit or 'e'", "error"},  //
        Refused{"i0x1e", 2, "a digit or 'e'", "error"},  //
        Refused{"i-0e", 2, "an integer without leading zeros and without -0", "0 done"},
        Refused{"i-01e", 2, "an integer without leading zeros and without -0", "-1 done"},
        Refused{"i00e", 1, "an integer without leading zeros and without -0", "0 done"},
        Refused{"i007e", 1, "an integer without leading zeros and without -0", "7 done"},
        Refused{"i9223372036854775808e", 0, "an integer from -2^63 to 2^63 - 1",
                "9223372036854775807 done"},
        Refused{"i-9223372036854775809e", 0, "an integer from -2^63 to 2^63 - 1",
                "-9223372036854775808 done"},
        Refused{"i99999999999999999999999999999999999999999e", 0,
                "an integer from -2^63 to 2^63 - 1", "9223372036854775807 done"},
        Refused{"i-99999999999999999999999999999999999999999", 0,
                "an integer from -2^63 to 2^63 - 1", "error"}));

INSTANTIATE_TEST_SUITE_P(
    Strings, Refusals,
    testing::Values(
        Refused{"1", 1, "a digit or ':'", "error"},     //
        Refused{"1a", 1, "a digit or ':'", "error"},    //
        Refused{"1-:a", 1, "a digit or ':'", "error"},  //
        Refused{"01:a", 0, "a length without leading zeros", "'a' done"},
        Refused{"00:", 0, "a length without leading zeros", "'' done"},
        Refused{"1:", 0, "a length of at most what is left of the input", "error"},
        Refused{"4:spa", 0, "a length of at most what is left of the input", "error"},
        Refused{"l1:a9:b", 4, "a length of at most what is left of the input", "[ 'a' error"},
        Refused{"18446744073709551615:a", 0, "a length of at most what is left of the input",
                "error"},
        Refused{"18446744073709551616:a", 0, "a length of at most string_bytes_max", "error"},
        Refused{"99999999999999999999999:a", 0, "a length of at most string_bytes_max", "error"},
        Refused{"99999999999999999999999", 23, "a digit or ':'", "error"}));

INSTANTIATE_TEST_SUITE_P(
    Dictionaries, Refusals,
    testing::Values(
        Refused{"d", 1, "a key, which is a string, or 'e'", "{ error"},
        Refused{"di1ei2ee", 1, "a key, which is a string, or 'e'", "{ error"},
        Refused{"dlei2ee", 1, "a key, which is a string, or 'e'", "{ error"},
        Refused{"d1:a", 4, "a value", "{ a= error"},   //
        Refused{"d1:ae", 4, "a value", "{ a= error"},  //
        Refused{"d1:ai1e", 7, "a key, which is a string, or 'e'", "{ a= 1 error"},
        Refused{"d1:ai1ei2ee", 7, "a key, which is a string, or 'e'", "{ a= 1 error"},
        Refused{"d1:bi1e1:ai2ee", 7, "a key that is greater, by its bytes, than the one before it",
                "{ b= 1 a= 2 end done"},
        Refused{"d1:ai1e1:ai2ee", 7, "a key that is greater, by its bytes, than the one before it",
                "{ a= 1 a= 2 end done"},
        Refused{"d2:aai1e1:ai2ee", 8, "a key that is greater, by its bytes, than the one before it",
                "{ aa= 1 a= 2 end done"},
        Refused{"d0:i1e0:i2ee", 6, "a key that is greater, by its bytes, than the one before it",
                "{ = 1 = 2 end done"},
        Refused{"d1:\xff"
                "i1e1:ai2ee",
                7, "a key that is greater, by its bytes, than the one before it",
                "{ \xff= 1 a= 2 end done"}));

TEST(Decoder, KeysAreSortedByBytes) {
  EXPECT_EQ(ErrorText("d0:i1e1:Ai2e1:ai3e2:aai4e2:abi5e1:bi6e1:\xffi7ee"), "");
}

// The order of keys is that of one dictionary: those inside and beside it do not count.
TEST(Decoder, EachDictionaryHasItsOwnOrder) {
  EXPECT_EQ(ErrorText("d1:bd1:ai1ee1:cd1:ai1eee"), "");
  EXPECT_EQ(ErrorText("ld1:bi1eed1:ai1eee"), "");
  EXPECT_NE(ErrorText("d1:bd1:zi1ee1:ai1ee"), "");
}

TEST(Decoder, EachLeniencyIsAnOptionOfItsOwn) {
  DecoderOptions unsorted;
  unsorted.allow_unsorted_keys = true;
  DecoderOptions zeros;
  zeros.allow_leading_zeros = true;
  DecoderOptions large;
  large.allow_large_integers = true;
  DecoderOptions trailing;
  trailing.allow_trailing_bytes = true;
  const DecoderOptions options[] = {unsorted, zeros, large, trailing};
  const absl::string_view inputs[] = {"d1:b0:1:a0:e", "i01e", "i9223372036854775808e", "0:x"};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(ErrorText(inputs[j], options[i]) == "", i == j) << i << " " << inputs[j];
    }
  }
}

TEST(Decoder, SourceIsTheBytesOfEachToken) {
  Decoder decoder("d3:cowli-5e2:eee1:xi007ee", DecoderOptions::Lenient());
  const absl::string_view sources[] = {
      "d", "3:cow", "l", "i-5e", "2:ee", "li-5e2:eee", "1:x", "i007e", "d3:cowli-5e2:eee1:xi007ee",
  };
  for (const absl::string_view source : sources) EXPECT_EQ(decoder.Next().source, source);
  EXPECT_EQ(decoder.Next().type, TokenType::kDone);
  EXPECT_EQ(decoder.offset(), 25u);
}

TEST(Decoder, SourceOfALargeIntegerHasAllDigits) {
  Decoder decoder("i18446744073709551615e", DecoderOptions::Lenient());
  EXPECT_EQ(decoder.Next().source, "i18446744073709551615e");
}

TEST(Decoder, TokensAreViewsOfTheInput) {
  const std::string input = "d3:cow3:mooe";
  Decoder decoder(input);
  decoder.Next();
  EXPECT_EQ(decoder.Next().string.data(), input.data() + 3);
  EXPECT_EQ(decoder.Next().string.data(), input.data() + 8);
  EXPECT_EQ(decoder.Next().source.data(), input.data());
}

TEST(Decoder, OffsetAndDepthFollowTheTokens) {
  Decoder decoder("d1:ali1eee");
  const size_t offsets[] = {1, 4, 5, 8, 9, 10};
  const size_t depths[] = {1, 1, 2, 2, 1, 0};
  for (int i = 0; i < 6; ++i) {
    decoder.Next();
    EXPECT_EQ(decoder.offset(), offsets[i]) << i;
    EXPECT_EQ(decoder.depth(), depths[i]) << i;
  }
}

TEST(Decoder, TheLastTokenIsRepeated) {
  Decoder done("i1e");
  done.Next();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(done.Next().type, TokenType::kDone);
  EXPECT_TRUE(done.ok());

  Decoder failed("lx");
  failed.Next();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(failed.Next().type, TokenType::kError);
    EXPECT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().offset, 1u);
  }
}

TEST(Decoder, BytesAfterTheValueShowInTheTokenAfterIt) {
  Decoder decoder("i1ex");
  EXPECT_EQ(decoder.Next().type, TokenType::kInteger);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.Next().type, TokenType::kError);
}

TEST(Decoder, SkipValueReturnsTheWholeValue) {
  Decoder decoder("d1:al1:bd1:ci1eee1:di5e1:e2:xye");
  decoder.Next();
  const absl::string_view values[] = {"l1:bd1:ci1eee", "i5e", "2:xy"};
  for (const absl::string_view value : values) {
    EXPECT_EQ(decoder.Next().type, TokenType::kKey);
    EXPECT_EQ(decoder.SkipValue(), value);
    EXPECT_EQ(decoder.depth(), 1u);
  }
  EXPECT_EQ(decoder.Next().type, TokenType::kEnd);
  EXPECT_EQ(decoder.Next().type, TokenType::kDone);
}

TEST(Decoder, SkipValueVisitsAList) {
  Decoder decoder("li1ele2:abd1:a0:ee");
  decoder.Next();
  std::vector<std::string> values;
  for (absl::string_view value = decoder.SkipValue(); !value.empty(); value = decoder.SkipValue()) {
    values.emplace_back(value);
  }
  EXPECT_EQ(values, (std::vector<std::string>{"i1e", "le", "2:ab", "d1:a0:e"}));
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.Next().type, TokenType::kDone);
}

TEST(Decoder, SkipValueIsEmptyAtAnError) {
  Decoder decoder("ll1:ax");
  decoder.Next();
  EXPECT_EQ(decoder.SkipValue(), "");
  EXPECT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.error().offset, 5u);
  EXPECT_EQ(decoder.SkipValue(), "");
}

TEST(Decoder, SkipRestLeavesTheValueThatATokenBegan) {
  Decoder decoder("ll1:ai2ee1:be");
  decoder.Next();
  const Token list = decoder.Next();
  EXPECT_EQ(decoder.SkipRest(list), "l1:ai2ee");
  const Token string = decoder.Next();
  EXPECT_EQ(decoder.SkipRest(string), "1:b");
  const Token end = decoder.Next();
  EXPECT_EQ(end.source, "ll1:ai2ee1:be");
  EXPECT_EQ(decoder.SkipRest(end), "");
}

std::string Nested(size_t depth) { return std::string(depth, 'l') + std::string(depth, 'e'); }

TEST(Decoder, DepthIsLimited) {
  EXPECT_EQ(ErrorText(Nested(kDepthMax)), "");
  EXPECT_EQ(ErrorText(Nested(kDepthMax + 1)),
            absl::StrCat("byte ", kDepthMax,
                         ": expected no more than depth_max levels of lists and dictionaries"));
  EXPECT_EQ(Check(std::string(10'000'000, 'l')).offset, kDepthMax);
  EXPECT_EQ(Check(std::string(10'000'000, 'd')).offset, 1u);

  DecoderOptions options;
  options.depth_max = 2;
  EXPECT_EQ(ErrorText(Nested(2), options), "");
  EXPECT_EQ(Check(Nested(3), options).offset, 2u);
  EXPECT_EQ(ErrorText("lleled1:aleee", options),
            "byte 9: expected no more than depth_max levels of lists and dictionaries");
  options.depth_max = 0;
  EXPECT_EQ(ErrorText("i1e", options), "");
  EXPECT_EQ(Check("le", options).offset, 0u);
  options.depth_max = kNoLimit;
  EXPECT_EQ(ErrorText(Nested(kDepthMax), options), "");
  EXPECT_EQ(Check(Nested(kDepthMax + 1), options).offset, kDepthMax);
}

TEST(Decoder, WidthIsNotLimited) {
  std::string input = "l";
  for (int i = 0; i < 100'000; ++i) input += "le";
  EXPECT_EQ(ErrorText(input + "e"), "");
}

TEST(Decoder, StringBytesAreLimited) {
  DecoderOptions options;
  options.string_bytes_max = 3;
  EXPECT_EQ(ErrorText("d3:abc3:xyze", options), "");
  EXPECT_EQ(ErrorText("l4:abcde", options),
            "byte 1: expected a length of at most string_bytes_max");
  EXPECT_EQ(ErrorText("d4:abcd0:e", options),
            "byte 1: expected a length of at most string_bytes_max");
}

TEST(DecodeError, SaysWhenThereIsNone) { EXPECT_EQ(DecodeError().Text(), "no error"); }

}  // namespace
}  // namespace septet::bencode
