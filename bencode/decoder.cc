#include "bencode/decoder.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace septet::bencode {
namespace {

using absl::string_view;

// Appends a digit to a magnitude, unless it passes `max`.
bool AppendDigit(char digit, uint64_t max, uint64_t* magnitude) {
  const auto value = static_cast<uint64_t>(digit - '0');
  if (*magnitude > (max - value) / 10) return false;
  *magnitude = *magnitude * 10 + value;
  return true;
}

}  // namespace

Decoder::Decoder(string_view input, const DecoderOptions& options)
    : input_(input), options_(options) {}

Token Decoder::Fail(size_t offset, string_view expected) {
  if (error_.expected.empty()) error_ = {offset, expected};
  Token token;
  token.begin = offset;
  return token;
}

Token Decoder::Next() {
  if (!error_.expected.empty()) return Fail(at_, error_.expected);
  if (is_complete_) return Finish();
  if (at_ == input_.size()) return Fail(at_, "more bytes: the input ends within a value");
  const char c = input_[at_];
  if (c == 'e') return Close();
  const bool expects_key =
      depth_ > 0 && levels_[depth_ - 1].is_dictionary && !levels_[depth_ - 1].expects_value;
  if (absl::ascii_isdigit(c)) return ReadString();
  if (expects_key) return Fail(at_, "a string as key, or 'e'");
  if (c == 'i') return ReadInteger();
  if (c == 'l') return Open(TokenType::kListBegin);
  if (c == 'd') return Open(TokenType::kDictionaryBegin);
  return Fail(at_, "a value: a digit, 'i', 'l' or 'd'");
}

Token Decoder::Finish() {
  if (at_ < input_.size() && !options_.lenient) return Fail(at_, "nothing after the value");
  Token token;
  token.type = TokenType::kEndOfInput;
  token.begin = at_;
  return token;
}

// Puts a token that is a whole value, or opens or closes one, into its place.
Token Decoder::Emit(Token token) {
  if (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.is_dictionary) {
      if (!level.expects_value && !TakeKey(&token)) return Fail(token.begin, error_.expected);
      level.expects_value = token.is_key;
    }
  } else {
    is_complete_ = true;
  }
  return token;
}

bool Decoder::TakeKey(Token* token) {
  Level& level = levels_[depth_ - 1];
  if (!options_.lenient && level.has_key && token->string <= level.last_key) {
    error_ = {token->begin, "a key after the one before it, in the order of their bytes"};
    return false;
  }
  level.has_key = true;
  level.last_key = token->string;
  token->is_key = true;
  return true;
}

Token Decoder::ReadInteger() {
  Token token;
  token.type = TokenType::kInteger;
  token.begin = at_;
  size_t at = at_ + 1;
  const bool is_negative = at < input_.size() && input_[at] == '-';
  if (is_negative) ++at;
  const uint64_t max = static_cast<uint64_t>(INT64_MAX) + (is_negative ? 1 : 0);
  const size_t digits_begin = at;
  uint64_t magnitude = 0;
  for (; at < input_.size() && absl::ascii_isdigit(input_[at]); ++at) {
    if (!AppendDigit(input_[at], max, &magnitude)) {
      return Fail(at, "an integer that fits in 64 bits with a sign");
    }
  }
  const size_t digits = at - digits_begin;
  if (digits == 0) return Fail(at, "a digit of an integer");
  if (!options_.lenient && input_[digits_begin] == '0' && (digits > 1 || is_negative)) {
    return Fail(digits_begin, "an integer without leading zeros");
  }
  if (at == input_.size() || input_[at] != 'e') return Fail(at, "'e' after an integer");
  token.integer = static_cast<int64_t>(is_negative ? 0 - magnitude : magnitude);
  at_ = at + 1;
  return Emit(token);
}

Token Decoder::ReadString() {
  Token token;
  token.type = TokenType::kString;
  token.begin = at_;
  size_t at = at_;
  uint64_t size = 0;
  for (; at < input_.size() && absl::ascii_isdigit(input_[at]); ++at) {
    if (!AppendDigit(input_[at], UINT64_MAX, &size)) return Fail(at, "a shorter string");
  }
  if (!options_.lenient && input_[at_] == '0' && at - at_ > 1) {
    return Fail(at_, "a string's length without leading zeros");
  }
  if (at == input_.size() || input_[at] != ':') return Fail(at, "':' after a string's length");
  ++at;
  if (size > options_.string_bytes_max) return Fail(at_, "a string within the limit of length");
  if (size > input_.size() - at) return Fail(at, "as many bytes as the string's length says");
  token.string = input_.substr(at, static_cast<size_t>(size));
  at_ = at + static_cast<size_t>(size);
  return Emit(token);
}

Token Decoder::Open(TokenType type) {
  if (depth_ >= std::min(options_.depth_max, kDepthLimit)) {
    return Fail(at_, "fewer lists and dictionaries within each other");
  }
  Token token;
  token.type = type;
  token.begin = at_++;
  if (depth_ > 0) levels_[depth_ - 1].expects_value = false;
  levels_[depth_] = Level{};
  levels_[depth_].is_dictionary = type == TokenType::kDictionaryBegin;
  ++depth_;
  return token;
}

Token Decoder::Close() {
  if (depth_ == 0) return Fail(at_, "a value: a digit, 'i', 'l' or 'd'");
  if (levels_[depth_ - 1].expects_value) return Fail(at_, "the value of a key");
  Token token;
  token.type = TokenType::kEnd;
  token.begin = at_++;
  --depth_;
  is_complete_ = depth_ == 0;
  return token;
}

string_view Decoder::Skip(const Token& token) {
  const bool opens =
      token.type == TokenType::kListBegin || token.type == TokenType::kDictionaryBegin;
  if (opens) {
    const size_t outer = depth_ - 1;
    while (depth_ > outer) {
      if (Next().type == TokenType::kError) return {};
    }
  }
  if (token.type == TokenType::kError) return {};
  return input_.substr(token.begin, at_ - token.begin);
}

DecodeError Check(string_view input, const DecoderOptions& options) {
  Decoder decoder(input, options);
  for (;;) {
    const Token token = decoder.Next();
    if (token.type == TokenType::kEndOfInput || token.type == TokenType::kError) {
      return decoder.error();
    }
  }
}

}  // namespace septet::bencode
