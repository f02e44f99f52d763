#include "bencode/encoder.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace septet::bencode {

char* Encoder::LongStringSpace(size_t size) {
  char length[std::numeric_limits<size_t>::digits10 + 1];
  char* const length_end = std::to_chars(length, length + sizeof(length), size).ptr;
  const auto digits = static_cast<size_t>(length_end - length);
  // In two steps, because digits + 1 + size could wrap around.
  if (!Fits(size) || !Fits(digits + 1 + size)) return nullptr;
  std::memcpy(at_, length, digits);
  at_ += digits;
  *at_++ = ':';
  at_ += size;
  return at_ - size;
}

// std::to_chars writes two digits at a time, straight to their place, and minds the end.
template <typename Number>
void Encoder::Decimal(Number value) {
  constexpr ptrdiff_t kBytesMin = 3;
  if (end_ - at_ < kBytesMin) return Overflow();
  const std::to_chars_result result = std::to_chars(at_ + 1, end_ - 1, value);
  if (result.ec != std::errc()) return Overflow();
  *at_ = 'i';
  *result.ptr = 'e';
  at_ = result.ptr + 1;
}

void Encoder::Integer(int64_t value) { Decimal(value); }

void Encoder::Unsigned(uint64_t value) { Decimal(value); }

void Encoder::Raw(absl::string_view bytes) {
  if (bytes.empty() || !Fits(bytes.size())) return;
  std::memcpy(at_, bytes.data(), bytes.size());
  at_ += bytes.size();
}

}  // namespace septet::bencode
