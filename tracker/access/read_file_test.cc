#include "tracker/access/read_file.h"

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/access/test_folder.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

TEST(ReadFile, AWholeFile) {
  const TestFolder folder("read_file");
  for (const size_t size : {0, 1, 4095, 4096, 4097, 100'000}) {
    std::string bytes(size, 'x');
    if (size > 0) bytes.back() = '\0';
    const auto read = ReadFile(folder.Write("file", bytes), size);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, bytes);
  }
}

TEST(ReadFile, ALargerOneThanIsAllowed) {
  const TestFolder folder("read_file");
  const auto read = ReadFile(folder.Write("file", "four"), 3);
  EXPECT_TRUE(absl::IsInvalidArgument(read.status()));
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("allowed: 3 bytes"));
}

TEST(ReadFile, WhatIsNoFile) {
  const TestFolder folder("read_file");
  EXPECT_THAT(std::string(ReadFile(folder.path("none"), 10).status().message()),
              HasSubstr("No such file"));
  EXPECT_THAT(std::string(ReadFile(folder.path(), 10).status().message()),
              HasSubstr("no regular file"));
  // Nobody writes to the pipe; it does not wait.
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadFile(folder.path("pipe"), 10).status().message()),
              HasSubstr("no regular file"));
  // A file whose size is not known before it is read.
  const auto proc = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(proc.ok()) << proc.status();
  EXPECT_THAT(*proc, HasSubstr("Name:"));
}

}  // namespace
}  // namespace septet::tracker
