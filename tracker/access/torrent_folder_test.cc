#include "tracker/access/torrent_folder.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/access/test_folder.h"

namespace septet::tracker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class TorrentFolderTest : public testing::Test {
 protected:
  TorrentFolder::Changes Scan(int64_t now_ms, bool final = false) {
    TorrentFolder::Changes changes;
    const absl::Status status = folder_.Scan(now_ms, final, &changes);
    EXPECT_TRUE(status.ok()) << status;
    return changes;
  }
  std::vector<std::string> Hashes() const {
    std::vector<InfoHash> hashes;
    folder_.AppendTo(&hashes);
    std::vector<std::string> hex;
    for (const InfoHash& hash : hashes) {
      hex.push_back(absl::BytesToHexString(
          absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size())));
    }
    return hex;
  }

  static constexpr int64_t kSettled = TorrentFolder::kSettleMs;
  static constexpr absl::string_view kA = kTorrentA.info_hash;
  static constexpr absl::string_view kB = kTorrentB.info_hash;

  TestFolder files_{"torrents"};
  TorrentFolder folder_{files_.path()};
};

TEST_F(TorrentFolderTest, KnowsTheTorrentsOfItsFiles) {
  files_.Write("a.torrent", kTorrentA.bytes);
  files_.Write("c.TORRENT", kTorrentV2.bytes);
  files_.Write("b.torrent.part", kTorrentB.bytes);
  files_.Write(".b.torrent", kTorrentB.bytes);
  std::filesystem::create_directory(files_.path("d.torrent"));
  const auto changes = Scan(0);
  EXPECT_TRUE(changes.any);
  EXPECT_FALSE(changes.unsettled);
  EXPECT_THAT(changes.complaints, IsEmpty());
  EXPECT_THAT(Hashes(), UnorderedElementsAre(kA, kTorrentV2.info_hash));
  EXPECT_FALSE(Scan(1).any);
}

TEST_F(TorrentFolderTest, FilesComeGoAndChangeTheirNames) {
  EXPECT_FALSE(Scan(0).any);
  files_.Write("a.torrent", kTorrentA.bytes);
  EXPECT_TRUE(Scan(1).any);
  std::filesystem::rename(files_.path("a.torrent"), files_.path("x.torrent"));
  Scan(2);
  EXPECT_THAT(Hashes(), ElementsAre(kA));
  files_.Remove("x.torrent");
  EXPECT_TRUE(Scan(3).any);
  EXPECT_THAT(Hashes(), IsEmpty());
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(TorrentFolderTest, AnotherTorrentUnderTheSameName) {
  files_.Write("a.torrent", kTorrentA.bytes);
  Scan(0);
  files_.Write("new", kTorrentB.bytes);
  std::filesystem::rename(files_.path("new"), files_.path("a.torrent"));
  EXPECT_TRUE(Scan(1).any);
  EXPECT_THAT(Hashes(), ElementsAre(kB));
}

TEST_F(TorrentFolderTest, AHalfCopiedFileIsRetriedAndNotComplainedOf) {
  files_.Write("a.torrent", kTorrentA.bytes.substr(0, 40));
  auto changes = Scan(0);
  EXPECT_TRUE(changes.unsettled);
  EXPECT_FALSE(changes.any);
  EXPECT_THAT(changes.complaints, IsEmpty());
  files_.Write("a.torrent", kTorrentA.bytes);
  changes = Scan(kSettled - 1);
  EXPECT_TRUE(changes.any);
  EXPECT_FALSE(changes.unsettled);
  EXPECT_THAT(Hashes(), ElementsAre(kA));
}

TEST_F(TorrentFolderTest, ABrokenFileIsComplainedOfOnce) {
  files_.Write("bad\n.torrent", "d4:infoe");
  EXPECT_TRUE(Scan(0).unsettled);
  EXPECT_TRUE(Scan(kSettled - 1).unsettled);
  const auto changes = Scan(kSettled);
  EXPECT_FALSE(changes.unsettled);
  ASSERT_EQ(changes.complaints.size(), 1u);
  // One line, whatever the name is.
  EXPECT_THAT(changes.complaints[0], HasSubstr("bad\\n.torrent: "));
  EXPECT_THAT(Scan(2 * kSettled).complaints, IsEmpty());
  EXPECT_FALSE(Scan(3 * kSettled).unsettled);
}

TEST_F(TorrentFolderTest, AFileThatBreaksCountsAsItWasUntilItHasSettled) {
  files_.Write("a.torrent", kTorrentA.bytes);
  Scan(0);
  files_.Write("a.torrent", kTorrentA.bytes.substr(0, 40));
  const auto changes = Scan(10);
  EXPECT_FALSE(changes.any);
  EXPECT_TRUE(changes.unsettled);
  EXPECT_THAT(Hashes(), ElementsAre(kA));
  EXPECT_TRUE(Scan(10 + kSettled).any);
  EXPECT_THAT(Hashes(), IsEmpty());
}

TEST_F(TorrentFolderTest, TheLastScanComplainsAtOnce) {
  files_.Write("bad.torrent", "");
  EXPECT_EQ(Scan(0, /*final=*/true).complaints.size(), 1u);
}

TEST_F(TorrentFolderTest, AFolderThatCannotBeReadLeavesAllAsItWas) {
  files_.Write("a.torrent", kTorrentA.bytes);
  Scan(0);
  std::filesystem::rename(files_.path(), files_.path() + ".away");
  TorrentFolder::Changes changes;
  const absl::Status status = folder_.Scan(1, false, &changes);
  std::filesystem::rename(files_.path() + ".away", files_.path());
  EXPECT_THAT(std::string(status.message()), HasSubstr("No such file"));
  EXPECT_FALSE(changes.any);
  EXPECT_THAT(Hashes(), ElementsAre(kA));
}

}  // namespace
}  // namespace septet::tracker
