// A secret that several machines share as a file.

#ifndef SEPTET_TRACKER_FLAGS_SECRET_FILE_H_
#define SEPTET_TRACKER_FLAGS_SECRET_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "tracker/siphash.h"

namespace septet::tracker {

inline constexpr size_t kSecretBytesMin = 16;
inline constexpr size_t kSecretBytesMax = 4096;

// A key made of all bytes of the file: the same file gives the same key everywhere, and
// any other content another one. Errors (InvalidArgument) say what is wrong with the
// file: it cannot be read, or it has fewer or more bytes than is allowed.
absl::StatusOr<SipHashKey> ReadSecretFile(const std::string& path);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_FLAGS_SECRET_FILE_H_
