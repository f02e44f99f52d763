#include "bencode/decoder.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace septet::bencode {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

DecoderOptions DecoderOptions::Lenient() {
  DecoderOptions options;
  options.allow_unsorted_keys = true;
  options.allow_leading_zeros = true;
  options.allow_large_integers = true;
  options.allow_trailing_bytes = true;
  return options;
}

std::string DecodeError::Text() const {
  if (expected == nullptr) return "no error";
  return absl::StrCat("byte ", offset, ": expected ", expected);
}

Decoder::Decoder(absl::string_view input, const DecoderOptions& options)
    : input_(input), options_(options) {}

Token Decoder::Next() {
  switch (expect_) {
    case Expect::kNothing:
      return {ok() ? TokenType::kDone : TokenType::kError};
    case Expect::kEndOfInput:
      return ReadEndOfInput();
    case Expect::kKeyOrEnd:
      return ReadKey();
    case Expect::kValue:
    case Expect::kValueOrEnd:
      break;
  }
  const char first = HasBytes() ? input_[at_] : '\0';
  if (IsDigit(first)) return ReadString(TokenType::kString);
  if (first == 'i') return ReadInteger();
  if (first == 'l') return Begin(TokenType::kBeginList);
  if (first == 'd') return Begin(TokenType::kBeginDictionary);
  if (expect_ == Expect::kValue) return Fail(at_, "a value");
  return first == 'e' ? End() : Fail(at_, "a value or 'e'");
}

absl::string_view Decoder::SkipValue() { return SkipRest(Next()); }

absl::string_view Decoder::SkipRest(const Token& first) {
  if (first.type == TokenType::kEnd) return {};
  if (first.type != TokenType::kBeginList && first.type != TokenType::kBeginDictionary) {
    return first.source;
  }
  const size_t outside = depth_ - 1;
  Token token;
  do {
    token = Next();
  } while (depth_ > outside && token.type != TokenType::kError);
  return token.source;
}

// Nothing follows: expect_ never leaves kNothing.
Token Decoder::Fail(size_t offset, const char* expected) {
  error_ = {offset, expected};
  expect_ = Expect::kNothing;
  return {TokenType::kError};
}

Token Decoder::Read(TokenType type, size_t begin) {
  Token token;
  token.type = type;
  token.source = input_.substr(begin, at_ - begin);
  return token;
}

void Decoder::ExpectAfterValue() {
  if (depth_ == 0) {
    expect_ = Expect::kEndOfInput;
  } else {
    expect_ = levels_[depth_ - 1].is_dictionary ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
  }
}

bool Decoder::IsDigitAt(size_t offset) const {
  return offset < input_.size() && IsDigit(input_[offset]);
}

Token Decoder::ReadInteger() {
  const size_t begin = at_;
  const bool is_negative = begin + 1 < input_.size() && input_[begin + 1] == '-';
  const size_t digits = begin + 1 + (is_negative ? 1 : 0);
  if (!IsDigitAt(digits)) return Fail(digits, is_negative ? "a digit" : "a digit or '-'");
  if (input_[digits] == '0' && (is_negative || IsDigitAt(digits + 1)) &&
      !options_.allow_leading_zeros) {
    return Fail(digits, "an integer without leading zeros and without -0");
  }

  int64_t value = 0;
  const std::from_chars_result result =
      std::from_chars(input_.data() + begin + 1, input_.data() + input_.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    if (!options_.allow_large_integers) {
      return Fail(begin, "an integer from -2^63 to 2^63 - 1");
    }
    value = is_negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  const auto end = static_cast<size_t>(result.ptr - input_.data());
  if (end == input_.size() || input_[end] != 'e') return Fail(end, "a digit or 'e'");

  at_ = end + 1;
  ExpectAfterValue();
  Token token = Read(TokenType::kInteger, begin);
  token.integer = value;
  return token;
}

// A digit is at the front.
Token Decoder::ReadString(TokenType type) {
  const size_t begin = at_;
  if (input_[begin] == '0' && IsDigitAt(begin + 1) && !options_.allow_leading_zeros) {
    return Fail(begin, "a length without leading zeros");
  }
  size_t length = 0;
  const std::from_chars_result result =
      std::from_chars(input_.data() + begin, input_.data() + input_.size(), length);
  const auto colon = static_cast<size_t>(result.ptr - input_.data());
  if (colon == input_.size() || input_[colon] != ':') return Fail(colon, "a digit or ':'");

  const bool is_out_of_range = result.ec != std::errc();
  if (is_out_of_range || length > options_.string_bytes_max) {
    return Fail(begin, "a length of at most string_bytes_max");
  }
  const size_t content = colon + 1;
  if (length > input_.size() - content) {
    return Fail(begin, "a length of at most what is left of the input");
  }

  at_ = content + length;
  ExpectAfterValue();
  Token token = Read(type, begin);
  token.string = input_.substr(content, length);
  return token;
}

Token Decoder::ReadKey() {
  if (HasBytes() && input_[at_] == 'e') return End();
  if (!IsDigitAt(at_)) return Fail(at_, "a key, which is a string, or 'e'");
  const size_t begin = at_;
  const Token token = ReadString(TokenType::kKey);
  if (token.type == TokenType::kError) return token;

  Level& level = levels_[depth_ - 1];
  if (level.has_key && !options_.allow_unsorted_keys &&
      token.string <= input_.substr(level.key_begin, level.key_bytes)) {
    return Fail(begin, "a key that is greater, by its bytes, than the one before it");
  }
  level.has_key = true;
  level.key_begin = at_ - token.string.size();
  level.key_bytes = token.string.size();
  expect_ = Expect::kValue;
  return token;
}

Token Decoder::ReadEndOfInput() {
  if (HasBytes() && !options_.allow_trailing_bytes) return Fail(at_, "the end of the input");
  expect_ = Expect::kNothing;
  return {TokenType::kDone};
}

Token Decoder::Begin(TokenType type) {
  if (depth_ >= std::min(options_.depth_max, kDepthMax)) {
    return Fail(at_, "no more than depth_max levels of lists and dictionaries");
  }
  Level& level = levels_[depth_++];
  level.begin = at_++;
  level.is_dictionary = type == TokenType::kBeginDictionary;
  level.has_key = false;
  expect_ = level.is_dictionary ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
  return Read(type, level.begin);
}

Token Decoder::End() {
  const size_t begin = levels_[--depth_].begin;
  ++at_;
  ExpectAfterValue();
  return Read(TokenType::kEnd, begin);
}

DecodeError Check(absl::string_view input, const DecoderOptions& options) {
  Decoder decoder(input, options);
  decoder.SkipValue();
  if (decoder.ok()) decoder.Next();
  return decoder.error();
}

}  // namespace septet::bencode
