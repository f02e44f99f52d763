#include "bench/comparison/server_process.h"

#include <signal.h>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace septet::bench {
namespace {

std::vector<std::string> Shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(ServerProcess, ReadsTheStartUpLine) {
  const auto process = ServerProcess::Start(
      Shell("echo first >&2; echo listening udp://127.0.0.1:1 http://[::1]:2 >&2; exec sleep 100"));
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ((*process)->addresses(),
            (std::vector<std::string>{"udp://127.0.0.1:1", "http://[::1]:2"}));
}

TEST(ServerProcess, EndsWithItsOwner) {
  pid_t pid = 0;
  {
    const auto process = ServerProcess::Start(Shell("echo listening x >&2; exec sleep 100"));
    ASSERT_TRUE(process.ok()) << process.status();
    pid = (*process)->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(ServerProcess, SaysWhatAServerSaidThatDidNotStart) {
  const auto process = ServerProcess::Start(Shell("echo no such flag >&2; exit 2"));
  ASSERT_FALSE(process.ok());
  EXPECT_TRUE(absl::StrContains(process.status().message(), "no such flag")) << process.status();
}

TEST(ServerProcess, TakesACommandOfTheShell) {
  const auto process = ServerProcess::StartSilent("sleep 100");
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(kill((*process)->pid(), 0), 0);
}

}  // namespace
}  // namespace septet::bench
