#include "bencode/metainfo.h"

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace septet::bencode {
namespace {

std::string ReadFile(const std::string& name) {
  std::ifstream file("bencode/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

template <typename Hash>
std::string Hex(const Hash& hash) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()));
}

// The files were made by libtorrent 2.0.8, which also says these hashes; Python's hashlib
// says the same of the bytes of info.
TEST(Metainfo, ReadsV1) {
  const auto metainfo = ReadMetainfo(ReadFile("v1.torrent"));
  ASSERT_TRUE(metainfo.ok()) << metainfo.status();
  EXPECT_EQ(metainfo->name, "one.bin");
  ASSERT_TRUE(metainfo->info_hash_v1.has_value());
  EXPECT_EQ(Hex(*metainfo->info_hash_v1), "bdea7dcfb311764758556b88224345be315c798f");
  EXPECT_FALSE(metainfo->info_hash_v2.has_value());
}

TEST(Metainfo, ReadsV2) {
  const auto metainfo = ReadMetainfo(ReadFile("v2.torrent"));
  ASSERT_TRUE(metainfo.ok()) << metainfo.status();
  EXPECT_EQ(metainfo->name, "one.bin");
  EXPECT_FALSE(metainfo->info_hash_v1.has_value());
  ASSERT_TRUE(metainfo->info_hash_v2.has_value());
  EXPECT_EQ(Hex(*metainfo->info_hash_v2),
            "5c9af09aa6eeccc13fd9782c62802301c999df6bd759863d96074c87231467cf");
  EXPECT_EQ(Hex(metainfo->truncated_v2()), "5c9af09aa6eeccc13fd9782c62802301c999df6b");
}

TEST(Metainfo, ReadsBothOfAHybrid) {
  const auto metainfo = ReadMetainfo(ReadFile("hybrid.torrent"));
  ASSERT_TRUE(metainfo.ok()) << metainfo.status();
  EXPECT_EQ(metainfo->name, "many");
  ASSERT_TRUE(metainfo->info_hash_v1.has_value());
  EXPECT_EQ(Hex(*metainfo->info_hash_v1), "52a0e75143df53b318b9f2b97ee927eefae83f3a");
  ASSERT_TRUE(metainfo->info_hash_v2.has_value());
  EXPECT_EQ(Hex(*metainfo->info_hash_v2),
            "fb77b812d03fac9f8dc4b1de521bd90fd3059f0b41f9a2e004a9ba3db4c55f25");
}

TEST(Metainfo, TheHashIsOfTheBytesAsTheyStand) {
  // Keys out of order and a number with a leading zero: encoded anew they would differ.
  const std::string info = "d6:pieces20:aaaaaaaaaaaaaaaaaaaa4:name1:x6:lengthi007ee";
  const auto metainfo = ReadMetainfo("d4:info" + info + "8:announce1:ue");
  ASSERT_TRUE(metainfo.ok()) << metainfo.status();
  // printf '%s' "$info" | sha1sum
  EXPECT_EQ(Hex(*metainfo->info_hash_v1), "d6b35ae69c1829ebbe69266e9a5e4cfd4936355c");
}

TEST(Metainfo, NoPartOfAFileIsOne) {
  for (const char* name : {"v1.torrent", "v2.torrent", "hybrid.torrent"}) {
    const std::string file = ReadFile(name);
    for (size_t size = 0; size < file.size(); ++size) {
      EXPECT_FALSE(ReadMetainfo(file.substr(0, size)).ok()) << name << " cut at " << size;
    }
    EXPECT_FALSE(ReadMetainfo(file + "e").ok());
  }
}

struct Fault {
  const char* file;
  const char* says;
};

TEST(Metainfo, SaysWhatIsWrong) {
  constexpr Fault kFaults[] = {
      {"", "at byte 0"},
      {"<html>", "at byte 0"},
      {"i1e", "not a dictionary"},
      {"de", "info is missing"},
      {"d4:info", "at byte 7"},
      {"d4:infoi1ee", "info is not a dictionary"},
      {"d4:infodee", "no name"},
      {"d4:infod4:name1:xee", "neither pieces"},
      {"d4:infod4:namei1e6:pieces0:ee", "no name"},
      {"d4:infod4:name1:x6:piecesi1eee", "neither pieces"},
      {"d4:infod9:file treede4:name1:xee", "neither pieces"},
      {"d4:infod9:file treede12:meta versioni3e4:name1:xee", "meta version 3"},
      {"d4:infod4:name1:x6:pieces0:e4:infod4:name1:y6:pieces0:ee", "twice"},
      {"d4:infod4:name1:x6:pieces0:ee ", "bytes follow"},
  };
  for (const Fault& fault : kFaults) {
    const auto metainfo = ReadMetainfo(fault.file);
    ASSERT_FALSE(metainfo.ok()) << fault.file;
    EXPECT_NE(metainfo.status().message().find(fault.says), absl::string_view::npos)
        << fault.file << ": " << metainfo.status().message();
  }
}

}  // namespace
}  // namespace septet::bencode
