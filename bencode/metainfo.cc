#include "bencode/metainfo.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bencode/decoder.h"
#include "bencode/sha.h"

namespace septet::bencode {
namespace {

constexpr size_t kPieceHashBytes = 20;

// A key that matters, and the value that was found for it.
struct Field {
  absl::string_view key;
  TokenType type;  // what its value has to be
  bool is_there = false;
  Token value = {};               // its first token
  absl::string_view source = {};  // all of its bytes
};

absl::string_view TypeName(TokenType type) {
  switch (type) {
    case TokenType::kInteger:
      return "an integer";
    case TokenType::kString:
      return "a string";
    case TokenType::kBeginList:
      return "a list";
    default:
      return "a dictionary";
  }
}

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// A dictionary of the file, and the fields that are read from it.
class Dictionary {
 public:
  // `where` begins each error: "" or "info: ". `source` lies within `file`.
  Dictionary(absl::string_view where, absl::string_view file, absl::string_view source)
      : where_(where),
        offset_(static_cast<size_t>(source.data() - file.data())),
        decoder_(source, DecoderOptions::Lenient()) {}

  // Fills those fields that are there.
  absl::Status Read(absl::Span<Field> fields) {
    Token token = decoder_.Next();
    if (decoder_.ok() && token.type != TokenType::kBeginDictionary) {
      return Invalid("byte ", offset_, ": expected a dictionary");
    }
    for (token = decoder_.Next(); token.type == TokenType::kKey; token = decoder_.Next()) {
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& f) { return f.key == token.string; });
      if (field == fields.end()) {
        decoder_.SkipValue();
      } else if (absl::Status status = ReadField(*field); !status.ok()) {
        return status;
      }
    }
    return Syntax();
  }

 private:
  absl::Status ReadField(Field& field) {
    const size_t at = offset_ + decoder_.offset();
    if (field.is_there) return Invalid("byte ", at, ": ", where_, Name(field), " is there twice");
    field.is_there = true;
    field.value = decoder_.Next();
    field.source = decoder_.SkipRest(field.value);
    if (!decoder_.ok()) return Syntax();
    if (field.value.type == field.type) return absl::OkStatus();
    return Invalid("byte ", at, ": ", where_, Name(field), " must be ", TypeName(field.type));
  }

  static std::string Name(const Field& field) { return absl::StrCat("`", field.key, "`"); }

  // Fails for the outermost dictionary alone, whose offset_ is 0: to get at those inside,
  // all of it was read.
  absl::Status Syntax() const {
    return decoder_.ok() ? absl::OkStatus() : Invalid(decoder_.error().Text());
  }

  const absl::string_view where_;
  const size_t offset_;
  Decoder decoder_;
};

// The keys of `info` that matter.
struct Info {
  enum { kName, kPieces, kLength, kFiles, kMetaVersion, kFileTree, kFields };

  Field fields[kFields] = {
      {"name", TokenType::kString},          {"pieces", TokenType::kString},
      {"length", TokenType::kInteger},       {"files", TokenType::kBeginList},
      {"meta version", TokenType::kInteger}, {"file tree", TokenType::kBeginDictionary},
  };

  bool Has(int field) const { return fields[field].is_there; }
  int64_t MetaVersion() const { return Has(kMetaVersion) ? fields[kMetaVersion].value.integer : 1; }

  bool IsV1() const { return Has(kPieces) && (Has(kLength) || Has(kFiles)); }
  bool IsV2() const { return MetaVersion() == 2; }
};

absl::Status CheckInfo(const Info& info) {
  if (!info.Has(Info::kName)) return Invalid("info: `name` is missing");
  if (info.fields[Info::kName].value.string.empty()) return Invalid("info: `name` is empty");
  if (info.MetaVersion() != 1 && info.MetaVersion() != 2) {
    return Invalid("info: `meta version` is ", info.MetaVersion(), "; 1 and 2 are known");
  }
  if (info.IsV2() && !info.Has(Info::kFileTree)) {
    return Invalid("info: `meta version` is 2, but `file tree` is missing");
  }
  if (!info.IsV2() && info.Has(Info::kFileTree)) {
    return Invalid("info: there is a `file tree`, but `meta version` is not 2");
  }
  if (info.IsV1()) {
    const size_t bytes = info.fields[Info::kPieces].value.string.size();
    if (bytes != 0 && bytes % kPieceHashBytes == 0) return absl::OkStatus();
    return Invalid("info: `pieces` has ", bytes, " bytes; it must have 20 for each piece");
  }
  if (info.IsV2()) return absl::OkStatus();
  return Invalid("info: ", info.Has(Info::kPieces) ? "`length` or `files`" : "`pieces`",
                 " is missing");
}

}  // namespace

InfoHashV1 Truncate(const InfoHashV2& info_hash) {
  InfoHashV1 result;
  std::copy_n(info_hash.begin(), result.size(), result.begin());
  return result;
}

absl::StatusOr<Metainfo> ReadMetainfo(absl::string_view bytes) {
  if (bytes.size() > kMetainfoBytesMax) {
    return Invalid("the file has ", bytes.size(), " bytes; at most ", kMetainfoBytesMax,
                   " are read");
  }
  Field top[] = {{"info", TokenType::kBeginDictionary}};
  if (absl::Status status = Dictionary("", bytes, bytes).Read(absl::MakeSpan(top)); !status.ok()) {
    return status;
  }
  if (!top[0].is_there) return Invalid("`info` is missing");
  const absl::string_view source = top[0].source;

  Info info;
  if (absl::Status status = Dictionary("info: ", bytes, source).Read(absl::MakeSpan(info.fields));
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckInfo(info); !status.ok()) return status;

  Metainfo metainfo;
  metainfo.name = std::string(info.fields[Info::kName].value.string);
  if (info.IsV1()) metainfo.info_hash_v1 = Sha1(source);
  if (info.IsV2()) metainfo.info_hash_v2 = Sha256(source);
  return metainfo;
}

}  // namespace septet::bencode
