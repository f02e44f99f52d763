// A number of bytes as the value of a flag: "512MiB", "4GiB", "1048576", "none".

#ifndef SEPTET_TRACKER_FLAGS_BYTE_SIZE_H_
#define SEPTET_TRACKER_FLAGS_BYTE_SIZE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace septet::tracker {

struct ByteSize {
  uint64_t bytes = 0;  // 0: none

  friend bool operator==(const ByteSize&, const ByteSize&) = default;
};

// Takes a whole number, alone or with KiB, MiB, GiB or TiB, and "none" for 0. A unit
// such as MB is refused, as it means one thing to some and another to others.
// On an error *error says what is allowed and *size is as before.
bool AbslParseFlag(absl::string_view text, ByteSize* size, std::string* error);

// With the largest unit that leaves a whole number.
std::string AbslUnparseFlag(ByteSize size);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_FLAGS_BYTE_SIZE_H_
