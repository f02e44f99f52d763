// What a tracker needs to know of a .torrent file: the name and the info-hashes.
//
// Formats: BEP 3 (v1), BEP 52 (v2, and hybrids of both).

#ifndef SEPTET_BENCODE_METAINFO_H_
#define SEPTET_BENCODE_METAINFO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace septet::bencode {

// Larger files are refused; the largest that people make are some tens of MiB.
inline constexpr size_t kMetainfoBytesMax = size_t{256} << 20;

struct Metainfo {
  std::string name;  // as the torrent suggests it: any bytes, not a path to trust

  // SHA-1 of the bytes of `info`: of v1 torrents and hybrids.
  absl::optional<std::array<uint8_t, 20>> info_hash_v1;
  // SHA-256 of the bytes of `info`: of v2 torrents and hybrids.
  absl::optional<std::array<uint8_t, 32>> info_hash_v2;

  // How a v2 torrent is named to a tracker: the first 20 bytes of info_hash_v2.
  std::array<uint8_t, 20> truncated_v2() const;
};

// Reads a .torrent file. The hashes are of exactly the bytes of `info` as they stand in
// the file, which is never encoded anew: a key that the file has in the wrong place
// belongs to its hash. A file may therefore break the order of keys; it may not break
// anything else. InvalidArgument says what is missing or wrong, and at which byte.
//
// Cost: one pass over the file, and one of each hash over `info`.
absl::StatusOr<Metainfo> ReadMetainfo(absl::string_view file);

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_METAINFO_H_
