// Bytes as bencoding, read strictly and leniently. All that the decoder gives lies within
// the input; what is accepted is encoded again to the same bytes (strict) or to what is
// read in the same way (lenient); nothing that is cut short is accepted.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "bencode/decoder.h"
#include "bencode/encoder.h"

namespace septet::bencode {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void RequireWithin(absl::string_view part, absl::string_view whole) {
  if (part.data() == nullptr) return;
  Require(!std::less<>()(part.data(), whole.data()));
  Require(!std::less<>()(whole.data() + whole.size(), part.data() + part.size()));
}

void Encode(const Token& token, Encoder& encoder) {
  switch (token.type) {
    case TokenType::kInteger:
      return encoder.Integer(token.integer);
    case TokenType::kString:
      return encoder.String(token.string);
    case TokenType::kKey:
      return encoder.Key(token.string);
    case TokenType::kBeginList:
      return encoder.BeginList();
    case TokenType::kBeginDictionary:
      return encoder.BeginDictionary();
    case TokenType::kEnd:
      return encoder.End();
    case TokenType::kDone:
    case TokenType::kError:
      return;
  }
}

void CheckToken(const Decoder& decoder, const Token& token, absl::string_view input) {
  RequireWithin(token.source, input);
  RequireWithin(token.string, input);
  Require(decoder.offset() <= input.size());
  Require(decoder.depth() <= kDepthMax);
  Require(decoder.ok() == (token.type != TokenType::kError));
}

// Reads all tokens and encodes them again; nothing if the input is not accepted.
absl::optional<std::string> Copy(absl::string_view input, const DecoderOptions& options) {
  // Never longer than what was read: large integers shrink, zeros vanish.
  std::vector<char> copy(input.size());
  Encoder encoder(absl::MakeSpan(copy));
  Decoder decoder(input, options);
  Token token = decoder.Next();
  for (size_t tokens = 1; token.type != TokenType::kDone; ++tokens, token = decoder.Next()) {
    Require(tokens <= input.size() + 1);
    CheckToken(decoder, token, input);
    if (token.type == TokenType::kError) {
      Require(decoder.error().offset <= input.size());
      Require(decoder.Next().type == TokenType::kError);
      return absl::nullopt;
    }
    Encode(token, encoder);
  }
  Require(decoder.Next().type == TokenType::kDone);
  Require(decoder.depth() == 0);
  Require(!encoder.overflowed());
  return std::string(copy.data(), encoder.size());
}

bool IsAccepted(absl::string_view input, const DecoderOptions& options) {
  return Check(input, options).expected == nullptr;
}

void CheckStrict(absl::string_view input) {
  const absl::optional<std::string> copy = Copy(input, {});
  Require(copy.has_value() == IsAccepted(input, {}));
  if (!copy.has_value()) return;
  Require(*copy == input);
  Require(Copy(input, DecoderOptions::Lenient()) == copy);
}

void CheckLenient(absl::string_view input) {
  const absl::optional<std::string> copy = Copy(input, DecoderOptions::Lenient());
  Require(copy.has_value() == IsAccepted(input, DecoderOptions::Lenient()));
  if (!copy.has_value()) return;
  // Encoded again, only the order of keys can be wrong.
  DecoderOptions unsorted;
  unsorted.allow_unsorted_keys = true;
  Require(Copy(*copy, unsorted) == copy);

  Decoder decoder(input, DecoderOptions::Lenient());
  const absl::string_view value = decoder.SkipValue();
  Require(value.data() == input.data() && value.size() == decoder.offset());
  for (size_t cut = 1; cut <= value.size() && cut <= 8; ++cut) {
    Require(!IsAccepted(value.substr(0, value.size() - cut), DecoderOptions::Lenient()));
  }
}

}  // namespace
}  // namespace septet::bencode

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  septet::bencode::CheckStrict(input);
  septet::bencode::CheckLenient(input);
  return 0;
}
