// Which torrents the tracker serves, at the edge of its process: lists, the folder, SIGHUP.

#include <signal.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/access/test_folder.h"
#include "tracker/flags/test_process.h"
#include "tracker/server/test_client.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kX = "1111111111111111111111111111111111111111";
constexpr absl::string_view kY = "2222222222222222222222222222222222222222";

std::string Escaped(absl::string_view hex) {
  std::string text;
  for (size_t i = 0; i < hex.size(); i += 2) absl::StrAppend(&text, "%", hex.substr(i, 2));
  return text;
}

std::string Announce(TestClient& client, absl::string_view hex) {
  return client.Ask(
      absl::StrCat("GET /announce?info_hash=", Escaped(hex),
                   "&peer_id=-XX0000-012345678901&port=6881&left=5 HTTP/1.1\r\n\r\n"));
}

bool IsServed(TestClient& client, absl::string_view hex) {
  const std::string reply = Announce(client, hex);
  if (absl::StrContains(reply, "8:interval")) return true;
  EXPECT_THAT(reply, HasSubstr("14:failure reason67:info_hash: this torrent is not authorized for "
                               "use with this tracker"));
  return false;
}

// What follows from a change of the folder comes a moment later: asks until it is so, or for
// as long as a client is patient.
bool Becomes(TestClient& client, absl::string_view hex, bool is_served) {
  const time_t end = time(nullptr) + TestClient::kPatience.tv_sec;
  while (time(nullptr) < end) {
    if (IsServed(client, hex) == is_served) return true;
  }
  return false;
}

TEST(AccessProcessTest, ListsAreReadAgainOnSighupAndABrokenOneLeavesTheOldInForce) {
  const TestFolder files("access");
  const std::string allow = files.Write("allow", absl::StrCat(kX, "  # the first\n"));
  TestProcess process({"--listen=http://127.0.0.1:0", "--allow_list=" + allow});
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  EXPECT_TRUE(IsServed(client, kX));
  EXPECT_FALSE(IsServed(client, kY));

  files.Write("allow", absl::StrCat(kY, "\n"));
  process.Signal(SIGHUP);
  EXPECT_EQ(process.ReadErrorLine(), "septet: lists are read: 1 in --allow_list\n");
  EXPECT_FALSE(IsServed(client, kX));
  EXPECT_TRUE(IsServed(client, kY));

  files.Write("allow", absl::StrCat(kX, "\n", kY, "\nnonsense\n"));
  process.Signal(SIGHUP);
  EXPECT_THAT(process.ReadErrorLine(),
              HasSubstr(absl::StrCat("--allow_list=", allow, ": line 3: 'nonsense': allowed: ")));
  EXPECT_EQ(process.ReadErrorLine(), "septet: lists are read: 1 in --allow_list\n");
  EXPECT_FALSE(IsServed(client, kX));
  EXPECT_TRUE(IsServed(client, kY));

  process.Signal(SIGTERM);
  EXPECT_EQ(process.ReadError(), "");
  EXPECT_EQ(process.Wait(), 0);
}

TEST(AccessProcessTest, ADenyListServesAllOthers) {
  const TestFolder files("access");
  TestProcess process({"--listen=http://127.0.0.1:0", "--deny_list=" + files.Write("deny", kX)});
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  EXPECT_FALSE(IsServed(client, kX));
  EXPECT_TRUE(IsServed(client, kY));
}

TEST(AccessProcessTest, TheFolderIsWatched) {
  const TestFolder files("access");
  std::filesystem::create_directory(files.path("torrents"));
  files.Write("torrents/a.torrent", kTorrentA.bytes);
  TestProcess process({"--listen=http://127.0.0.1:0", "--torrents_dir=" + files.path("torrents")});
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  EXPECT_TRUE(IsServed(client, kTorrentA.info_hash));
  EXPECT_FALSE(IsServed(client, kTorrentB.info_hash));

  files.Write("torrents/b.torrent", kTorrentB.bytes);
  EXPECT_TRUE(Becomes(client, kTorrentB.info_hash, true));
  // Another program writes under another name first.
  files.Write("torrents/c.part", kTorrentV2.bytes);
  std::filesystem::rename(files.path("torrents/c.part"), files.path("torrents/c.torrent"));
  EXPECT_TRUE(Becomes(client, kTorrentV2.info_hash, true));
  files.Remove("torrents/a.torrent");
  EXPECT_TRUE(Becomes(client, kTorrentA.info_hash, false));

  files.Write("torrents/broken.torrent", "no torrent");
  EXPECT_THAT(process.ReadErrorLine(), HasSubstr("/torrents: broken.torrent: "));
  EXPECT_TRUE(IsServed(client, kTorrentB.info_hash));
  process.Signal(SIGTERM);
  EXPECT_EQ(process.ReadError(), "");
  EXPECT_EQ(process.Wait(), 0);
}

TEST(AccessProcessTest, ACheckOfTheConfigurationReadsTheLists) {
  const TestFolder files("access");
  const std::string good = files.Write("good", kX);
  const std::string bad = files.Write("bad", "x");
  TestProcess check({"--check_config", "--allow_list=" + good, "--deny_list=" + bad});
  EXPECT_THAT(check.ReadError(), HasSubstr(absl::StrCat("--deny_list=", bad, ": line 1: 'x'")));
  EXPECT_EQ(check.Wait(), 2);
}

}  // namespace
}  // namespace septet::tracker
