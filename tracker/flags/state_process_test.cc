// The state over restarts, at the edge of the process: graceful ones, and kill -9.

#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/access/test_folder.h"
#include "tracker/endpoint.h"
#include "tracker/flags/test_process.h"
#include "tracker/random.h"
#include "tracker/server/state_file.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/test_client.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr char kListen[] = "--listen=http://127.0.0.1:0";

// Twenty letters, as random as an info-hash is.
std::string TorrentName(uint32_t number) {
  Random random(number * 0x9e3779b97f4a7c15);
  std::string name;
  for (int i = 0; i < 20; ++i) name += static_cast<char>('a' + random.Below(26));
  return name;
}
InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash;
  std::memcpy(info_hash.data(), TorrentName(number).data(), info_hash.size());
  return info_hash;
}

std::string Announce(TestClient* client, uint32_t torrent, uint32_t port,
                     absl::string_view more = "") {
  return client->Ask(absl::StrCat("GET /announce?info_hash=", TorrentName(torrent),
                                  "&peer_id=-XX0000-012345678901&left=5&port=", port, more,
                                  " HTTP/1.1\r\n\r\n"));
}

uint32_t NumberAfter(absl::string_view text, absl::string_view key) {
  const size_t at = text.find(key);
  if (at == absl::string_view::npos) return UINT32_MAX;
  return static_cast<uint32_t>(std::atoi(std::string(text.substr(at + key.size())).c_str()));
}

SwarmCounts Scrape(TestClient* client, uint32_t torrent) {
  const std::string reply = client->Ask(
      absl::StrCat("GET /scrape?info_hash=", TorrentName(torrent), " HTTP/1.1\r\n\r\n"));
  return {NumberAfter(reply, "8:completei"), NumberAfter(reply, "10:incompletei"),
          NumberAfter(reply, "10:downloadedi")};
}

// Saves a store of so many torrents of ten peers each, which announced `age_s` ago.
void SaveTorrents(const std::string& path, uint32_t first, uint32_t torrents, int64_t age_s = 0) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  StoreOptions options;
  options.hash_key = {1, 2};
  options.peer_timeout_ms = 48'000;
  SwarmStore store(options);
  Random random(1);
  for (uint32_t i = 0; i < torrents * 10; ++i) {
    AnnounceRequest request;
    request.info_hash = TorrentNumber(first + i / 10);
    const uint8_t address[4] = {10, 0, static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i)};
    request.peer = MakeIpv4(address, static_cast<uint16_t>(1 + i % 10));
    store.Announce(request, (now.tv_sec - age_s) * 1000, random, {});
  }
  const auto file = StateFile::Open(RealSystemCalls(), path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Save(&store, nullptr).ok());
}

