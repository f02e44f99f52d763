#include "bencode/metainfo.h"

#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

std::string ReadFile(absl::string_view name) {
  const std::string path = absl::StrCat("bencode/testdata/", name);
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

template <typename Hash>
std::string Hex(const absl::optional<Hash>& hash) {
  if (!hash.has_value()) return "";
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash->data()), hash->size()));
}

struct Torrent {
  const char* file;
  const char* name;
  const char* v1;  // hexadecimal; empty: none
  const char* v2;
};

// Made by libtorrent 2.0.8. The hashes are those that it gives, and those of Python's
// hashlib over the same bytes.
constexpr Torrent kTorrents[] = {
    {"v1.torrent", "file.bin", "486b48e4ae8184cea800ed165ad444eb1ae0d2cb", ""},
    {"v2.torrent", "file.bin", "",
     "8f826adb173edc049ccd6be9e8c34bbbf12c68fce36b268964984ba28c1f27ec"},
    {"hybrid.torrent", "file.bin", "0791f9ba7c44eca71298f90ae2ca739e0208b1df",
     "27c80c523c3cfa6dab5660a76f015d1bdbb8fe0f6af3bbba2034c570c0da808f"},
    {"v1_files.torrent", "album", "4d5802a4dc1036f23aed869f0c4ddca672588e32", ""},
    {"v2_files.torrent", "album", "",
     "4d9f96e0e4f3b545f0312b3d2ae85dbd0cbe25785d5dd2e8427be9b63c6d70d0"},
    {"hybrid_files.torrent", "album", "418bd0fb2ac9578048bce518cefb60cc0f3c316d",
     "a6779b2b871f2fc0d72f159a24e298360083f887b00a7c890b6ffdf180d66dde"},
};

TEST(Metainfo, AgreesWithLibtorrent) {
  for (const Torrent& torrent : kTorrents) {
    const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(ReadFile(torrent.file));
    ASSERT_TRUE(metainfo.ok()) << torrent.file << ": " << metainfo.status();
    EXPECT_EQ(metainfo->name, torrent.name);
    EXPECT_EQ(Hex(metainfo->info_hash_v1), torrent.v1) << torrent.file;
    EXPECT_EQ(Hex(metainfo->info_hash_v2), torrent.v2) << torrent.file;
  }
}

TEST(Metainfo, FilesCutShortAreRefused) {
  for (const Torrent& torrent : kTorrents) {
    const std::string whole = ReadFile(torrent.file);
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(ReadMetainfo(whole.substr(0, size)).ok()) << torrent.file << " " << size;
    }
  }
}

TEST(Metainfo, TruncatesV2ForTrackers) {
  const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(ReadFile("v2.torrent"));
  ASSERT_TRUE(metainfo.ok());
  EXPECT_EQ(Hex<InfoHashV1>(Truncate(*metainfo->info_hash_v2)),
            "8f826adb173edc049ccd6be9e8c34bbbf12c68fc");
}

// Keys of `info` for small torrents, in order.
constexpr absl::string_view kFileTree = "9:file treed1:nd0:d6:lengthi0eeee";
constexpr absl::string_view kLength = "6:lengthi5e";
constexpr absl::string_view kVersion2 = "12:meta versioni2e";
constexpr absl::string_view kName = "4:name1:n";
constexpr absl::string_view kPieces = "6:pieces20:xxxxxxxxxxxxxxxxxxxx";

template <typename... Keys>
std::string TorrentOf(const Keys&... keys) {
  return absl::StrCat("d4:infod", keys..., "ee");
}

struct Versions {
  std::string torrent;
  bool is_v1;
  bool is_v2;
};

TEST(Metainfo, KeysDecideTheVersions) {
  const Versions versions[] = {
      {TorrentOf(kLength, kName, kPieces), true, false},
      {TorrentOf("5:filesle", kName, kPieces), true, false},
      {TorrentOf(kLength, "12:meta versioni1e", kName, kPieces), true, false},
      {TorrentOf(kFileTree, kVersion2, kName), false, true},
      {TorrentOf(kFileTree, kLength, kVersion2, kName, kPieces), true, true},
      {TorrentOf(kFileTree, "5:filesle", kVersion2, kName, kPieces), true, true},
      // As libtorrent sees it: without sizes there is no v1.
      {TorrentOf(kFileTree, kVersion2, kName, kPieces), false, true},
      // Not as libtorrent sees it: without hashes of pieces no v1 client can load it.
      {TorrentOf(kFileTree, kLength, kVersion2, kName), false, true},
  };
  for (const Versions& expected : versions) {
    const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(expected.torrent);
    ASSERT_TRUE(metainfo.ok()) << expected.torrent << ": " << metainfo.status();
    EXPECT_EQ(metainfo->name, "n");
    EXPECT_EQ(metainfo->info_hash_v1.has_value(), expected.is_v1) << expected.torrent;
    EXPECT_EQ(metainfo->info_hash_v2.has_value(), expected.is_v2) << expected.torrent;
  }
}

struct Refused {
  std::string torrent;
  std::string message;
};

