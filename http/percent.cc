#include "http/percent.h"

#include <array>

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

}  // namespace

Decoded PercentDecode(absl::string_view text, uint8_t* out, size_t out_bytes) {
  Decoded decoded;
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
