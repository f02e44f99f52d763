// Random bencoded values for properties of the encoder and the decoder.

#ifndef SEPTET_PROPTESTS_BENCODE_GENERATORS_H_
#define SEPTET_PROPTESTS_BENCODE_GENERATORS_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bencode/decoder.h"
#include "bencode/encoder.h"
#include "rapidcheck.h"

namespace septet::bencode {

// A tree: what the library itself has no need of.
struct Value {
  enum class Kind { kInteger, kString, kList, kDictionary } kind = Kind::kInteger;
  int64_t integer = 0;
  std::string string;
  std::vector<Value> list;
  std::map<std::string, Value> dictionary;

  friend bool operator==(const Value&, const Value&) = default;
};

inline void Encode(const Value& value, Encoder* encoder) {
  switch (value.kind) {
    case Value::Kind::kInteger:
      encoder->Integer(value.integer);
      return;
    case Value::Kind::kString:
      encoder->String(value.string);
      return;
    case Value::Kind::kList:
      encoder->BeginList();
      for (const Value& element : value.list) Encode(element, encoder);
      encoder->End();
      return;
    case Value::Kind::kDictionary:
      encoder->BeginDictionary();
      for (const auto& [key, element] : value.dictionary) {
        encoder->Key(key);
        Encode(element, encoder);
      }
      encoder->End();
      return;
  }
}

inline std::string EncodeToString(const Value& value) {
  std::string out(1 << 20, '\0');
  Encoder encoder(absl::MakeSpan(&out[0], out.size()));
  Encode(value, &encoder);
  out.resize(encoder.overflowed() ? 0 : encoder.size());
  return out;
}

// Builds the tree of the value that `token` begins. False after an error.
inline bool Decode(Decoder* decoder, const Token& token, Value* value) {
  switch (token.type) {
    case TokenType::kInteger:
      value->kind = Value::Kind::kInteger;
      value->integer = token.integer;
      return true;
    case TokenType::kString:
      value->kind = Value::Kind::kString;
      value->string = std::string(token.string);
      return true;
    case TokenType::kListBegin:
      value->kind = Value::Kind::kList;
      for (Token t = decoder->Next(); t.type != TokenType::kEnd; t = decoder->Next()) {
        if (!Decode(decoder, t, &value->list.emplace_back())) return false;
      }
      return true;
    case TokenType::kDictionaryBegin:
      value->kind = Value::Kind::kDictionary;
      for (Token t = decoder->Next(); t.type != TokenType::kEnd; t = decoder->Next()) {
        if (t.type != TokenType::kString || !t.is_key) return false;
        if (!Decode(decoder, decoder->Next(), &value->dictionary[std::string(t.string)])) {
          return false;
        }
      }
      return true;
    default:
      return false;
  }
}

inline std::ostream& operator<<(std::ostream& out, const Value& value) {
  return out << EncodeToString(value);
}

inline Value Nested(std::vector<Value> values, bool is_list) {
  Value outer;
  outer.kind = is_list ? Value::Kind::kList : Value::Kind::kDictionary;
  if (is_list) {
    outer.list = std::move(values);
  } else {
    for (const Value& value : values) outer.dictionary[EncodeToString(value)] = value;
  }
  return outer;
}

// Values of up to `depth` levels.
inline rc::Gen<Value> GenValue(int depth = 4) {
  const auto integers = rc::gen::map(rc::gen::arbitrary<int64_t>(), [](int64_t integer) {
    Value value;
    value.integer = integer;
    return value;
  });
  const auto strings = rc::gen::map(rc::gen::arbitrary<std::string>(), [](std::string string) {
    Value value;
    value.kind = Value::Kind::kString;
    value.string = std::move(string);
    return value;
  });
  if (depth == 0) return rc::gen::oneOf(integers, strings);
  const auto elements =
      rc::gen::scale(0.3, rc::gen::container<std::vector<Value>>(GenValue(depth - 1)));
  const auto nested = [](bool is_list) {
    return [is_list](std::vector<Value> values) { return Nested(std::move(values), is_list); };
  };
  return rc::gen::oneOf(integers, strings, rc::gen::map(elements, nested(true)),
                        rc::gen::map(elements, nested(false)));
}

}  // namespace septet::bencode

#endif  // SEPTET_PROPTESTS_BENCODE_GENERATORS_H_
