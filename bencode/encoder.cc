#include "bencode/encoder.h"

#include <charconv>
#include <cstring>

namespace septet::bencode {
namespace {

// Digits of 2^64 - 1, and a sign.
constexpr size_t kIntegerDigitsMax = 21;

}  // namespace

char* Encoder::StringSpace(size_t size) {
  char length[kIntegerDigitsMax];
  char* const length_end = std::to_chars(length, length + sizeof(length), size).ptr;
  const auto digits = static_cast<size_t>(length_end - length);
  // Not digits + 1 + size, which could wrap around.
  if (size > static_cast<size_t>(end_ - at_) || !Fits(digits + 1 + size)) {
    overflowed_ = true;
    return nullptr;
  }
  std::memcpy(at_, length, digits);
  at_ += digits;
  *at_++ = ':';
  char* const space = at_;
  at_ += size;
  return space;
}

void Encoder::String(absl::string_view value) {
  char* const space = StringSpace(value.size());
  if (space != nullptr && !value.empty()) std::memcpy(space, value.data(), value.size());
}

void Encoder::Integer(int64_t value) {
  char digits[kIntegerDigitsMax + 2];
  digits[0] = 'i';
  char* const end = std::to_chars(digits + 1, digits + sizeof(digits) - 1, value).ptr;
  *end = 'e';
  Raw(absl::string_view(digits, static_cast<size_t>(end - digits) + 1));
}

void Encoder::Unsigned(uint64_t value) {
  char digits[kIntegerDigitsMax + 2];
  digits[0] = 'i';
  char* const end = std::to_chars(digits + 1, digits + sizeof(digits) - 1, value).ptr;
  *end = 'e';
  Raw(absl::string_view(digits, static_cast<size_t>(end - digits) + 1));
}

void Encoder::Raw(absl::string_view bytes) {
  if (!Fits(bytes.size())) return;
  if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
  at_ += bytes.size();
}

}  // namespace septet::bencode
