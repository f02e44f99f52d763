#include <string>
#include <vector>

#include "bencode/decoder.h"
#include "bencode/encoder.h"
#include "bencode/metainfo.h"
#include "gtest/gtest.h"
#include "proptests/bencode_generators.h"
#include "rapidcheck.h"

namespace septet::bencode {
namespace {

bool DecodeWhole(absl::string_view input, const DecoderOptions& options, Value* value) {
  Decoder decoder(input, options);
  return Decode(&decoder, decoder.Next(), value) && decoder.Next().type == TokenType::kEndOfInput;
}

DecoderOptions Lenient() {
  DecoderOptions options;
  options.lenient = true;
  return options;
}

// Bytes that look like bencoding more often than random ones do.
rc::Gen<std::string> GenNearlyBencoded() {
  return rc::gen::container<std::string>(rc::gen::weightedElement<char>({{8, 'e'},
                                                                         {4, 'i'},
                                                                         {4, 'd'},
                                                                         {4, 'l'},
                                                                         {6, '1'},
                                                                         {4, '0'},
                                                                         {2, '2'},
                                                                         {6, ':'},
                                                                         {2, '-'},
                                                                         {4, 'a'}}));
}

TEST(BencodeProperties, WhatIsEncodedIsDecodedStrictly) {
  EXPECT_TRUE(rc::check([] {
    const Value value = *GenValue();
    Value decoded;
    RC_ASSERT(DecodeWhole(EncodeToString(value), {}, &decoded));
    RC_ASSERT(decoded == value);
  }));
}

TEST(BencodeProperties, NoCutOfAValueIsAValue) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = EncodeToString(*GenValue(2));
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
      RC_ASSERT(!Check({cut.data(), cut.size()}).expected.empty());
      RC_ASSERT(!Check({cut.data(), cut.size()}, Lenient()).expected.empty());
    }
  }));
}

TEST(BencodeProperties, WhatIsAcceptedStrictlyIsCanonicalAndLenientAgrees) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes =
        *rc::gen::oneOf(GenNearlyBencoded(), rc::gen::map(GenValue(2), EncodeToString));
    Value strict;
    if (!DecodeWhole(bytes, {}, &strict)) return;
    RC_ASSERT(EncodeToString(strict) == bytes);
    Value lenient;
    RC_ASSERT(DecodeWhole(bytes, Lenient(), &lenient));
    RC_ASSERT(lenient == strict);
  }));
}

TEST(BencodeProperties, ViewsLieInTheInputAndErrorsAtItsBytes) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = *GenNearlyBencoded();
    for (const bool lenient : {false, true}) {
      DecoderOptions options;
      options.lenient = lenient;
      Decoder decoder(bytes, options);
      for (size_t i = 0;; ++i) {
        RC_ASSERT(i <= bytes.size());
        const Token token = decoder.Next();
        if (token.type == TokenType::kEndOfInput) break;
        if (token.type == TokenType::kError) {
          RC_ASSERT(decoder.error().offset <= bytes.size());
          break;
        }
        if (token.type == TokenType::kString && !token.string.empty()) {
          RC_ASSERT(token.string.data() >= bytes.data());
          RC_ASSERT(token.string.data() + token.string.size() <= bytes.data() + bytes.size());
        }
      }
      ReadMetainfo(bytes).status().IgnoreError();
    }
  }));
}

}  // namespace
}  // namespace septet::bencode
