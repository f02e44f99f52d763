// Bytes as a list of info-hashes. What is accepted is what a second reading, line by line
// and digit by digit, finds; a refusal names the line at which that one stops.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tracker/access/hash_list.h"
#include "tracker/access/info_hash_set.h"

namespace septet::tracker {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// The plain reading: how many lines are good, and their hashes.
struct Reading {
  std::vector<InfoHash> hashes;
  size_t wrong_line = 0;  // 0: none
};

std::string Content(absl::string_view line) {
  std::string content;
  for (const char c : line) {
    if (c == '#') break;
    content += c;
  }
  constexpr absl::string_view kBlanks = " \t\r\v\f";
  const size_t begin = content.find_first_not_of(std::string(kBlanks));
  if (begin == std::string::npos) return "";
  return content.substr(begin, content.find_last_not_of(std::string(kBlanks)) - begin + 1);
}

bool Decode(const std::string& digits, InfoHash* info_hash) {
  if (digits.size() != 40 && digits.size() != 64) return false;
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return false;
  for (size_t i = 0; i < info_hash->size(); ++i) {
    (*info_hash)[i] = static_cast<uint8_t>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return true;
}

Reading Read(absl::string_view text) {
  if (absl::StartsWith(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  Reading reading;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::string content = Content(line);
    if (content.empty()) continue;
    InfoHash info_hash{};
    if (!Decode(content, &info_hash)) {
      reading.wrong_line = number;
      break;
    }
    reading.hashes.push_back(info_hash);
  }
  return reading;
}

void Check(absl::string_view text) {
  const auto hashes = ParseHashList(text);
  const Reading reading = Read(text);
  Require(hashes.ok() == (reading.wrong_line == 0));
  if (!hashes.ok()) {
    Require(absl::StartsWith(hashes.status().message(),
                             absl::StrCat("line ", reading.wrong_line, ": '")));
    Require(hashes.status().message().find('\n') == absl::string_view::npos);
    return;
  }
  Require(*hashes == reading.hashes);
  const InfoHashSet set(*hashes);
  for (const InfoHash& info_hash : *hashes) Require(set.Contains(info_hash));
}

}  // namespace
}  // namespace septet::tracker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  septet::tracker::Check(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
