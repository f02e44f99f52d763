#include "bencode/encoder.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

// What `write` appends, in memory of `capacity` bytes between guards that must stay.
template <typename Write>
std::string Encoded(Write write, size_t capacity = 512, bool expect_overflow = false) {
  constexpr char kGuard = '\x7e';
  constexpr size_t kGuardBytes = 32;
  std::string memory(capacity + 2 * kGuardBytes, kGuard);
  Encoder encoder(absl::MakeSpan(&memory[kGuardBytes], capacity));
  write(encoder);
  EXPECT_EQ(encoder.overflowed(), expect_overflow) << "capacity " << capacity;
  EXPECT_LE(encoder.size(), capacity);
  const std::string guard(kGuardBytes, kGuard);
  EXPECT_EQ(memory.substr(0, kGuardBytes), guard);
  EXPECT_EQ(memory.substr(kGuardBytes + capacity), guard);
  return memory.substr(kGuardBytes, encoder.size());
}

std::string EncodedInteger(int64_t value) {
  return Encoded([&](Encoder& e) { e.Integer(value); });
}

std::string EncodedUnsigned(uint64_t value) {
  return Encoded([&](Encoder& e) { e.Unsigned(value); });
}

// The examples of BEP 3.
TEST(Encoder, WritesTheExamplesOfBep3) {
  EXPECT_EQ(Encoded([](Encoder& e) { e.String("spam"); }), "4:spam");
  EXPECT_EQ(EncodedInteger(3), "i3e");
  EXPECT_EQ(EncodedInteger(-3), "i-3e");
  EXPECT_EQ(EncodedInteger(0), "i0e");
  EXPECT_EQ(Encoded([](Encoder& e) {
              e.BeginList();
              e.String("spam");
              e.String("eggs");
              e.End();
            }),
            "l4:spam4:eggse");
  EXPECT_EQ(Encoded([](Encoder& e) {
              e.BeginDictionary();
              e.Key("cow");
              e.String("moo");
              e.Key("spam");
              e.String("eggs");
              e.End();
            }),
            "d3:cow3:moo4:spam4:eggse");
  EXPECT_EQ(Encoded([](Encoder& e) {
              e.BeginDictionary();
              e.Key("spam");
              e.BeginList();
              e.String("a");
              e.String("b");
              e.End();
              e.End();
            }),
            "d4:spaml1:a1:bee");
}

TEST(Encoder, WritesIntegersOfEveryLength) {
  for (uint64_t power = 1; power <= 1'000'000'000'000'000'000; power *= 10) {
    for (const uint64_t value : {power - 1, power, power + 1}) {
      const auto negative = -static_cast<int64_t>(value);
      EXPECT_EQ(EncodedUnsigned(value), "i" + std::to_string(value) + "e");
      EXPECT_EQ(EncodedInteger(negative), "i" + std::to_string(negative) + "e");
    }
  }
}

TEST(Encoder, WritesTheEndsOfTheRanges) {
  EXPECT_EQ(EncodedInteger(std::numeric_limits<int64_t>::max()), "i9223372036854775807e");
  EXPECT_EQ(EncodedInteger(std::numeric_limits<int64_t>::min()), "i-9223372036854775808e");
  EXPECT_EQ(EncodedUnsigned(std::numeric_limits<uint64_t>::max()), "i18446744073709551615e");
}

TEST(Encoder, WritesStringsOfEveryLength) {
  for (const size_t size : {0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 65536}) {
    const std::string content(size, 'x');
    EXPECT_EQ(Encoded([&](Encoder& e) { e.String(content); }, size + 16),
              std::to_string(size) + ":" + content);
  }
}

TEST(Encoder, StringsHoldAnyByte) {
  const std::string content("\0\xff:e\n", 5);
  EXPECT_EQ(Encoded([&](Encoder& e) { e.String(content); }), "5:" + content);
}

TEST(Encoder, TheCallerFillsStringSpace) {
  for (const size_t size : {5, 50, 500}) {
    EXPECT_EQ(Encoded(
                  [&](Encoder& e) {
                    char* const space = e.StringSpace(size);
                    ASSERT_NE(space, nullptr);
                    for (size_t i = 0; i < size; ++i) space[i] = 'p';
                    e.Integer(1);
                  },
                  size + 16),
              std::to_string(size) + ":" + std::string(size, 'p') + "i1e");
  }
}

TEST(Encoder, RawIsAppendedAsItIs) {
  EXPECT_EQ(Encoded([](Encoder& e) {
              e.BeginList();
              e.Raw("i1e");
              e.Raw(absl::string_view());
              e.Raw("2:ab");
              e.End();
            }),
            "li1e2:abe");
}

TEST(Encoder, WithoutMemoryEverythingOverflows) {
  Encoder encoder(absl::Span<char>{});
  EXPECT_FALSE(encoder.overflowed());
  encoder.Integer(1);
  EXPECT_TRUE(encoder.overflowed());
  EXPECT_EQ(encoder.size(), 0u);
}

// Each kind of value, in memory of exactly its size and of every smaller one.
TEST(Encoder, ValuesFitExactlyOrAreLeftOut) {
  void (*const writers[])(Encoder&) = {
      [](Encoder& e) { e.BeginList(); },
      [](Encoder& e) { e.BeginDictionary(); },
      [](Encoder& e) { e.End(); },
      [](Encoder& e) { e.Integer(7); },
      [](Encoder& e) { e.Integer(-1234567); },
      [](Encoder& e) { e.Unsigned(18446744073709551615u); },
      [](Encoder& e) { e.String(""); },
      [](Encoder& e) { e.String("a"); },
      [](Encoder& e) { e.Key("min interval"); },
      [](Encoder& e) { e.String(std::string(120, 'x')); },
      [](Encoder& e) { e.Raw("li1ei2ee"); },
  };
  for (const auto& write : writers) {
    const std::string whole = Encoded(write);
    EXPECT_EQ(Encoded(write, whole.size()), whole);
    for (size_t capacity = 0; capacity < whole.size(); ++capacity) {
      EXPECT_EQ(Encoded(write, capacity, /*expect_overflow=*/true), "");
    }
  }
}

TEST(Encoder, NothingIsAddedAfterAnOverflow) {
  // "3:abc" does not fit behind "i1e"; each of what follows alone would.
  EXPECT_EQ(Encoded(
                [](Encoder& e) {
                  e.Integer(1);
                  e.String("abc");
                  e.End();
                  e.Raw("e");
                  e.String("");
                  e.Integer(2);
                  EXPECT_EQ(e.StringSpace(0), nullptr);
                  e.Raw("");
                  EXPECT_EQ(e.size(), 3u);
                },
                7, /*expect_overflow=*/true),
            "i1e");
}

TEST(Encoder, AnIntegerTooLongEndsIt) {
  EXPECT_EQ(Encoded(
                [](Encoder& e) {
                  e.Integer(1234567);
                  e.Integer(1);
                },
                8, /*expect_overflow=*/true),
            "");
}

TEST(Encoder, SizesThatWrapAroundDoNotFit) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  for (size_t less = 0; less < 40; ++less) {
    EXPECT_EQ(
        Encoded([&](Encoder& e) { EXPECT_EQ(e.StringSpace(kMax - less), nullptr) << less; }, 64,
                /*expect_overflow=*/true),
        "");
  }
}

}  // namespace
}  // namespace septet::bencode
