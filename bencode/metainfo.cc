#include "bencode/metainfo.h"

#include <openssl/sha.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bencode/decoder.h"

namespace septet::bencode {
namespace {

using absl::string_view;

// What `info` holds that matters here.
struct InfoKeys {
  absl::optional<string_view> name;
  bool has_pieces = false;     // v1
  bool has_file_tree = false;  // v2
  int64_t meta_version = 1;
};

absl::Status Wrong(const Decoder& decoder) {
  return absl::InvalidArgumentError(absl::StrCat("not a torrent file: at byte ",
                                                 decoder.error().offset, " expected ",
                                                 decoder.error().expected));
}

absl::Status Missing(string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a torrent file: ", what));
}

// Lenient about order alone: a second value after the first is no torrent file.
DecoderOptions Options() {
  DecoderOptions options;
  options.lenient = true;
  return options;
}

// Calls `take(key, bytes of the value)` for each entry of the dictionary that was just
// begun. False after an error.
template <typename Take>
bool ForEachEntry(Decoder* decoder, Take take) {
  for (;;) {
    const Token key = decoder->Next();
    if (key.type == TokenType::kEnd) return true;
    const string_view value = decoder->Skip(decoder->Next());
    if (value.empty()) return false;
    take(key.string, value);
  }
}

absl::StatusOr<InfoKeys> ReadInfo(string_view info) {
  Decoder decoder(info, Options());
  if (decoder.Next().type != TokenType::kDictionaryBegin) {
    return Missing("info is not a dictionary");
  }
  InfoKeys keys;
  const bool is_whole = ForEachEntry(&decoder, [&](string_view key, string_view bytes) {
    const Token value = Decoder(bytes, Options()).Next();
    if (key == "name" && value.type == TokenType::kString) keys.name = value.string;
    if (key == "pieces") keys.has_pieces = value.type == TokenType::kString;
    if (key == "file tree") keys.has_file_tree = value.type == TokenType::kDictionaryBegin;
    if (key == "meta version" && value.type == TokenType::kInteger) {
      keys.meta_version = value.integer;
    }
  });
  if (!is_whole) return Wrong(decoder);
  return keys;
}

// The bytes of `info` in the outermost dictionary.
absl::StatusOr<string_view> FindInfo(string_view file) {
  Decoder decoder(file, Options());
  const Token first = decoder.Next();
  if (first.type == TokenType::kError) return Wrong(decoder);
  if (first.type != TokenType::kDictionaryBegin) return Missing("it is not a dictionary");
  absl::optional<string_view> info;
  bool is_twice = false;
  const bool is_whole = ForEachEntry(&decoder, [&](string_view key, string_view value) {
    if (key != "info") return;
    is_twice |= info.has_value();
    info = value;
  });
  if (!is_whole) return Wrong(decoder);
  if (decoder.offset() != file.size()) return Missing("bytes follow the dictionary");
  if (is_twice) return Missing("info is there twice");
  if (!info.has_value()) return Missing("info is missing");
  return *info;
}

const uint8_t* Bytes(string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace

std::array<uint8_t, 20> Metainfo::truncated_v2() const {
  std::array<uint8_t, 20> truncated{};
  if (info_hash_v2.has_value()) {
    std::copy_n(info_hash_v2->begin(), truncated.size(), truncated.begin());
  }
  return truncated;
}

absl::StatusOr<Metainfo> ReadMetainfo(string_view file) {
  if (file.size() > kMetainfoBytesMax) {
    return Missing(absl::StrCat("it has ", file.size(), " bytes; allowed are ", kMetainfoBytesMax));
  }
  const absl::StatusOr<string_view> info = FindInfo(file);
  if (!info.ok()) return info.status();
  const absl::StatusOr<InfoKeys> keys = ReadInfo(*info);
  if (!keys.ok()) return keys.status();
  if (!keys->name.has_value()) return Missing("info has no name");
  if (keys->meta_version != 1 && keys->meta_version != 2) {
    return Missing(absl::StrCat("meta version ", keys->meta_version, "; known are 1 and 2"));
  }
  const bool is_v2 = keys->meta_version == 2 && keys->has_file_tree;
  if (!keys->has_pieces && !is_v2) {
    return Missing("info has neither pieces (v1) nor meta version 2 and file tree (v2)");
  }

  Metainfo metainfo;
  metainfo.name = std::string(*keys->name);
  if (keys->has_pieces) {
    SHA1(Bytes(*info), info->size(), metainfo.info_hash_v1.emplace().data());
  }
  if (is_v2) SHA256(Bytes(*info), info->size(), metainfo.info_hash_v2.emplace().data());
  return metainfo;
}

}  // namespace septet::bencode
