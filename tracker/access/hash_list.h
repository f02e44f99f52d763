// The text of an access list: info-hashes, one a line.

#ifndef SEPTET_TRACKER_ACCESS_HASH_LIST_H_
#define SEPTET_TRACKER_ACCESS_HASH_LIST_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// A line holds the hexadecimal digits, of either case, of an info-hash: 40 of version 1, or
// 64 of version 2, of which the first 20 bytes are what clients announce (BEP 52). Blank
// lines, white space around, "\r\n", and what follows a '#' are skipped, a byte order mark
// at the start too. In the order of the lines, duplicates too.
//
// InvalidArgument names the first line that is wrong and what is allowed:
// "line 3: 'abc': allowed: ...". Time and memory: linear in the text.
absl::StatusOr<std::vector<InfoHash>> ParseHashList(absl::string_view text);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_HASH_LIST_H_
