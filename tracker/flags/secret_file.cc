#include "tracker/flags/secret_file.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace septet::tracker {
namespace {

// One half of the key. The hash is keyed with the number of the half, so that the two
// have nothing to do with each other; the secret is the message.
void DeriveHalf(absl::Span<const uint8_t> secret, uint8_t half, uint8_t* out) {
  SipHashKey number{};
  number[0] = half;
  const uint64_t hash = SipHash24(number, secret);
  for (size_t i = 0; i < sizeof(hash); ++i) out[i] = static_cast<uint8_t>(hash >> (8 * i));
}

}  // namespace

absl::StatusOr<SipHashKey> ReadSecretFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(absl::StrCat("cannot be read: ", strerrordesc_np(errno)));
  }
  // One more than is allowed tells that there is more.
  std::array<char, kSecretBytesMax + 1> bytes;
  file.read(bytes.data(), bytes.size());
  const auto size = static_cast<size_t>(file.gcount());
  if (file.bad() || size < kSecretBytesMin || size > kSecretBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat("allowed: a file of ", kSecretBytesMin, " to ",
                                                   kSecretBytesMax, " secret bytes"));
  }
  const auto secret = absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), size);
  SipHashKey key;
  DeriveHalf(secret, 0, key.data());
  DeriveHalf(secret, 1, key.data() + key.size() / 2);
  return key;
}

}  // namespace septet::tracker
