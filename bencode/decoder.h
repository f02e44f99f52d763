// Reading bencoding (BEP 3): a pull parser over bytes of the caller's.
//
// It copies and allocates nothing and does not recurse: strings are views into the input,
// nesting is counted. For every value the exact bytes that it was written as can be had,
// which is what an info-hash is made from.

#ifndef SEPTET_BENCODE_DECODER_H_
#define SEPTET_BENCODE_DECODER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::bencode {

enum class TokenType : uint8_t {
  kInteger,
  kString,  // also the keys of dictionaries
  kListBegin,
  kDictionaryBegin,
  kEnd,         // of the innermost list or dictionary
  kEndOfInput,  // the value is complete
  kError,
};

struct Token {
  TokenType type = TokenType::kError;
  int64_t integer = 0;
  absl::string_view string;
  size_t begin = 0;  // offset of the token's first byte in the input
  bool is_key = false;
};

struct DecoderOptions {
  // Accepts what BEP 3 forbids and sloppy writers write: keys out of order or twice,
  // leading zeros and "-0", bytes after the value.
  bool lenient = false;
  // Lists and dictionaries within each other; 1 to Decoder::kDepthLimit.
  size_t depth_max = 64;
  size_t string_bytes_max = SIZE_MAX;
};

struct DecodeError {
  size_t offset = 0;           // of the byte at which the fault was seen
  absl::string_view expected;  // what should have been there; empty: no error
};

//   Decoder decoder("d3:agei7ee");
//   for (Token t = decoder.Next(); t.type != TokenType::kEndOfInput; t = decoder.Next()) {
//     if (t.type == TokenType::kError) return decoder.error();
//     ...
//   }
//
// Integers that do not fit in 64 bits with a sign are errors. Not thread-safe.
class Decoder {
 public:
  static constexpr size_t kDepthLimit = 64;

  // The input must outlive the decoder and the tokens.
  explicit Decoder(absl::string_view input, const DecoderOptions& options = {});

  // The next token. After kError and kEndOfInput it is returned again and again.
  // Cost: linear in the token's bytes.
  Token Next();

  // Reads the rest of the value that `token`, the last one, began: to the matching kEnd
  // of a list or dictionary, nothing for others. Returns the bytes of the whole value,
  // from the input; empty after an error.
  absl::string_view Skip(const Token& token);

  const DecodeError& error() const { return error_; }
  size_t offset() const { return at_; }

 private:
  struct Level {
    bool is_dictionary = false;
    bool expects_value = false;  // the key was read
    bool has_key = false;
    absl::string_view last_key;
  };

  Token Fail(size_t offset, absl::string_view expected);
  Token Finish();
  Token ReadInteger();
  Token ReadString();
  Token Open(TokenType type);
  Token Close();
  bool TakeKey(Token* token);
  Token Emit(Token token);

  const absl::string_view input_;
  const DecoderOptions options_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool is_complete_ = false;
  std::array<Level, kDepthLimit> levels_;
  DecodeError error_;
};

// Whether `input` is one value, and what is wrong if not.
DecodeError Check(absl::string_view input, const DecoderOptions& options = {});

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_DECODER_H_
