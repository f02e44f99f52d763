#include "tracker/access/hash_list.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace septet::tracker {
namespace {

constexpr size_t kV1Digits = 40;
constexpr size_t kV2Digits = 64;
constexpr size_t kShownBytesMax = 80;

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool ParseHash(absl::string_view digits, InfoHash* info_hash) {
  if (digits.size() != kV1Digits && digits.size() != kV2Digits) return false;
  InfoHash decoded{};
  for (size_t i = 0; i < digits.size() / 2; ++i) {
    const int high = DigitOf(digits[2 * i]);
    const int low = DigitOf(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    if (i < decoded.size()) decoded[i] = static_cast<uint8_t>(high << 4 | low);
  }
  *info_hash = decoded;
  return true;
}

absl::string_view TakeLine(absl::string_view* rest) {
  const size_t end = rest->find('\n');
  const absl::string_view line = rest->substr(0, end);
  rest->remove_prefix(end == absl::string_view::npos ? rest->size() : end + 1);
  return line;
}

absl::Status WrongLine(size_t number, absl::string_view line) {
  const bool is_long = line.size() > kShownBytesMax;
  return absl::InvalidArgumentError(absl::StrCat(
      "line ", number, ": '", absl::CHexEscape(line.substr(0, kShownBytesMax)),
      is_long ? "..." : "",
      "': allowed: the 40 hexadecimal digits of an info-hash of version 1 or the 64 of version 2, "
      "and comments that begin with #"));
}

}  // namespace

absl::StatusOr<std::vector<InfoHash>> ParseHashList(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  std::vector<InfoHash> hashes;
  hashes.reserve(text.size() / (kV1Digits + 1) + 1);
  for (size_t number = 1; !text.empty(); ++number) {
    const absl::string_view line = TakeLine(&text);
    const absl::string_view content = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    InfoHash info_hash;
    if (!ParseHash(content, &info_hash)) return WrongLine(number, content);
    hashes.push_back(info_hash);
  }
  return hashes;
}

}  // namespace septet::tracker
