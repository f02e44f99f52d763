#include "tracker/server/service_manager.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

// The socket of a service manager, bound at the bytes of a sockaddr_un's path.
class Manager {
 public:
  explicit Manager(absl::string_view path) : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.data(), path.size());
    const size_t length = offsetof(sockaddr_un, sun_path) + path.size();
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)), 0);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  ~Manager() { close(fd_); }

  std::string Receive() {
    char bytes[256];
    const ssize_t size = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(bytes, static_cast<size_t>(size));
  }

 private:
  const int fd_;
};

// A folder whose name is short, as a socket's has to be.
class ShortFolder {
 public:
  ShortFolder() { EXPECT_NE(mkdtemp(path_), nullptr); }
  ShortFolder(const ShortFolder&) = delete;
  ShortFolder& operator=(const ShortFolder&) = delete;
  ~ShortFolder() {
    unlink(absl::StrCat(path_, "/notify").c_str());
    rmdir(path_);
  }
  std::string socket() const { return absl::StrCat(path_, "/notify"); }

 private:
  char path_[32] = "/tmp/septet-XXXXXX";
};

TEST(ServiceManagerTest, ASocketInTheFileSystemIsTold) {
  const ShortFolder folder;
  Manager manager(folder.socket());
  EXPECT_TRUE(NotifyServiceManager(folder.socket(), "READY=1\nSTATUS=well").ok());
  EXPECT_EQ(manager.Receive(), "READY=1\nSTATUS=well");
  EXPECT_EQ(manager.Receive(), "nothing");
}

TEST(ServiceManagerTest, ASocketOfTheAbstractNamespaceIsTold) {
  const std::string name = absl::StrCat("septet-test-", getpid());
  Manager manager(absl::StrCat(absl::string_view("\0", 1), name));
  EXPECT_TRUE(NotifyServiceManager("@" + name, "STOPPING=1").ok());
  EXPECT_EQ(manager.Receive(), "STOPPING=1");
}

TEST(ServiceManagerTest, WhatIsNoSocketIsNamed) {
  const ShortFolder folder;
  const absl::Status status = NotifyServiceManager(folder.socket(), "READY=1");
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(),
            absl::StrCat("NOTIFY_SOCKET=", folder.socket(), ": No such file or directory"));
  for (const std::string& name : {std::string(), std::string("notify"), "/" + std::string(107, 'x'),
                                  "@" + std::string(107, 'x')}) {
    const absl::Status refused = NotifyServiceManager(name, "READY=1");
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << name;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("107 bytes at most")) << name;
  }
}

// unix(7): a path may have 107 bytes, its zero is the 108th.
TEST(ServiceManagerTest, TheLongestNameIsTaken) {
  std::string name = absl::StrCat("septet-test-", getpid(), "-");
  name.resize(106, 'x');
  Manager manager(absl::StrCat(absl::string_view("\0", 1), name));
  EXPECT_TRUE(NotifyServiceManager("@" + name, "READY=1").ok());
  EXPECT_EQ(manager.Receive(), "READY=1");
}

}  // namespace
}  // namespace septet::tracker
