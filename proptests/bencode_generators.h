// Random bencoded values, and bytes that are nearly bencoded.

#ifndef SEPTET_PROPTESTS_BENCODE_GENERATORS_H_
#define SEPTET_PROPTESTS_BENCODE_GENERATORS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proptests/bencode_value.h"
#include "rapidcheck.h"

namespace septet::bencode {

inline rc::Gen<Value> GenInteger() {
  return rc::gen::map(
      rc::gen::oneOf(rc::gen::arbitrary<int64_t>(),
                     rc::gen::element<int64_t>(0, 9, 10, -10, 99, 100, 999,
                                               std::numeric_limits<int64_t>::min(),
                                               std::numeric_limits<int64_t>::max())),
      [](int64_t integer) {
        Value value;
        value.integer = integer;
        return value;
      });
}

// Any bytes; lengths around those where a digit is added come more often.
inline rc::Gen<std::string> GenBytes() {
  return rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                        rc::gen::map(rc::gen::element<size_t>(0, 9, 10, 11, 99, 100, 101),
                                     [](size_t size) { return std::string(size, 'x'); }));
}

inline rc::Gen<Value> GenString() {
  return rc::gen::map(GenBytes(), [](std::string string) {
    Value value;
    value.kind = Value::Kind::kString;
    value.string = std::move(string);
    return value;
  });
}

// Of up to `depth` levels of lists and dictionaries.
inline rc::Gen<Value> GenValue(int depth = 4) {
  if (depth == 0) return rc::gen::oneOf(GenInteger(), GenString());
  const auto list =
      rc::gen::map(rc::gen::scale(0.2, rc::gen::container<std::vector<Value>>(GenValue(depth - 1))),
                   [](std::vector<Value> elements) {
                     Value value;
                     value.kind = Value::Kind::kList;
                     value.list = std::move(elements);
                     return value;
                   });
  using Dictionary = std::map<std::string, Value>;
  const auto dictionary = rc::gen::map(
      rc::gen::scale(0.2, rc::gen::container<Dictionary>(GenBytes(), GenValue(depth - 1))),
      [](Dictionary elements) {
        Value value;
        value.kind = Value::Kind::kDictionary;
        value.dictionary = std::move(elements);
        return value;
      });
  return rc::gen::oneOf(GenInteger(), GenString(), list, dictionary);
}

inline rc::Gen<std::string> GenEncoded(int depth = 3) {
  return rc::gen::map(GenValue(depth), EncodeToString);
}

// The bytes of which bencoding is made, in any order: short ones are often accepted.
inline rc::Gen<std::string> GenSoup() {
  return rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("eeeeiiddll1110023::::-a")));
}

// An encoding with a few bytes changed, removed, added or doubled.
inline rc::Gen<std::string> GenMutated() {
  return rc::gen::exec([] {
    std::string bytes = *GenEncoded();
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const size_t at = *rc::gen::inRange<size_t>(0, bytes.size() + 1);
      const char byte = *rc::gen::elementOf(std::string("eidl0123456789:-\n"));
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          if (at < bytes.size()) bytes[at] = byte;
          break;
        case 1:
          if (at < bytes.size()) bytes.erase(at, 1);
          break;
        case 2:
          bytes.insert(at, 1, byte);
          break;
        default:
          bytes.insert(at, bytes.substr(at, 8));
      }
    }
    return bytes;
  });
}

// All kinds of input, from canonical to noise.
inline rc::Gen<std::string> GenInput() {
  return rc::gen::oneOf(GenEncoded(), GenMutated(), GenSoup(), rc::gen::arbitrary<std::string>());
}

}  // namespace septet::bencode

#endif  // SEPTET_PROPTESTS_BENCODE_GENERATORS_H_
