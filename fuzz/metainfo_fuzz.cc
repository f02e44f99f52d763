// Bytes as a .torrent file. What is accepted has the same name and info-hashes whatever
// stands around its `info`, and is not accepted when it is cut short.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bencode/decoder.h"
#include "bencode/metainfo.h"

namespace septet::bencode {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// The value of `info` in a file that is known to have one.
absl::string_view FindInfo(absl::string_view file) {
  Decoder decoder(file, DecoderOptions::Lenient());
  decoder.Next();
  while (decoder.Next().string != "info") decoder.SkipValue();
  return decoder.SkipValue();
}

void RequireSame(const Metainfo& expected, const std::string& file) {
  const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(file);
  Require(metainfo.ok());
  Require(metainfo->name == expected.name);
  Require(metainfo->info_hash_v1 == expected.info_hash_v1);
  Require(metainfo->info_hash_v2 == expected.info_hash_v2);
}

void CheckFile(absl::string_view file) {
  const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(file);
  if (!metainfo.ok()) {
    Require(!metainfo.status().message().empty());
    return;
  }
  Require(!metainfo->name.empty());
  Require(metainfo->info_hash_v1.has_value() || metainfo->info_hash_v2.has_value());

  const absl::string_view info = FindInfo(file);
  RequireSame(*metainfo, absl::StrCat("d4:info", info, "e"));
  RequireSame(*metainfo, absl::StrCat("d8:announce0:4:info", info, "1:ai0ee"));
  RequireSame(*metainfo, absl::StrCat(file, "\n"));
  Require(!ReadMetainfo(absl::StrCat("d4:info", info)).ok());
  Require(!ReadMetainfo(absl::StrCat("d4:info", info, "4:info", info, "e")).ok());
  // One byte less of `info` is another `info`, or none.
  Require(!ReadMetainfo(absl::StrCat("d4:info", info.substr(0, info.size() - 1), "e")).ok());
}

}  // namespace
}  // namespace septet::bencode

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  septet::bencode::CheckFile(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
