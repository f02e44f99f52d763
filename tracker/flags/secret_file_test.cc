#include "tracker/flags/secret_file.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<SipHashKey> KeyOf(const std::string& bytes) {
  const std::string path = absl::StrCat(getenv("TEST_TMPDIR"), "/secret");
  std::ofstream(path, std::ios::binary) << bytes;
  return ReadSecretFile(path);
}

TEST(SecretFileTest, EveryByteCountsAndTheKeyIsTheSameEachTime) {
  std::string bytes(64, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  const auto key = KeyOf(bytes);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(*KeyOf(bytes), *key);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] ^= 1;
    EXPECT_NE(*KeyOf(other), *key) << i;
  }
  EXPECT_NE(*KeyOf(bytes + "\n"), *key);
}

TEST(SecretFileTest, BothHalvesOfTheKeyDependOnTheFile) {
  const SipHashKey a = *KeyOf(std::string(16, 'a'));
  const SipHashKey b = *KeyOf(std::string(16, 'b'));
  EXPECT_FALSE(std::equal(a.begin(), a.begin() + 8, b.begin()));
  EXPECT_FALSE(std::equal(a.begin() + 8, a.end(), b.begin() + 8));
  EXPECT_FALSE(std::equal(a.begin(), a.begin() + 8, a.begin() + 8));
}

TEST(SecretFileTest, SizeHasARange) {
  EXPECT_TRUE(KeyOf(std::string(16, 'a')).ok());
  EXPECT_TRUE(KeyOf(std::string(4096, 'a')).ok());
  for (const size_t size : {size_t{0}, size_t{15}, size_t{4097}}) {
    const auto key = KeyOf(std::string(size, 'a'));
    EXPECT_TRUE(absl::IsInvalidArgument(key.status())) << size;
    EXPECT_THAT(std::string(key.status().message()), HasSubstr("16 to 4096"));
  }
}

TEST(SecretFileTest, AFileThatCannotBeReadIsAnError) {
  EXPECT_THAT(std::string(ReadSecretFile("/nonexistent").status().message()),
              HasSubstr("No such file"));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadSecretFile("/").status()));
}

}  // namespace
}  // namespace septet::tracker
