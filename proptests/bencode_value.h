// A bencoded value as a tree, which the library itself has no need of: the model that
// properties compare with.

#ifndef SEPTET_PROPTESTS_BENCODE_VALUE_H_
#define SEPTET_PROPTESTS_BENCODE_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "bencode/decoder.h"
#include "bencode/encoder.h"

namespace septet::bencode {

struct Value {
  enum class Kind { kInteger, kString, kList, kDictionary } kind = Kind::kInteger;
  int64_t integer = 0;
  std::string string;
  std::vector<Value> list;
  std::map<std::string, Value> dictionary;

  friend bool operator==(const Value&, const Value&) = default;
};

inline void Encode(const Value& value, Encoder& encoder) {
  switch (value.kind) {
    case Value::Kind::kInteger:
      return encoder.Integer(value.integer);
    case Value::Kind::kString:
      return encoder.String(value.string);
    case Value::Kind::kList:
      encoder.BeginList();
      for (const Value& element : value.list) Encode(element, encoder);
      return encoder.End();
    case Value::Kind::kDictionary:
      encoder.BeginDictionary();
      for (const auto& [key, element] : value.dictionary) {
        encoder.Key(key);
        Encode(element, encoder);
      }
      return encoder.End();
  }
}

// More than any encoding of the value: the digits of a number or a length, and three bytes.
inline size_t RoomFor(const Value& value) {
  constexpr size_t kEach = 24;
  size_t bytes = kEach + value.string.size();
  for (const Value& element : value.list) bytes += RoomFor(element);
  for (const auto& [key, element] : value.dictionary) {
    bytes += kEach + key.size() + RoomFor(element);
  }
  return bytes;
}

inline std::string EncodeToString(const Value& value) {
  std::string out(RoomFor(value), '\0');
  Encoder encoder(absl::MakeSpan(&out[0], out.size()));
  Encode(value, encoder);
  out.resize(encoder.overflowed() ? 0 : encoder.size());
  return out;
}

// For messages of failed properties.
inline std::ostream& operator<<(std::ostream& out, const Value& value) {
  return out << EncodeToString(value);
}

// The value that `token` began; of a key that comes twice, the last one. False at an error.
inline bool Decode(Decoder& decoder, const Token& token, Value& value) {
  switch (token.type) {
    case TokenType::kInteger:
      value.kind = Value::Kind::kInteger;
      value.integer = token.integer;
      return true;
    case TokenType::kString:
      value.kind = Value::Kind::kString;
      value.string = std::string(token.string);
      return true;
    case TokenType::kBeginList:
      value.kind = Value::Kind::kList;
      for (Token next = decoder.Next(); next.type != TokenType::kEnd; next = decoder.Next()) {
        if (!Decode(decoder, next, value.list.emplace_back())) return false;
      }
      return true;
    case TokenType::kBeginDictionary:
      value.kind = Value::Kind::kDictionary;
      for (Token key = decoder.Next(); key.type != TokenType::kEnd; key = decoder.Next()) {
        if (key.type != TokenType::kKey) return false;
        Value& element = value.dictionary[std::string(key.string)];
        element = Value();
        if (!Decode(decoder, decoder.Next(), element)) return false;
      }
      return true;
    default:
      return false;
  }
}

// Nothing if the input is not accepted.
inline absl::optional<Value> DecodeWhole(absl::string_view input, const DecoderOptions& options) {
  Decoder decoder(input, options);
  Value value;
  if (!Decode(decoder, decoder.Next(), value)) return absl::nullopt;
  if (decoder.Next().type != TokenType::kDone) return absl::nullopt;
  return value;
}

}  // namespace septet::bencode

#endif  // SEPTET_PROPTESTS_BENCODE_VALUE_H_