// Waits for files that are renamed in a folder.
class RenameWatch {
 public:
  explicit RenameWatch(const std::string& folder) : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    EXPECT_GE(inotify_add_watch(fd_, folder.c_str(), IN_MOVED_TO), 0);
  }
  ~RenameWatch() { close(fd_); }

  void Forget() {
    while (Read() > 0) {
    }
  }
  // False: there were fewer for ten seconds.
  bool WaitFor(int renames) {
    while (renames > 0) {
      pollfd poll_fd = {fd_, POLLIN, 0};
      if (poll(&poll_fd, 1, 10'000) <= 0) return false;
      renames -= Read();
    }
    return true;
  }

 private:
  int Read() {
    alignas(inotify_event) char bytes[4096];
    const ssize_t size = read(fd_, bytes, sizeof(bytes));
    int events = 0;
    for (ssize_t at = 0; at < size; ++events) {
      at += static_cast<ssize_t>(sizeof(inotify_event)) +
            reinterpret_cast<const inotify_event*>(bytes + at)->len;
    }
    return events;
  }

  int fd_;
};

TEST(StateProcessTest, ARestartKeepsPeersAndDownloads) {
  const TestFolder folder("state");
  const std::string state = "--state_file=" + folder.path() + "/state";
  {
    TestProcess process({kListen, state});
    TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
    Announce(&client, 1, 1001);
    Announce(&client, 1, 1002, "&event=completed");
    Announce(&client, 2, 1003, "&event=completed");
    Announce(&client, 2, 1003, "&event=stopped");
    process.Signal(SIGTERM);
    EXPECT_EQ(process.ReadError(), "");
    EXPECT_EQ(process.Wait(), 0);
  }
  TestProcess process({kListen, state});
  EXPECT_THAT(process.ReadErrorLine(),
              MatchesRegex("septet: restored 2 torrents and 2 peers from .*/state, saved "
                           "[0-9]+ s ago\n"));
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  EXPECT_EQ(Scrape(&client, 1), (SwarmCounts{1, 1, 1}));
  EXPECT_EQ(Scrape(&client, 2), (SwarmCounts{0, 0, 1}));
  const std::string reply = Announce(&client, 1, 1004);
  EXPECT_THAT(reply, HasSubstr("5:peers12:"));
  EXPECT_THAT(reply, HasSubstr(std::string("\x7f\0\0\1\x03\xea", 6)));
}

// Every announce that was answered before the stop is there after it, and nothing else.
TEST(StateProcessTest, AStopUnderLoadLosesNoAnnounceThatWasAnswered) {
  const TestFolder folder("state");
  const std::string state = "--state_file=" + folder.path() + "/state";
  constexpr uint32_t kTorrents = 20;
  constexpr uint32_t kClients = 3;
  using Counters = std::array<std::atomic<uint32_t>, kTorrents>;
  Counters sent{};
  Counters answered{};
  {
    TestProcess process({kListen, state, "--state_interval=100ms"});
    const Endpoint address = ListeningAt(process.ReadErrorLine());
    std::atomic<uint32_t> in_all{0};
    std::vector<std::thread> clients;
    for (uint32_t c = 0; c < kClients; ++c) {
      clients.emplace_back([&, c] {
        TestClient client(address, SOCK_STREAM);
        for (uint32_t i = 0; i < 20'000; ++i) {
          const uint32_t torrent = i % kTorrents;
          ++sent[torrent];
          if (!absl::StrContains(Announce(&client, torrent, 1 + c * 20'000 + i), "8:interval")) {
            return;
          }
          ++answered[torrent];
          ++in_all;
          in_all.notify_one();
        }
      });
    }
    for (uint32_t n = in_all; n < 3'000; n = in_all) in_all.wait(n);
    process.Signal(SIGTERM);
    EXPECT_EQ(process.ReadError(), "");
    EXPECT_EQ(process.Wait(), 0);
    for (std::thread& client : clients) client.join();
  }
  TestProcess process({kListen, state});
  EXPECT_THAT(process.ReadErrorLine(), StartsWith("septet: restored 20 torrents and "));
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  for (uint32_t torrent = 0; torrent < kTorrents; ++torrent) {
    const uint32_t peers = Scrape(&client, torrent).incomplete;
    EXPECT_GE(peers, answered[torrent]);
    EXPECT_LE(peers, sent[torrent]);
  }
}

// KILL_ROUNDS in the environment: how often; a hundred take about a minute.
TEST(StateProcessTest, KilledAtAnyMomentItHasTheLastWholeState) {
  const char* const asked = getenv("KILL_ROUNDS");
  const uint32_t rounds = asked == nullptr ? 15 : static_cast<uint32_t>(std::atoi(asked));
  const TestFolder folder("state");
  const std::string path = folder.path() + "/state";
  constexpr uint32_t kTorrents = 8'000;
  SaveTorrents(path, /*first=*/1000, kTorrents);
  RenameWatch watch(folder.path());
  std::mt19937 random(std::random_device{}());
  uint32_t while_writing = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    TestProcess process({kListen, "--state_file=" + path, "--state_interval=100ms"});
    ASSERT_THAT(process.ReadErrorLine(),
                StartsWith(absl::StrCat("septet: restored ", kTorrents + round, " torrents and ",
                                        kTorrents * 10 + round, " peers from ")));
    TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
    watch.Forget();
    ASSERT_THAT(Announce(&client, round, 6881), HasSubstr("8:interval"));
    // What is renamed first may have been begun before the announce, the second not.
    ASSERT_TRUE(watch.WaitFor(2));
    const timespec moment = {0, static_cast<long>(random() % 200'000'000)};
    nanosleep(&moment, nullptr);
    process.Signal(SIGKILL);
    ASSERT_EQ(process.Wait(), -1);
    if (std::filesystem::exists(path + ".tmp")) ++while_writing;
  }
  TestProcess process({kListen, "--state_file=" + path});
  process.ReadErrorLine();
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  for (uint32_t round = 0; round < rounds; ++round) {
    EXPECT_EQ(Scrape(&client, round).incomplete, 1u) << round;
  }
  EXPECT_EQ(Scrape(&client, 1000).incomplete, 10u);
  std::printf("killed %u times, of them %u while a state was written\n", rounds, while_writing);
}

TEST(StateProcessTest, ADamagedStateIsSetAsideAndTheTrackerStartsEmpty) {
  const TestFolder folder("state");
  const std::string path = folder.path() + "/state";
  SaveTorrents(path, 0, 500);
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  bytes[bytes.size() - 60] ^= 4;
  std::ofstream(path, std::ios::binary) << bytes;

  TestProcess process({kListen, "--state_file=" + path});
  EXPECT_THAT(process.ReadErrorLine(),
              MatchesRegex(absl::StrCat("septet: state file ", path,
                                        ": damaged at byte [0-9]+: the checksum of the block is "
                                        "wrong; it is kept as ",
                                        path, "\\.damaged-.*Z, and the tracker starts empty\n")));
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  EXPECT_EQ(Scrape(&client, 1), SwarmCounts{});
  process.Signal(SIGTERM);
  EXPECT_EQ(process.ReadError(), "");
  EXPECT_EQ(process.Wait(), 0);
  TestProcess again({kListen, "--state_file=" + path});
  EXPECT_THAT(again.ReadErrorLine(), StartsWith("septet: restored 0 torrents and 0 peers"));
}

TEST(StateProcessTest, TheCapHoldsForWhatIsRestored) {
  const TestFolder folder("state");
  const std::string path = folder.path() + "/state";
  SaveTorrents(path, 0, 40'000);
  const uint64_t bytes = SwarmStore::MinBytesMax(StoreOptions().shards);
  TestProcess process({kListen, "--state_file=" + path, absl::StrCat("--max_memory=", bytes)});
  EXPECT_THAT(process.ReadErrorLine(),
              MatchesRegex("septet: restored .*; [0-9]+ peers did not fit --max_memory\n"));
  EXPECT_THAT(process.ReadErrorLine(), StartsWith("listening"));
}

TEST(StateProcessTest, PeersThatAreTooOldByNowAreLeftOut) {
  const TestFolder folder("state");
  const std::string path = folder.path() + "/state";
  SaveTorrents(path, 0, 5, /*age_s=*/30);
  TestProcess process({kListen, "--state_file=" + path, "--peer_timeout=20s"});
  EXPECT_THAT(process.ReadErrorLine(),
              MatchesRegex("septet: restored 0 torrents and 0 peers from .*; 50 peers were over "
                           "--peer_timeout\n"));
}

TEST(StateProcessTest, AStateThatCannotBeSavedIsALineAndTheTrackerGoesOn) {
  const TestFolder folder("state");
  const std::string gone = folder.path() + "/folder";
  ASSERT_TRUE(std::filesystem::create_directory(gone));
  TestProcess process({kListen, "--state_file=" + gone + "/state", "--state_interval=100ms"});
  TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
  std::filesystem::rename(gone, folder.path() + "/elsewhere");
  EXPECT_EQ(process.ReadErrorLine(),
            absl::StrCat("septet: state file ", gone,
                         "/state is not replaced, the last one stays: open: No such file or "
                         "directory\n"));
  EXPECT_THAT(Announce(&client, 1, 6881), HasSubstr("8:interval"));
  process.Signal(SIGTERM);
  EXPECT_THAT(process.ReadError(), HasSubstr("is not replaced"));
  EXPECT_EQ(process.Wait(), 0);
}

TEST(StateProcessTest, WhatCannotBeAStateFileIsAWrongValue) {
  const TestFolder folder("state");
  for (const std::string& path :
       {folder.path(), folder.path() + "/no/state", std::string("/dev/null")}) {
    for (const absl::string_view check : {"--check_config", "--nocheck_config"}) {
      TestProcess process({kListen, "--state_file=" + path, std::string(check)});
      EXPECT_THAT(process.ReadError(),
                  MatchesRegex(absl::StrCat("septet: --state_file=", path,
                                            ": .*; allowed: a file, there or not, in a folder "
                                            "that can be written, or empty\n")));
      EXPECT_EQ(process.Wait(), 2);
    }
  }
  TestProcess good({"--state_file=" + folder.path() + "/state", "--check_config"});
  EXPECT_EQ(good.ReadError(), "");
  EXPECT_EQ(good.Wait(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(StateProcessTest, TwoTrackersDoNotShareAState) {
  const TestFolder folder("state");
  const std::string state = "--state_file=" + folder.path() + "/state";
  TestProcess first({kListen, state});
  EXPECT_THAT(first.ReadErrorLine(), StartsWith("listening"));
  TestProcess second({kListen, state});
  EXPECT_EQ(second.ReadError(), absl::StrCat("septet: state file ", folder.path(),
                                             "/state: another tracker uses it\n"));
  EXPECT_EQ(second.Wait(), 1);
}

}  // namespace
}  // namespace septet::tracker
