#include "tracker/access/access_control.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

InfoHash Hash(uint8_t number) {
  InfoHash info_hash{};
  info_hash.fill(number);
  return info_hash;
}

AccessRules::Set SetOf(std::vector<InfoHash> hashes) {
  return std::make_shared<const InfoHashSet>(std::move(hashes));
}

TEST(AccessControl, AllowsAllUntilThereAreRules) {
  const AccessControl control;
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(control.Allows(Hash(static_cast<uint8_t>(i))));
}

TEST(AccessControl, WhatIsAllowedAndNotDenied) {
  const struct {
    AccessRules rules;
    std::vector<uint8_t> allowed;  // of 1 to 4
  } kCases[] = {
      {{}, {1, 2, 3, 4}},
      {{.deny_list = SetOf({Hash(2)})}, {1, 3, 4}},
      {{.allows_all = false}, {}},
      {{.allows_all = false, .allow_list = SetOf({Hash(1), Hash(2)})}, {1, 2}},
      {{.allows_all = false, .folder = SetOf({Hash(3)})}, {3}},
      {{.allows_all = false, .allow_list = SetOf({Hash(1)}), .folder = SetOf({Hash(3)})}, {1, 3}},
      {{.allows_all = false,
        .allow_list = SetOf({Hash(1), Hash(2)}),
        .folder = SetOf({Hash(3)}),
        .deny_list = SetOf({Hash(2), Hash(3)})},
       {1}},
  };
  for (const auto& test : kCases) {
    AccessControl control;
    control.Replace(test.rules);
    std::vector<uint8_t> allowed;
    for (uint8_t i = 1; i <= 4; ++i) {
      if (control.Allows(Hash(i))) allowed.push_back(i);
    }
    EXPECT_EQ(allowed, test.allowed);
  }
}

TEST(AccessControl, RulesCountForTorrentsOfEveryStripe) {
  AccessControl control;
  control.Replace({.allows_all = false});
  for (int i = 0; i < 256; ++i) EXPECT_FALSE(control.Allows(Hash(static_cast<uint8_t>(i))));
  control.Replace({});
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(control.Allows(Hash(static_cast<uint8_t>(i))));
}

// For ThreadSanitizer and AddressSanitizer: rules go while others ask.
TEST(AccessControl, RulesAreReplacedWhileOthersAsk) {
  AccessControl control;
  std::atomic<bool> done{false};
  std::vector<std::thread> askers;
  for (int i = 0; i < 2; ++i) {
    askers.emplace_back([&] {
      // Hash(1) is allowed by all the rules, Hash(2) by none but the first.
      while (!done.load()) {
        EXPECT_TRUE(control.Allows(Hash(1)));
        control.Allows(Hash(2));
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    control.Replace({.allows_all = false, .allow_list = SetOf({Hash(1), Hash(3)})});
    control.Replace({.deny_list = SetOf({Hash(2)})});
  }
  done = true;
  for (std::thread& asker : askers) asker.join();
  EXPECT_FALSE(control.Allows(Hash(2)));
}

}  // namespace
}  // namespace septet::tracker
