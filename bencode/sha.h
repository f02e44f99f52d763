// SHA-1 and SHA-256 in one call, by OpenSSL's libcrypto.

#ifndef SEPTET_BENCODE_SHA_H_
#define SEPTET_BENCODE_SHA_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace septet::bencode {

// Neither fails nor allocates. Thread-safe.
std::array<uint8_t, 20> Sha1(absl::string_view bytes);
std::array<uint8_t, 32> Sha256(absl::string_view bytes);

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_SHA_H_
