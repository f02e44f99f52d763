// A whole file of the operator's as a string.

#ifndef SEPTET_TRACKER_ACCESS_READ_FILE_H_
#define SEPTET_TRACKER_ACCESS_READ_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace septet::tracker {

// InvalidArgument says what is wrong with it: it cannot be read, it is no regular file, or
// it holds more than `bytes_max` bytes.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t bytes_max);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_READ_FILE_H_
