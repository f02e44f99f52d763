// Properties of bencode/: encoder and decoder agree, each is canonical, and no input takes
// the decoder out of its bounds.

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "bencode/decoder.h"
#include "bencode/encoder.h"
#include "bencode/metainfo.h"
#include "gtest/gtest.h"
#include "proptests/bencode_generators.h"
#include "proptests/bencode_value.h"
#include "proptests/guarded_bytes.h"
#include "rapidcheck.h"

namespace septet::bencode {
namespace {

const DecoderOptions kStrict;
const DecoderOptions kLenient = DecoderOptions::Lenient();

bool IsAccepted(absl::string_view input, const DecoderOptions& options) {
  return Check(input, options).expected == nullptr;
}

bool LiesWithin(absl::string_view part, absl::string_view whole) {
  return part.data() == nullptr ||
         (!std::less<>()(part.data(), whole.data()) &&
          !std::less<>()(whole.data() + whole.size(), part.data() + part.size()));
}

TEST(BencodeProperties, WhatIsEncodedIsDecodedStrictly) {
  EXPECT_TRUE(rc::check([] {
    const Value value = *GenValue();
    const absl::optional<Value> decoded = DecodeWhole(EncodeToString(value), kStrict);
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(*decoded == value);
  }));
}

TEST(BencodeProperties, WhatIsAcceptedStrictlyIsCanonical) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    const absl::optional<Value> value = DecodeWhole(input, kStrict);
    RC_CLASSIFY(value.has_value(), "accepted");
    if (value.has_value()) RC_ASSERT(EncodeToString(*value) == input);
  }));
}

TEST(BencodeProperties, LenientAcceptsWhatStrictDoesWithTheSameResult) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    const absl::optional<Value> strict = DecodeWhole(input, kStrict);
    if (!strict.has_value()) return;
    const absl::optional<Value> lenient = DecodeWhole(input, kLenient);
    RC_ASSERT(lenient.has_value());
    RC_ASSERT(*lenient == *strict);
  }));
}

TEST(BencodeProperties, WhatIsAcceptedLenientlyEncodesToWhatIsAcceptedStrictly) {
  EXPECT_TRUE(rc::check([] {
    const absl::optional<Value> lenient = DecodeWhole(*GenInput(), kLenient);
    RC_CLASSIFY(lenient.has_value(), "accepted");
    if (!lenient.has_value()) return;
    const absl::optional<Value> strict = DecodeWhole(EncodeToString(*lenient), kStrict);
    RC_ASSERT(strict.has_value());
    RC_ASSERT(*strict == *lenient);
  }));
}

// Bencoding has no value that begins another.
TEST(BencodeProperties, InputCutShortIsNeverAccepted) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    Decoder decoder(input, kLenient);
    const absl::string_view value = decoder.SkipValue();
    for (size_t size = 0; size < value.size(); ++size) {
      RC_ASSERT(!IsAccepted(value.substr(0, size), kStrict));
      RC_ASSERT(!IsAccepted(value.substr(0, size), kLenient));
    }
  }));
}

void ReadWithinBounds(absl::string_view input, const DecoderOptions& options) {
  Decoder decoder(input, options);
  size_t offset = 0;
  for (size_t tokens = 0;; ++tokens) {
    RC_ASSERT(tokens <= input.size());
    const Token token = decoder.Next();
    RC_ASSERT(LiesWithin(token.source, input));
    RC_ASSERT(LiesWithin(token.string, input));
    RC_ASSERT(decoder.depth() <= kDepthMax);
    RC_ASSERT(decoder.ok() == (token.type != TokenType::kError));
    if (token.type == TokenType::kError) {
      RC_ASSERT(decoder.error().offset <= input.size());
      return;
    }
    if (token.type == TokenType::kDone) return;
    RC_ASSERT(decoder.offset() > offset);
    offset = decoder.offset();
  }
}

TEST(BencodeProperties, NothingIsReadOutsideTheInput) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    for (const auto against : {GuardedBytes::Against::kBegin, GuardedBytes::Against::kEnd}) {
      const GuardedBytes guarded(input, against);
      ReadWithinBounds(guarded.view(), kStrict);
      ReadWithinBounds(guarded.view(), kLenient);
      ReadMetainfo(guarded.view()).status().IgnoreError();
    }
  }));
}

TEST(BencodeProperties, EverySourceIsAValueByItself) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    Decoder decoder(input, kLenient);
    DecoderOptions alone = kLenient;
    alone.allow_trailing_bytes = false;
    for (Token token = decoder.Next();
         token.type != TokenType::kDone && token.type != TokenType::kError;
         token = decoder.Next()) {
      const bool is_begin =
          token.type == TokenType::kBeginList || token.type == TokenType::kBeginDictionary;
      if (!is_begin) RC_ASSERT(IsAccepted(token.source, alone));
    }
  }));
}

// To skip is to read without looking.
TEST(BencodeProperties, SkippedValuesJoinToTheWhole) {
  EXPECT_TRUE(rc::check([] {
    Value list;
    list.kind = Value::Kind::kList;
    list.list = *rc::gen::scale(0.2, rc::gen::container<std::vector<Value>>(GenValue(3)));
    const std::string input = EncodeToString(list);
    Decoder decoder(input);
    std::string joined(decoder.Next().source);
    for (const Value& element : list.list) {
      const absl::string_view skipped = decoder.SkipValue();
      RC_ASSERT(skipped == EncodeToString(element));
      joined += std::string(skipped);
    }
    RC_ASSERT(decoder.SkipValue().empty());
    RC_ASSERT(decoder.Next().type == TokenType::kDone);
    RC_ASSERT(joined + "e" == input);
  }));
}

TEST(BencodeProperties, OptionsForbidNoMoreThanTheySay) {
  EXPECT_TRUE(rc::check([] {
    const std::string input = *GenInput();
    DecoderOptions options;
    options.allow_unsorted_keys = *rc::gen::arbitrary<bool>();
    options.allow_leading_zeros = *rc::gen::arbitrary<bool>();
    options.allow_large_integers = *rc::gen::arbitrary<bool>();
    options.allow_trailing_bytes = *rc::gen::arbitrary<bool>();
    if (IsAccepted(input, kStrict)) RC_ASSERT(IsAccepted(input, options));
    if (IsAccepted(input, options)) RC_ASSERT(IsAccepted(input, kLenient));
  }));
}

TEST(BencodeProperties, WithTooLittleMemoryTheEncoderWritesABeginning) {
  EXPECT_TRUE(rc::check([] {
    const Value value = *GenValue(3);
    const std::string whole = EncodeToString(value);
    const size_t capacity = *rc::gen::inRange<size_t>(0, whole.size() + 2);
    // Next to a page that cannot be written to, and with bytes before that must stay.
    const std::string before(16, '\x7e');
    const GuardedBytes memory(before + std::string(capacity, '\0'), GuardedBytes::Against::kEnd);
    char* const out = const_cast<char*>(memory.view().data()) + before.size();
    Encoder encoder(absl::MakeSpan(out, capacity));
    Encode(value, encoder);
    RC_ASSERT(encoder.overflowed() == (capacity < whole.size()));
    RC_ASSERT(encoder.size() <= capacity);
    RC_ASSERT(absl::string_view(out, encoder.size()) ==
              absl::string_view(whole).substr(0, encoder.size()));
    RC_ASSERT(memory.view().substr(0, before.size()) == before);
  }));
}

}  // namespace
}  // namespace septet::bencode
