// What a tracker needs to know of a .torrent file: its info-hashes and its name. Format:
// BEP 3 (version 1), BEP 52 (version 2, and hybrids of both).

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

inline constexpr size_t kInfoHashV1Bytes = 20;
inline constexpr size_t kInfoHashV2Bytes = 32;

// The largest .torrent that is read. A million pieces have 20 MB of hashes; clients have
// limits of their own between 10 and 100 MB. Compare a file's size before you read it.
inline constexpr size_t kMetainfoBytesMax = size_t{64} << 20;

using InfoHashV1 = std::array<uint8_t, kInfoHashV1Bytes>;
using InfoHashV2 = std::array<uint8_t, kInfoHashV2Bytes>;

struct Metainfo {
  // As it stands in the file, any bytes but at least one: not safe as a path.
  std::string name;

  // At least one is there, in a hybrid both.
  absl::optional<InfoHashV1> info_hash_v1;  // SHA-1 of the bytes of `info`
  absl::optional<InfoHashV2> info_hash_v2;  // SHA-256 of the same bytes
};

// The first 20 bytes: how a v2 info-hash stands in an announce or a scrape.
InfoHashV1 Truncate(const InfoHashV2& info_hash);

// Reads the bytes of a .torrent file. They are hashed as they are, never encoded again.
//
// A torrent has a v1 info-hash if `info` has `pieces` and one of `length` and `files`, and
// a v2 info-hash if it has `meta version` 2 and `file tree`. Whatever else a client needs
// (sizes, paths, `piece length`) is not checked: this is no proof that a client can load it.
//
// Bencoding is read leniently (DecoderOptions::Lenient()), since clients do so and take
// the hash of what is there; but a key that matters here and occurs twice is an error,
// because two programs could take two different hashes from it.
//
// Errors are InvalidArgument and name the byte or the key: "byte 17: expected a digit or
// 'e'", "info: `name` is missing". Time: two passes over the structure and one hash a
// version: about 1 ms a MB where the processor has instructions for SHA, else some 2 ms for v1
// and 5 ms for v2. Allocates nothing but the name and an error's text.
// Thread-safe.
absl::StatusOr<Metainfo> ReadMetainfo(absl::string_view bytes);

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_METAINFO_H_