TEST(Metainfo, RefusalsNameTheKeyOrTheByte) {
  const Refused refusals[] = {
      {"", "byte 0: expected a value"},
      {"i1e", "byte 0: expected a dictionary"},
      {"le", "byte 0: expected a dictionary"},
      {"de", "`info` is missing"},
      {"d8:announce1:xe", "`info` is missing"},
      {"d4:infoi1ee", "byte 7: `info` must be a dictionary"},
      {"d4:infole3:zzze", "byte 7: `info` must be a dictionary"},
      {"d4:infode4:infodee", "byte 15: `info` is there twice"},
      {"d4:infod4:name1:n", "byte 17: expected a key, which is a string, or 'e'"},
      {"d4:infodei", "byte 9: expected a key, which is a string, or 'e'"},
      {"d1:axe", "byte 4: expected a value"},
      {"d4:infoxe", "byte 7: expected a value"},
      {TorrentOf(), "info: `name` is missing"},
      {TorrentOf(kLength, kPieces), "info: `name` is missing"},
      {TorrentOf(kLength, "4:name0:", kPieces), "info: `name` is empty"},
      {TorrentOf(kLength, "4:namei1e", kPieces), "byte 25: info: `name` must be a string"},
      {TorrentOf(kLength, kName, kName, kPieces), "byte 34: info: `name` is there twice"},
      {TorrentOf(kLength, kName, "6:piecesle"), "byte 36: info: `pieces` must be a string"},
      {TorrentOf("6:length1:5", kName, kPieces), "byte 16: info: `length` must be an integer"},
      {TorrentOf("5:filesde", kName, kPieces), "byte 15: info: `files` must be a list"},
      {TorrentOf("9:file treele", kVersion2, kName),
       "byte 19: info: `file tree` must be a dictionary"},
      {TorrentOf(kLength, kName), "info: `pieces` is missing"},
      {TorrentOf(kName, kPieces), "info: `length` or `files` is missing"},
      {TorrentOf(kLength, kName, "6:pieces0:"),
       "info: `pieces` has 0 bytes; it must have 20 for each piece"},
      {TorrentOf(kLength, kName, "6:pieces21:xxxxxxxxxxxxxxxxxxxxx"),
       "info: `pieces` has 21 bytes; it must have 20 for each piece"},
      {TorrentOf(kLength, kName, "6:pieces30:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
       "info: `pieces` has 30 bytes; it must have 20 for each piece"},
      {TorrentOf(kFileTree, kLength, kVersion2, kName, "6:pieces1:x"),
       "info: `pieces` has 1 bytes; it must have 20 for each piece"},
      {TorrentOf(kLength, kVersion2, kName, kPieces),
       "info: `meta version` is 2, but `file tree` is missing"},
      {TorrentOf(kFileTree, kLength, kName, kPieces),
       "info: there is a `file tree`, but `meta version` is not 2"},
      {TorrentOf(kFileTree, "12:meta versioni3e", kName),
       "info: `meta version` is 3; 1 and 2 are known"},
      {TorrentOf(kLength, "12:meta versioni0e", kName, kPieces),
       "info: `meta version` is 0; 1 and 2 are known"},
      {TorrentOf(kFileTree, "12:meta version1:2", kName),
       "byte 56: info: `meta version` must be an integer"},
  };
  for (const Refused& refused : refusals) {
    const absl::Status status = ReadMetainfo(refused.torrent).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << refused.torrent;
    EXPECT_EQ(status.message(), refused.message) << refused.torrent;
  }
}

// What libtorrent 2.0.8 loads, with the same hash, although it is not canonical.
TEST(Metainfo, FilesFromTheFieldAreReadAsTheyAre) {
  const std::string info = absl::StrCat("4:infod", kLength, kName, kPieces, "e");
  const std::string plain = Hex(ReadMetainfo("d" + info + "e")->info_hash_v1);
  for (const std::string& torrent : {
           absl::StrCat("d", info, "e\n"),
           absl::StrCat("d", info, "1:a1:be"),
           absl::StrCat("d1:ai007e", info, "e"),
           absl::StrCat("d1:ai-0e", info, "e"),
           absl::StrCat("d1:a03:abc", info, "e"),
           absl::StrCat("d1:ai99999999999999999999e", info, "e"),
           absl::StrCat("d1:a0:1:a0:", info, "1:a0:e"),
       }) {
    const absl::StatusOr<Metainfo> metainfo = ReadMetainfo(torrent);
    ASSERT_TRUE(metainfo.ok()) << torrent << ": " << metainfo.status();
    EXPECT_EQ(Hex(metainfo->info_hash_v1), plain) << torrent;
  }
}

// Not canonical within `info`: another encoder would give other bytes and another hash. The
// expected ones: python3 -c 'import hashlib; print(hashlib.sha1(b"d...e").hexdigest())'.
TEST(Metainfo, HashesTheBytesThatAreThere) {
  const std::string unsorted = TorrentOf(kPieces, kName, kLength);
  const std::string zeros = TorrentOf("6:lengthi05e", kName, kPieces);
  EXPECT_EQ(Hex(ReadMetainfo(unsorted)->info_hash_v1), "a8c9b90948b2b2cacc5605eff94adabead9ce859");
  EXPECT_EQ(Hex(ReadMetainfo(zeros)->info_hash_v1), "5ef9e13392e4bdc52193063aad7b05175a2ac0ea");
}

TEST(Metainfo, InfoBelowTheTopDoesNotCount) {
  EXPECT_EQ(
      ReadMetainfo(absl::StrCat("d1:ad4:infod", kLength, kName, kPieces, "eee")).status().message(),
      "`info` is missing");
}

TEST(Metainfo, SizeIsLimited) {
  const std::string torrent = TorrentOf(kLength, kName, kPieces);
  std::string padded = torrent + std::string(kMetainfoBytesMax - torrent.size(), ' ');
  EXPECT_TRUE(ReadMetainfo(padded).ok());
  padded += ' ';
  EXPECT_EQ(ReadMetainfo(padded).status().message(),
            "the file has 67108865 bytes; at most 67108864 are read");
}

TEST(Metainfo, DeepNestingIsRefused) {
  const std::string deep = absl::StrCat("d1:a", std::string(1'000'000, 'l'));
  EXPECT_EQ(ReadMetainfo(deep).status().message(),
            "byte 131: expected no more than depth_max levels of lists and dictionaries");
}

}  // namespace
}  // namespace septet::bencode
