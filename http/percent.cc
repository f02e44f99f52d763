#include "http/percent.h"

#include <array>
#include <bit>
#include <cstring>

#include "http/byte_scan.h"

namespace septet::http {
namespace {

constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> kHexDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) digits['a' + i] = digits['A' + i] = static_cast<uint8_t>(10 + i);
  return digits;
}();

constexpr size_t kShortMin = Bytes16::kSize;
constexpr size_t kShortMax = 64;

// A bit for each '%'. `text` is of kShortMin to kShortMax bytes.
uint64_t FindPercents(absl::string_view text) {
  const char* const begin = text.data();
  const size_t last = text.size() - Bytes16::kSize;
  uint64_t mask = uint64_t{Bytes16(begin + last).Equal('%')} << last;
  for (size_t at = 0; at < last; at += Bytes16::kSize) {
    mask |= uint64_t{Bytes16(begin + at).Equal('%')} << at;
  }
  return mask;
}

// Decodes what nearly every info-hash and peer id is: short, without a broken escape.
// Where the decoded bytes begin follows from a few operations on a word, so that no
// step waits for the one before, nor for a guess whether an escape comes next. False
// where `text` is not like that or does not fit; `out` may have been written to.
bool DecodeShort(absl::string_view text, uint8_t* out, size_t out_bytes, size_t* size) {
  if (text.size() < kShortMin || text.size() > kShortMax) return false;
  const uint64_t percents = FindPercents(text);
  const uint64_t digits = percents << 1 | percents << 2;
  const uint64_t all = UINT64_MAX >> (kShortMax - text.size());
  if ((percents & digits) != 0 || percents >> (text.size() - 2) != 0) return false;
  uint64_t starts = all & ~digits;
  *size = static_cast<size_t>(std::popcount(starts));
  if (*size > out_bytes) return false;
  if (percents == 0) {
    std::memcpy(out, text.data(), text.size());
    return true;
  }
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  uint8_t wrong = 0;
  for (; starts != 0; starts &= starts - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(starts));
    const size_t is_escape = percents >> at & 1;
    const uint8_t high = kHexDigits[bytes[at + is_escape]];
    const uint8_t low = kHexDigits[bytes[at + 2 * is_escape]];
    wrong |= is_escape != 0 ? high | low : 0;
    *out++ = is_escape != 0 ? static_cast<uint8_t>(high << 4 | low) : bytes[at];
  }
  return wrong < 16;
}

}  // namespace

Decoded PercentDecode(absl::string_view text, uint8_t* out, size_t out_bytes) {
  Decoded decoded;
  if (DecodeShort(text, out, out_bytes, &decoded.size)) return decoded;
  decoded.size = 0;
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* const end = at + text.size();
  while (at < end) {
    uint8_t byte = *at++;
    if (byte == '%') {
      const uint8_t high = end - at >= 2 ? kHexDigits[at[0]] : kNoDigit;
      const uint8_t low = end - at >= 2 ? kHexDigits[at[1]] : kNoDigit;
      if ((high | low) < 16) {
        byte = static_cast<uint8_t>(high << 4 | low);
        at += 2;
      } else {
        decoded.is_broken = true;
      }
    }
    if (decoded.size < out_bytes) out[decoded.size] = byte;
    ++decoded.size;
  }
  return decoded;
}

}  // namespace septet::http
