// What this project's bencoding makes of inputs, for bencode_test.py to compare: a line of
// hexadecimal digits in, a line out that has two words, one of the strict decoder and one of the
// lenient: the value encoded again, in hexadecimal digits, or "-" if the input is refused.

#include <iostream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/types/optional.h"
#include "bencode/decoder.h"
#include "proptests/bencode_value.h"

namespace septet::bencode {
namespace {

std::string Verdict(const std::string& input, const DecoderOptions& options) {
  const absl::optional<Value> value = DecodeWhole(input, options);
  return value.has_value() ? absl::BytesToHexString(EncodeToString(*value)) : "-";
}

void Run() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string input = absl::HexStringToBytes(line);
    std::cout << Verdict(input, DecoderOptions()) << ' '
              << Verdict(input, DecoderOptions::Lenient()) << '\n';
  }
}

}  // namespace
}  // namespace septet::bencode

int main() {
  septet::bencode::Run();
  return 0;
}
