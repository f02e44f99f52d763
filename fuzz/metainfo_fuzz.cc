// Reading a .torrent file.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "bencode/metainfo.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file(reinterpret_cast<const char*>(data), size);
  const auto metainfo = septet::bencode::ReadMetainfo(file);
  if (!metainfo.ok()) {
    if (metainfo.status().message().empty()) std::abort();
    return 0;
  }
  if (!metainfo->info_hash_v1.has_value() && !metainfo->info_hash_v2.has_value()) std::abort();
  if (file.find(metainfo->name) == absl::string_view::npos) std::abort();
  return 0;
}
