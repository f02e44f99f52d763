// The file of the state: what becomes of it when the system fails, or the process is killed,
// at each of its calls.

#include "tracker/server/state_file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

StoreOptions Options() {
  StoreOptions options;
  options.shards = 2;
  options.hash_key = {1, 2};
  return options;
}

int64_t NowMs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  std::copy_n(reinterpret_cast<const uint8_t*>(&number), sizeof(number), info_hash.begin());
  return info_hash;
}

// Lists so many peers, each in a torrent of its own.
void Fill(SwarmStore* store, uint32_t peers) {
  Random random(1);
  for (uint32_t i = 0; i < peers; ++i) {
    AnnounceRequest request;
    request.info_hash = TorrentNumber(i);
    const uint8_t address[4] = {10, static_cast<uint8_t>(i >> 16), static_cast<uint8_t>(i >> 8),
                                static_cast<uint8_t>(i)};
    request.peer = MakeIpv4(address, 6881);
    store->Announce(request, NowMs(), random, {});
  }
}

// --- Calls that fail -----------------------------------------------------------------

// What the calls below do; there is no other way for a plain function to know.
struct Faults {
  // The call that fails, and with what.
  std::string call;
  int error = 0;
  // Bytes that may be written before "write" fails; what one call takes at most.
  size_t writable = 0;
  size_t write_max = SIZE_MAX;
  bool interrupts = false;  // every second read and write
  bool interrupt_next = false;
  // Calls until the process ends by itself; below 0: never.
  int calls_left = -1;
};
Faults g_faults;

bool Fails(absl::string_view call) {
  if (g_faults.calls_left == 0) _exit(0);
  if (g_faults.calls_left > 0) --g_faults.calls_left;
  if (g_faults.call != call) return false;
  errno = g_faults.error;
  return true;
}

bool IsInterrupted() {
  g_faults.interrupt_next = !g_faults.interrupt_next;
  errno = EINTR;
  return g_faults.interrupts && g_faults.interrupt_next;
}

SystemCalls FaultyCalls() {
  SystemCalls calls;
  calls.open = [](const char* path, int flags, mode_t mode) {
    const bool is_temporary = absl::EndsWith(path, ".tmp");
    const bool is_folder = (flags & O_DIRECTORY) != 0;
    const absl::string_view call = is_temporary ? "open temporary"
                                   : is_folder  ? "open folder"
                                                : "open";
    return Fails(call) ? -1 : ::open(path, flags, mode);
  };
  calls.read = [](int fd, void* bytes, size_t size) -> ssize_t {
    if (IsInterrupted()) return -1;
    return Fails("read") ? -1 : ::read(fd, bytes, std::min<size_t>(size, 1000));
  };
  calls.write = [](int fd, const void* bytes, size_t size) -> ssize_t {
    if (IsInterrupted()) return -1;
    size = std::min(size, g_faults.write_max);
    if (g_faults.call == "write") {
      size = std::min(size, g_faults.writable);
      g_faults.writable -= size;
    }
    if (size == 0 && Fails("write")) return -1;
    Fails("");
    return ::write(fd, bytes, size);
  };
  calls.fsync = [](int fd) {
    struct stat status;
    fstat(fd, &status);
    return Fails(S_ISDIR(status.st_mode) ? "fsync folder" : "fsync") ? -1 : ::fsync(fd);
  };
  calls.rename = [](const char* from, const char* to) {
    return Fails("rename") ? -1 : ::rename(from, to);
  };
  calls.unlink = [](const char* path) { return Fails("unlink") ? -1 : ::unlink(path); };
  calls.flock = [](int fd, int operation) { return Fails("flock") ? -1 : ::flock(fd, operation); };
  return calls;
}

class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() {
    std::string folder = absl::StrCat(getenv("TEST_TMPDIR"), "/state_XXXXXX");
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/state";
    g_faults = Faults();
  }

  // Saves a store of so many peers.
  absl::Status Save(uint32_t peers) {
    SwarmStore store(Options());
    Fill(&store, peers);
    const auto file = StateFile::Open(calls_, path_);
    return file.ok() ? (*file)->Save(&store, nullptr) : file.status();
  }

  // The peers that are loaded; negative: there is an error, which is in error_.
  int Load() {
    SwarmStore store(Options());
    const auto file = StateFile::Open(calls_, path_);
    error_ = file.status();
    if (!file.ok()) return -1;
    const absl::StatusOr<std::string> summary = (*file)->Load(&store);
    error_ = summary.status();
    if (!summary.ok()) return -1;
    summary_ = *summary;
    return static_cast<int>(store.Usage().ipv4_peers);
  }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    DIR* const folder = opendir(folder_.c_str());
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') names.insert(entry->d_name);
    }
    closedir(folder);
    return names;
  }

  void Write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string Read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  const SystemCalls calls_ = FaultyCalls();
  std::string folder_;
  std::string path_;
  absl::Status error_;
  std::string summary_;
};

