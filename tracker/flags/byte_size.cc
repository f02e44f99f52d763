#include "tracker/flags/byte_size.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kNone = "none";

struct Unit {
  absl::string_view suffix;
  uint64_t bytes;
};
// The largest first.
constexpr Unit kUnits[] = {{"TiB", uint64_t{1} << 40},
                           {"GiB", uint64_t{1} << 30},
                           {"MiB", uint64_t{1} << 20},
                           {"KiB", uint64_t{1} << 10},
                           {"", 1}};

// The last unit is the empty one, which every text ends with.
const Unit& ConsumeUnit(absl::string_view* text) {
  for (const Unit& unit : kUnits) {
    if (absl::ConsumeSuffix(text, unit.suffix)) return unit;
  }
  return kUnits[std::size(kUnits) - 1];
}

bool IsDigits(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
}

}  // namespace

bool AbslParseFlag(absl::string_view text, ByteSize* size, std::string* error) {
  if (text == kNone) {
    *size = ByteSize{0};
    return true;
  }
  absl::string_view number = text;
  const Unit& unit = ConsumeUnit(&number);
  uint64_t count = 0;
  const bool is_number = IsDigits(number) && absl::SimpleAtoi(number, &count);
  if (!is_number || count > UINT64_MAX / unit.bytes) {
    *error = "not a whole number of bytes, KiB, MiB, GiB or TiB below 2^64";
    return false;
  }
  *size = ByteSize{count * unit.bytes};
  return true;
}

std::string AbslUnparseFlag(ByteSize size) {
  if (size.bytes == 0) return std::string(kNone);
  for (const Unit& unit : kUnits) {
    if (size.bytes % unit.bytes == 0) return absl::StrCat(size.bytes / unit.bytes, unit.suffix);
  }
  return absl::StrCat(size.bytes);
}

}  // namespace septet::tracker
