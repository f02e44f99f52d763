// The decoder, strict and lenient, and the encoder on what it reads.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bencode/decoder.h"
#include "bencode/encoder.h"

namespace {

using septet::bencode::Decoder;
using septet::bencode::DecoderOptions;
using septet::bencode::Encoder;
using septet::bencode::Token;
using septet::bencode::TokenType;

void Require(bool condition) {
  if (!condition) std::abort();
}

void Write(const Token& token, Encoder* encoder) {
  switch (token.type) {
    case TokenType::kInteger:
      return encoder->Integer(token.integer);
    case TokenType::kString:
      return encoder->String(token.string);
    case TokenType::kListBegin:
      return encoder->BeginList();
    case TokenType::kDictionaryBegin:
      return encoder->BeginDictionary();
    case TokenType::kEnd:
      return encoder->End();
    default:
      return;
  }
}

// Reads all tokens and writes them again. True if the input is accepted.
bool Copy(absl::string_view input, bool lenient, std::vector<char>* copy) {
  DecoderOptions options;
  options.lenient = lenient;
  Decoder decoder(input, options);
  copy->resize(input.size());
  Encoder encoder(absl::MakeSpan(*copy));
  size_t tokens = 0;
  for (;;) {
    const Token token = decoder.Next();
    if (token.type == TokenType::kError) {
      Require(!decoder.error().expected.empty());
      Require(decoder.error().offset <= input.size());
      return false;
    }
    if (token.type == TokenType::kEndOfInput) break;
    Require(++tokens <= input.size());
    Write(token, &encoder);
  }
  // Canonical is never longer than what was read.
  Require(!encoder.overflowed());
  copy->resize(encoder.size());
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<char> strict;
  std::vector<char> lenient;
  const bool is_strict = Copy(input, false, &strict);
  const bool is_lenient = Copy(input, true, &lenient);
  if (is_strict) {
    Require(is_lenient);
    Require(absl::string_view(strict.data(), strict.size()) == input);
    Require(strict == lenient);
    Decoder decoder(input);
    Require(decoder.Skip(decoder.Next()) == input);
  }
  return 0;
}