TEST_F(StateFileTest, WithoutAFileThereIsNothing) {
  EXPECT_EQ(Load(), 0);
  EXPECT_EQ(summary_, "");
}

TEST_F(StateFileTest, WhatWasSavedIsLoaded) {
  EXPECT_TRUE(Save(0).ok());
  EXPECT_EQ(Load(), 0);
  EXPECT_TRUE(Save(30'000).ok());
  EXPECT_EQ(Load(), 30'000);
  EXPECT_THAT(summary_, MatchesRegex(absl::StrCat("restored 30000 torrents and 30000 peers from ",
                                                  path_, ", saved [0-9]+ s ago")));
  EXPECT_TRUE(Save(10).ok());
  EXPECT_EQ(Load(), 10);
  EXPECT_THAT(Names(), ElementsAre("state", "state.lock"));
}

TEST_F(StateFileTest, OnlyItsOwnerMayReadIt) {
  umask(0);
  ASSERT_TRUE(Save(1).ok());
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(StateFileTest, ShortWritesAndInterruptionsChangeNothing) {
  g_faults.write_max = 100;
  g_faults.interrupts = true;
  EXPECT_TRUE(Save(3'000).ok());
  EXPECT_EQ(Load(), 3'000);
}

TEST_F(StateFileTest, WhenSavingFailsTheLastStateStays) {
  ASSERT_TRUE(Save(7).ok());
  const struct {
    absl::string_view call;
    int error;
    absl::string_view message;
  } kCases[] = {
      {"open temporary", EACCES, "open: Permission denied"},
      {"write", ENOSPC, "write: No space left on device"},
      {"write", EIO, "write: Input/output error"},
      {"fsync", EIO, "fsync: Input/output error"},
      {"rename", EROFS, "rename: Read-only file system"},
  };
  for (const auto& test : kCases) {
    for (const size_t writable : {0u, 100u, 300'000u}) {
      g_faults = Faults();
      g_faults.call = std::string(test.call);
      g_faults.error = test.error;
      g_faults.writable = writable;
      const absl::Status status = Save(20'000);
      EXPECT_EQ(status.message(),
                absl::StrCat("state file ", path_,
                             " is not replaced, the last one stays: ", test.message));
      g_faults = Faults();
      EXPECT_EQ(Load(), 7);
      EXPECT_THAT(Names(), ElementsAre("state", "state.lock"));
    }
  }
  // And once the fault is mended it is saved.
  EXPECT_TRUE(Save(8).ok());
  EXPECT_EQ(Load(), 8);
}

TEST_F(StateFileTest, WhenTheFolderCannotBeSyncedItIsSavedButSaysSo) {
  for (const std::string call : {"open folder", "fsync folder"}) {
    g_faults.call = call;
    g_faults.error = EIO;
    EXPECT_THAT(Save(9).message(), HasSubstr("might be the last one again if power fails"));
    g_faults = Faults();
    EXPECT_EQ(Load(), 9);
  }
}

TEST_F(StateFileTest, ACancelledSaveLeavesTheLastState) {
  ASSERT_TRUE(Save(7).ok());
  SwarmStore store(Options());
  Fill(&store, 100);
  const auto file = StateFile::Open(calls_, path_);
  ASSERT_TRUE(file.ok());
  const std::atomic<bool> is_cancelled{true};
  EXPECT_TRUE(absl::IsCancelled((*file)->Save(&store, &is_cancelled)));
  EXPECT_THAT(Names(), ElementsAre("state", "state.lock"));
}

// The process ends at each of the calls in turn, with what was written until then.
TEST_F(StateFileTest, AProcessThatEndsAtAnyCallLeavesOneOfTheTwoStates) {
  ASSERT_TRUE(Save(7).ok());
  const std::string before = Read();
  int saved = 0;
  int calls = 0;
  for (; saved < 2; ++calls) {
    ASSERT_LT(calls, 2000);
    const pid_t child = fork();
    if (child == 0) {
      g_faults.write_max = 1000;
      g_faults.calls_left = calls;
      _exit(Save(2'000).ok() ? 1 : 2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 2);
    if (WEXITSTATUS(status) == 1) ++saved;
    const int peers = Load();
    ASSERT_TRUE(peers == 7 || peers == 2'000) << peers << " after " << calls << " calls";
    if (peers == 7) {
      EXPECT_EQ(Read(), before);
      EXPECT_EQ(saved, 0);
    }
    Write(before);
  }
  // There were calls to end at.
  EXPECT_GT(calls, 50);
}

TEST_F(StateFileTest, ADamagedFileIsSetAside) {
  ASSERT_TRUE(Save(3'000).ok());
  const std::string good = Read();
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  const struct {
    std::string bytes;
    absl::string_view message;
  } kCases[] = {
      {"", "damaged: it ends after 0 bytes, before its end"},
      {good.substr(0, good.size() - 1), "before its end"},
      {flipped, "the checksum of the block is wrong"},
      {good + "x", "more follows after its end"},
      {"<html>" + good, "not a snapshot"},
  };
  for (const auto& test : kCases) {
    Write(test.bytes);
    EXPECT_EQ(Load(), -1);
    EXPECT_EQ(error_.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(error_.message()), HasSubstr(absl::StrCat("state file ", path_, ": ")));
    EXPECT_THAT(std::string(error_.message()), HasSubstr(std::string(test.message)));
  }
  const auto file = StateFile::Open(calls_, path_);
  const absl::StatusOr<std::string> aside = (*file)->SetAside();
  ASSERT_TRUE(aside.ok());
  EXPECT_THAT(*aside,
              MatchesRegex(absl::StrCat(path_, "\\.damaged-[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z")));
  EXPECT_FALSE(Names().contains("state"));
  ASSERT_EQ(rename(aside->c_str(), path_.c_str()), 0);
  EXPECT_EQ(Read(), "<html>" + good);

  g_faults.call = "rename";
  g_faults.error = EROFS;
  EXPECT_THAT(std::string((*file)->SetAside().status().message()),
              HasSubstr("cannot be renamed: Read-only file system"));
}

TEST_F(StateFileTest, WhatCannotBeReadIsAnErrorOfTheStart) {
  ASSERT_TRUE(Save(7).ok());
  const struct {
    absl::string_view call;
    int error;
    absl::StatusCode code;
  } kCases[] = {
      // The operator's to mend, and the system's.
      {"open", EACCES, absl::StatusCode::kInvalidArgument},
      {"open", ELOOP, absl::StatusCode::kInvalidArgument},
      {"open", EMFILE, absl::StatusCode::kUnavailable},
      {"read", EIO, absl::StatusCode::kUnavailable},
      {"flock", ENOLCK, absl::StatusCode::kInvalidArgument},
      {"flock", EWOULDBLOCK, absl::StatusCode::kUnavailable},
  };
  for (const auto& test : kCases) {
    g_faults.call = std::string(test.call);
    g_faults.error = test.error;
    EXPECT_EQ(Load(), -1);
    EXPECT_EQ(error_.code(), test.code) << test.call;
    EXPECT_THAT(std::string(error_.message()), HasSubstr(path_));
  }
}

TEST_F(StateFileTest, OneTrackerHasItAtATime) {
  const auto first = StateFile::Open(calls_, path_);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Load(), -1);
  EXPECT_EQ(error_.message(), absl::StrCat("state file ", path_, ": another tracker uses it"));
}

TEST_F(StateFileTest, WhatAKilledTrackerLeftIsRemoved) {
  std::ofstream(path_ + ".tmp") << "half";
  EXPECT_EQ(Load(), 0);
  EXPECT_THAT(Names(), ElementsAre("state.lock"));
}

TEST_F(StateFileTest, CheckSaysWhatIsWrongAndChangesNothing) {
  EXPECT_TRUE(CheckStateFile(path_).ok());
  EXPECT_TRUE(Names().empty());
  EXPECT_EQ(CheckStateFile(folder_).message(), "it is no regular file");
  EXPECT_EQ(CheckStateFile(folder_ + "/no/state").message(),
            "its folder cannot be written: No such file or directory");
  EXPECT_EQ(CheckStateFile("/dev/null").message(), "it is no regular file");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(CheckStateFile(path_).message(), "it is no regular file");
  EXPECT_EQ(Load(), -1);
  EXPECT_TRUE(absl::IsInvalidArgument(error_));
}

}  // namespace
}  // namespace septet::tracker
