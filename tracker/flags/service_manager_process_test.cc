// What the tracker tells the service manager that started it, at the edge of its process.

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/flags/test_process.h"

namespace septet::tracker {
namespace {

using ::testing::StartsWith;

TEST(ServiceManagerProcessTest, IsToldWhenItServesAndWhenItStops) {
  const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // unix(7): without a path, the kernel chooses a free name of the abstract namespace.
  ASSERT_EQ(bind(manager, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)), 0);
  socklen_t length = sizeof(address);
  ASSERT_EQ(getsockname(manager, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string name(address.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1);
  const timeval patience = {.tv_sec = 60, .tv_usec = 0};
  ASSERT_EQ(setsockopt(manager, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
  const auto receive = [manager] {
    char bytes[512];
    const ssize_t size = recv(manager, bytes, sizeof(bytes), 0);
    return std::string(bytes, size < 0 ? 0 : static_cast<size_t>(size));
  };

  setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  TestProcess process({"--listen=http://127.0.0.1:0"});
  const std::string told = receive();
  EXPECT_EQ(told + "\n", "READY=1\nSTATUS=" + process.ReadErrorLine());
  process.Signal(SIGTERM);
  EXPECT_EQ(receive(), "STOPPING=1");
  EXPECT_EQ(process.ReadError(), "");
  EXPECT_EQ(process.Wait(), 0);
  close(manager);
}

TEST(ServiceManagerProcessTest, ASocketThatIsGoneIsALineOfTheLogAndItServes) {
  setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
  TestProcess process({"--listen=http://127.0.0.1:0"});
  EXPECT_THAT(process.ReadErrorLine(), StartsWith("listening "));
  const std::string line = "septet: NOTIFY_SOCKET=/nonexistent/notify: No such file or directory\n";
  EXPECT_EQ(process.ReadErrorLine(), line);
  process.Signal(SIGTERM);
  EXPECT_EQ(process.ReadError(), line);
  EXPECT_EQ(process.Wait(), 0);
}

}  // namespace
}  // namespace septet::tracker
