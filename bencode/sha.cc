#include "bencode/sha.h"

#include <openssl/sha.h>

// The functions of one algorithm, not EVP_Digest or its wrapper SHA1(): those look for a
// provider at run time, so that a static program gets every cipher there is (3.8 MB), 3 MB
// of memory at the first hash, a configuration file to read and a way to fail. OpenSSL 3
// marks the functions used here as deprecated, which the BUILD file silences; all of them
// return 1.

namespace septet::bencode {

std::array<uint8_t, 20> Sha1(absl::string_view bytes) {
  std::array<uint8_t, 20> digest;
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, bytes.data(), bytes.size());
  SHA1_Final(digest.data(), &context);
  return digest;
}

std::array<uint8_t, 32> Sha256(absl::string_view bytes) {
  std::array<uint8_t, 32> digest;
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

}  // namespace septet::bencode
