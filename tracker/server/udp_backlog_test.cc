#include "tracker/server/udp_backlog.h"

#include <errno.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/server/log.h"
#include "tracker/server/socket_address.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/udp_send.h"

namespace septet::tracker {
namespace {

// What the kernel of the test has been given, and what it says to each call in turn: how
// many messages it takes at most, or an errno as a negative number. At last it takes all.
std::vector<std::string>* taken;
std::vector<int>* says;

int Sendmmsg(int, mmsghdr* messages, unsigned count, int) {
  int most = static_cast<int>(count);
  if (!says->empty()) {
    most = says->front();
    says->erase(says->begin());
  }
  if (most < 0) {
    errno = -most;
    return -1;
  }
  int sent = 0;
  for (; sent < most && sent < static_cast<int>(count); ++sent) {
    const msghdr& message = messages[sent].msg_hdr;
    SocketAddress to;
    std::memcpy(&to, message.msg_name, message.msg_namelen);
    const absl::string_view control(static_cast<const char*>(message.msg_control),
                                    message.msg_controllen);
    taken->push_back(
        absl::StrCat(absl::string_view(static_cast<const char*>(message.msg_iov->iov_base),
                                       message.msg_iov->iov_len),
                     ">", FromSocketAddress(to).port(), control.empty() ? "" : "/", control));
  }
  return sent;
}

class UdpSendTest : public ::testing::Test {
 protected:
  UdpSendTest() {
    taken = &taken_;
    says = &says_;
    calls_.sendmmsg = Sendmmsg;
    for (size_t i = 0; i < kMessages; ++i) {
      const uint8_t address[] = {192, 0, 2, 1};
      texts_[i] = absl::StrCat("m", i);
      parts_[i] = {texts_[i].data(), texts_[i].size()};
      messages_[i] = {};
      msghdr& message = messages_[i].msg_hdr;
      message.msg_name = &to_[i];
      message.msg_namelen =
          ToSocketAddress(MakeIpv4(address, static_cast<uint16_t>(1 + i)), &to_[i]);
      message.msg_iov = &parts_[i];
      message.msg_iovlen = 1;
    }
    // Not one that the kernel would take, but to be handed on as it is.
    messages_[4].msg_hdr.msg_control = control_.data();
    messages_[4].msg_hdr.msg_controllen = control_.size();
  }

  UdpSendResult Send() { return SendMessages(calls_, 1, absl::MakeSpan(messages_), &log_, 0); }

  static constexpr size_t kMessages = 5;
  const std::vector<std::string> all_ = {"m0>1", "m1>2", "m2>3", "m3>4", "m4>5/from here"};
  SystemCalls calls_;
  std::vector<std::string> lines_;
  Log log_{[this](absl::string_view line) { lines_.emplace_back(line); }};
  std::vector<std::string> taken_;
  std::vector<int> says_;
  std::array<std::string, kMessages> texts_;
  std::string control_ = "from here";
  std::array<SocketAddress, kMessages> to_;
  std::array<iovec, kMessages> parts_;
  std::array<mmsghdr, kMessages> messages_;
};

TEST_F(UdpSendTest, AllThatTheKernelTakesInPiecesIsSent) {
  says_ = {1, 2, -EINTR, 1};
  EXPECT_EQ(Send().done, kMessages);
  EXPECT_EQ(taken_, all_);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(UdpSendTest, AMessageThatIsRefusedIsSkippedAlone) {
  for (const int error : {EPERM, EINVAL, EMSGSIZE, ENETUNREACH, EHOSTUNREACH, ECONNREFUSED, EACCES,
                          EDESTADDRREQ, EBADF}) {
    taken_.clear();
    says_ = {2, -error};
    const UdpSendResult result = Send();
    EXPECT_EQ(result.done, kMessages) << error;
    EXPECT_EQ(result.error, 0) << error;
    EXPECT_EQ(taken_, (std::vector<std::string>{all_[0], all_[1], all_[3], all_[4]})) << error;
  }
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(UdpSendTest, ItEndsIfNothingIsEverSent) {
  says_ = std::vector<int>(kMessages, 0);
  EXPECT_EQ(Send().done, kMessages);
}

TEST_F(UdpSendTest, WhatHasNoRoomIsToldAndKept) {
  for (const int error : {EAGAIN, ENOBUFS, ENOMEM}) {
    taken_.clear();
    says_ = {2, -error};
    const UdpSendResult result = Send();
    EXPECT_EQ(result.done, 2u);
    EXPECT_EQ(result.error, error);
    UdpBacklog backlog;
    EXPECT_EQ(backlog.events(), uint32_t{EPOLLIN});
    EXPECT_EQ(backlog.retry_ms(), INT64_MAX);
    backlog.Keep(absl::MakeConstSpan(messages_).subspan(result.done), result.error, 1000);
    // It is a copy.
    for (std::string& text : texts_) text.assign(text.size(), '?');
    EXPECT_EQ(backlog.size(), 3u);
    EXPECT_EQ(backlog.events(), error == EAGAIN ? uint32_t{EPOLLOUT} : 0u);
    EXPECT_LE(backlog.retry_ms(), 1000 + UdpBacklog::kKeptMs);
    EXPECT_GT(backlog.retry_ms(), 1000);
    says_ = {1, -error};
    backlog.Flush(calls_, 1, &log_, 1500);
    EXPECT_EQ(backlog.size(), 2u);
    EXPECT_GT(backlog.retry_ms(), 1500);
    backlog.Flush(calls_, 1, &log_, 1501);
    EXPECT_EQ(taken_, all_);
    EXPECT_TRUE(backlog.empty());
    EXPECT_EQ(backlog.events(), uint32_t{EPOLLIN});
    for (size_t i = 0; i < kMessages; ++i) texts_[i] = absl::StrCat("m", i);
  }
  EXPECT_TRUE(lines_.empty());
}

TEST_F(UdpSendTest, AfterItsTimeTheBacklogIsDropped) {
  UdpBacklog backlog;
  backlog.Keep(messages_, ENOBUFS, 0);
  says_ = {-ENOBUFS, 1, -ENOBUFS};
  backlog.Flush(calls_, 1, &log_, UdpBacklog::kKeptMs - 1);
  EXPECT_EQ(backlog.size(), kMessages);
  backlog.Flush(calls_, 1, &log_, UdpBacklog::kKeptMs);
  EXPECT_TRUE(backlog.empty());
  EXPECT_EQ(taken_, (std::vector<std::string>{all_[0]}));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("(and 3 times before)"), std::string::npos) << lines_[0];
}

}  // namespace
}  // namespace septet::tracker
