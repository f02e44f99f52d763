#include "tracker/access/access_lists.h"

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/access/access_control.h"
#include "tracker/access/test_folder.h"
#include "tracker/access/torrent_folder.h"

namespace septet::tracker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kX = "1111111111111111111111111111111111111111";
constexpr absl::string_view kY = "2222222222222222222222222222222222222222";

class AccessListsTest : public testing::Test {
 protected:
  bool Allows(absl::string_view hex) const {
    const std::string bytes = absl::HexStringToBytes(hex);
    InfoHash info_hash;
    std::copy(bytes.begin(), bytes.end(), info_hash.begin());
    return control_.Allows(info_hash);
  }

  TestFolder files_{"lists"};
  AccessControl control_;
  AccessLists::Messages messages_;
};

TEST_F(AccessListsTest, AllowedAreTheListAndTheFolderButWhatIsDenied) {
  std::filesystem::create_directory(files_.path("torrents"));
  files_.Write("torrents/a.torrent", kTorrentA.bytes);
  files_.Write("torrents/b.torrent", kTorrentB.bytes);
  const AccessOptions options = {files_.Write("allow", absl::StrCat(kX, "\n", kY)),
                                 files_.Write("deny", absl::StrCat(kY, "\n", kTorrentB.info_hash)),
                                 files_.path("torrents")};
  AccessLists lists(options, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  EXPECT_TRUE(Allows(kX));
  EXPECT_FALSE(Allows(kY));
  EXPECT_TRUE(Allows(kTorrentA.info_hash));
  EXPECT_FALSE(Allows(kTorrentB.info_hash));
  EXPECT_FALSE(Allows("3333333333333333333333333333333333333333"));
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(AccessListsTest, ADenyListAloneAllowsTheOthers) {
  AccessLists lists({"", files_.Write("deny", kX), ""}, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  EXPECT_FALSE(Allows(kX));
  EXPECT_TRUE(Allows(kY));
}

TEST_F(AccessListsTest, AnEmptyListAllowsNothing) {
  AccessLists lists({files_.Write("allow", "# none yet\n"), "", ""}, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  EXPECT_FALSE(Allows(kX));
}

TEST_F(AccessListsTest, WhatCannotBeReadIsNamed) {
  const std::string bad = files_.Write("bad", absl::StrCat(kX, "\nfoo\n"));
  const struct {
    AccessOptions options;
    std::string named;
  } kCases[] = {
      {{bad, "", ""}, absl::StrCat("--allow_list=", bad, ": line 2: 'foo': allowed: ")},
      {{"", bad, ""}, absl::StrCat("--deny_list=", bad, ": line 2: ")},
      {{files_.path("none"), "", ""}, "none: cannot be read: No such file"},
      {{"", "", files_.path("none")}, absl::StrCat("--torrents_dir=", files_.path("none"))},
      {{"", "", bad}, "cannot be read: Not a directory"},
  };
  for (const auto& test : kCases) {
    const absl::Status status = CheckAccessLists(test.options);
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.named));
  }
  EXPECT_TRUE(CheckAccessLists({}).ok());
}

TEST_F(AccessListsTest, ReadingAgainTakesWhatIsGoodAndKeepsWhatIsBrokenNow) {
  const AccessOptions options = {files_.Write("allow", kX), files_.Write("deny", kY), ""};
  AccessLists lists(options, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());

  files_.Write("allow", absl::StrCat(kX, "\n", kY, "\n"));
  files_.Write("deny", "oops");
  lists.Reload(1, &messages_);
  EXPECT_THAT(messages_, ElementsAre(HasSubstr("deny: line 1: 'oops'"),
                                     "lists are read: 2 in --allow_list; 1 in --deny_list"));
  EXPECT_THAT(messages_[0], HasSubstr("stays in force"));
  EXPECT_TRUE(Allows(kX));
  EXPECT_FALSE(Allows(kY));

  messages_.clear();
  files_.Write("deny", "");
  lists.Reload(2, &messages_);
  EXPECT_THAT(messages_, ElementsAre("lists are read: 2 in --allow_list; 0 in --deny_list"));
  EXPECT_TRUE(Allows(kY));
}

TEST_F(AccessListsTest, TheFolderIsFollowed) {
  std::filesystem::create_directory(files_.path("torrents"));
  AccessLists lists({"", "", files_.path("torrents")}, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  EXPECT_FALSE(Allows(kTorrentA.info_hash));
  files_.Write("torrents/a.torrent", kTorrentA.bytes);
  lists.Rescan(1, &messages_);
  EXPECT_TRUE(Allows(kTorrentA.info_hash));
  files_.Remove("torrents/a.torrent");
  lists.Rescan(2, &messages_);
  EXPECT_FALSE(Allows(kTorrentA.info_hash));
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(AccessListsTest, AFolderThatIsAwayIsComplainedOfOnceAndStaysInForce) {
  std::filesystem::create_directory(files_.path("torrents"));
  files_.Write("torrents/a.torrent", kTorrentA.bytes);
  AccessLists lists({"", "", files_.path("torrents")}, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  std::filesystem::rename(files_.path("torrents"), files_.path("away"));
  lists.Rescan(1, &messages_);
  lists.Rescan(2, &messages_);
  EXPECT_THAT(messages_, ElementsAre(HasSubstr("cannot be read: No such file")));
  EXPECT_TRUE(Allows(kTorrentA.info_hash));
  std::filesystem::rename(files_.path("away"), files_.path("torrents"));
  lists.Rescan(3, &messages_);
  std::filesystem::rename(files_.path("torrents"), files_.path("away"));
  lists.Rescan(4, &messages_);
  EXPECT_EQ(messages_.size(), 2u);
}

TEST_F(AccessListsTest, ManyBrokenFilesAreAFewMessages) {
  std::filesystem::create_directory(files_.path("torrents"));
  for (int i = 0; i < 30; ++i) files_.Write(absl::StrCat("torrents/", i, ".torrent"), "x");
  AccessLists lists({"", "", files_.path("torrents")}, &control_);
  ASSERT_TRUE(lists.Load(0, false, &messages_).ok());
  EXPECT_TRUE(lists.unsettled());
  lists.Rescan(TorrentFolder::kSettleMs, &messages_);
  EXPECT_FALSE(lists.unsettled());
  ASSERT_EQ(messages_.size(), 11u);
  EXPECT_THAT(messages_.back(), HasSubstr("and 20 other files"));
}

}  // namespace
}  // namespace septet::tracker
