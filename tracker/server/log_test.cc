#include "tracker/server/log.h"

#include <errno.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogTest : public ::testing::Test {
 protected:
  std::vector<std::string> TakeLines() { return std::exchange(lines_, {}); }

  std::vector<std::string> lines_;
  Log log_{[this](absl::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(LogTest, AFaultIsOneLineWithItsReason) {
  log_.Report(Fault::kAccept, EPERM, 0);
  EXPECT_THAT(TakeLines(), ElementsAre("septet: HTTP connections cannot be accepted: Operation "
                                       "not permitted\n"));
  log_.Report(Fault::kConnectionRefused, 0, 0);
  EXPECT_THAT(TakeLines(), ElementsAre(EndsWith("is reached\n")));
}

TEST_F(LogTest, RepeatsAreCountedAndWaitForTheQuietTimeToEnd) {
  log_.Report(Fault::kUdpSend, EPERM, 5);
  TakeLines();
  log_.Report(Fault::kUdpSend, EPERM, 6);
  log_.Report(Fault::kUdpSend, EPERM, 5 + Log::kQuietMs - 1);
  EXPECT_THAT(TakeLines(), IsEmpty());
  log_.Report(Fault::kUdpSend, EPERM, 5 + Log::kQuietMs);
  EXPECT_THAT(TakeLines(), ElementsAre(HasSubstr("(and 2 times before)")));
  log_.Report(Fault::kUdpSend, EPERM, 5 + 2 * Log::kQuietMs);
  EXPECT_THAT(TakeLines(), ElementsAre(EndsWith("Operation not permitted\n")));
}

TEST_F(LogTest, OneReportMayBeOfMany) {
  log_.Report(Fault::kUdpErrorsLimited, 0, 0, 5);
  EXPECT_THAT(TakeLines(), ElementsAre(EndsWith("is reached (and 4 times before)\n")));
  log_.Report(Fault::kUdpErrorsLimited, 0, 1, 5);
  log_.Report(Fault::kUdpErrorsLimited, 0, Log::kQuietMs, 1);
  EXPECT_THAT(TakeLines(), ElementsAre(EndsWith("is reached (and 5 times before)\n")));
}

TEST_F(LogTest, AFrequentFaultDoesNotHideAnother) {
  log_.Report(Fault::kUdpSend, EPERM, 0);
  log_.Report(Fault::kUdpReceive, EPERM, 1);
  EXPECT_EQ(TakeLines().size(), 2u);
}

TEST_F(LogTest, WhatIsSaidIsALineEachTime) {
  log_.Tell("so");
  log_.Tell("so");
  EXPECT_THAT(TakeLines(), ElementsAre("septet: so\n", "septet: so\n"));
}

}  // namespace
}  // namespace septet::tracker
