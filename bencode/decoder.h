// Reads bencoding (BEP 3) where it lies: a pull parser without a copy, without allocation
// and without recursion. To write, see bencode/encoder.h.

#ifndef SEPTET_BENCODE_DECODER_H_
#define SEPTET_BENCODE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"

namespace septet::bencode {

// The greatest depth_max. Trackers' replies nest three deep; the `file tree` of a v2 torrent
// adds two levels to the folders of the longest path in it.
inline constexpr size_t kDepthMax = 128;

// Strict unless said otherwise: then there is exactly one encoding for a value, so that what
// is accepted, decoded and encoded again gives the same bytes.
struct DecoderOptions {
  // Keys of a dictionary in any order, and more than once: each is given as it comes.
  bool allow_unsorted_keys = false;
  // i007e, i-0e and 03:abc.
  bool allow_leading_zeros = false;
  // An integer outside int64_t is given as the nearest that is inside, instead of an error.
  // Token::source has all of its digits.
  bool allow_large_integers = false;
  // Bytes after the value; offset() says where they begin.
  bool allow_trailing_bytes = false;

  // Lists and dictionaries within each other; over kDepthMax means kDepthMax.
  size_t depth_max = kDepthMax;
  // For one string or key. No string is longer than what is left of the input, which is the
  // limit that counts where a string is only looked at.
  size_t string_bytes_max = std::numeric_limits<size_t>::max();

  // What files and programs in the field need.
  static DecoderOptions Lenient();
};

enum class TokenType : uint8_t {
  kError,  // see Decoder::error(); there is nothing more
  kDone,   // the value is complete; there is nothing more
  kInteger,
  kString,
  kKey,  // of a dictionary; its value comes next
  kBeginList,
  kBeginDictionary,
  kEnd,  // of the list or dictionary begun last
};

struct Token {
  TokenType type = TokenType::kError;
  int64_t integer = 0;       // of kInteger
  absl::string_view string;  // of kString and kKey: the content
  // The bytes of the input that the token was read from. At kEnd these are all bytes of
  // the list or dictionary, from its `l` or `d` to its `e`.
  absl::string_view source;
};

// What is wrong, and where. Not an absl::Status, because that would allocate its message:
// input that is refused costs no more than input that is accepted.
struct DecodeError {
  size_t offset = 0;               // into the input; its size if the input ends too early
  const char* expected = nullptr;  // a literal, such as "a digit or 'e'"; null: no error

  // "byte 17: expected a digit or 'e'"
  std::string Text() const;
};

// One value, token by token:
//
//   Decoder decoder("d8:intervali1800ee");
//   for (Token token = decoder.Next(); token.type != TokenType::kDone; token = decoder.Next()) {
//     if (token.type == TokenType::kError) return decoder.error().Text();
//     ...                            // kBeginDictionary, kKey, kInteger, kEnd
//   }
//
// Tokens are views of the input, which must outlive them. Any input ends in kDone or kError
// after at most one token a byte. The time is linear in the bytes of the input, of which those
// within strings are not even looked at, unless they are keys. The decoder itself takes about
// 4 KiB, usually of the stack. Not thread-safe.
class Decoder {
 public:
  explicit Decoder(absl::string_view input, const DecoderOptions& options = {});

  // Many bytes to copy: pass a pointer.
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // At the end of the value: kDone or kError, again and again. The value counts as read
  // only when kDone came: until then there may be bytes after it.
  Token Next();

  // Reads the next value, whatever is in it, and returns its bytes, ready to be decoded by
  // themselves or to be hashed. Empty at an error, at the end of the list or dictionary,
  // which then is read, and at kDone: so it visits a list in a loop. At a key it reads the
  // key alone.
  absl::string_view SkipValue();

  // Reads the rest of the value that `first` began, and returns all of its bytes; empty at
  // an error. `first` is the token that Next() gave last.
  absl::string_view SkipRest(const Token& first);

  bool ok() const { return error_.expected == nullptr; }
  const DecodeError& error() const { return error_; }

  // Where the next token begins, in bytes from the start of the input.
  size_t offset() const { return at_; }

  // Lists and dictionaries that were begun and not ended.
  size_t depth() const { return depth_; }

 private:
  enum class Expect : uint8_t { kValue, kValueOrEnd, kKeyOrEnd, kEndOfInput, kNothing };

  struct Level {
    size_t begin;
    bool is_dictionary;
    bool has_key;
    // The last key, if has_key. Not a string_view, which would be cleared at construction.
    size_t key_begin;
    size_t key_bytes;
  };

  Token Fail(size_t offset, const char* expected);
  Token ReadInteger();
  Token ReadString(TokenType type);
  Token ReadKey();
  Token ReadEndOfInput();
  Token Begin(TokenType type);
  Token End();
  Token Read(TokenType type, size_t begin);
  void ExpectAfterValue();
  bool HasBytes() const { return at_ < input_.size(); }
  bool IsDigitAt(size_t offset) const;

  const absl::string_view input_;
  const DecoderOptions options_;
  size_t at_ = 0;
  size_t depth_ = 0;
  Expect expect_ = Expect::kValue;
  DecodeError error_;
  // Those up to depth_ are set, the others are left as they are: it saves their time.
  Level levels_[kDepthMax];
};

// Whether the input is one value, and if not, what is wrong with it.
DecodeError Check(absl::string_view input, const DecoderOptions& options = {});

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_DECODER_H_
