#include "tracker/access/info_hash_set.h"

#include <algorithm>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tracker/random.h"

namespace septet::tracker {
namespace {

InfoHash RandomHash(Random& random) {
  InfoHash info_hash;
  for (uint8_t& byte : info_hash) byte = static_cast<uint8_t>(random.Next());
  return info_hash;
}

TEST(InfoHashSet, TheEmptyOneHoldsNothing) {
  EXPECT_FALSE(InfoHashSet().Contains(InfoHash{}));
  EXPECT_FALSE(InfoHashSet(std::vector<InfoHash>{}).Contains(InfoHash{}));
  EXPECT_EQ(InfoHashSet().size(), 0u);
}

TEST(InfoHashSet, HoldsWhatItWasMadeOfAndNothingElse) {
  Random random(1);
  for (const size_t size : {1, 2, 7, 8, 15, 16, 17, 100, 1000, 5000}) {
    std::set<InfoHash> model;
    while (model.size() < size) model.insert(RandomHash(random));
    const InfoHashSet set(std::vector<InfoHash>(model.begin(), model.end()));
    EXPECT_EQ(set.size(), size);
    for (const InfoHash& info_hash : model) {
      EXPECT_TRUE(set.Contains(info_hash));
      // One that differs in the last bit only, and one in the first.
      InfoHash other = info_hash;
      other.back() ^= 1;
      EXPECT_EQ(set.Contains(other), model.contains(other));
      other = info_hash;
      other.front() ^= 0x80;
      EXPECT_EQ(set.Contains(other), model.contains(other));
    }
  }
}

TEST(InfoHashSet, TheFirstAndTheLastHashThereCanBe) {
  InfoHash last;
  last.fill(0xff);
  std::vector<InfoHash> hashes(100, InfoHash{});
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i][3] = static_cast<uint8_t>(i);
  hashes.push_back(last);
  const InfoHashSet set(hashes);
  EXPECT_TRUE(set.Contains(InfoHash{}));
  EXPECT_TRUE(set.Contains(last));
  last.back() = 0xfe;
  EXPECT_FALSE(set.Contains(last));
}

TEST(InfoHashSet, OrderAndDuplicatesDoNotMatter) {
  Random random(2);
  std::vector<InfoHash> hashes;
  for (int i = 0; i < 300; ++i) hashes.push_back(RandomHash(random));
  std::vector<InfoHash> twice = hashes;
  twice.insert(twice.end(), hashes.rbegin(), hashes.rend());
  const InfoHashSet set(twice);
  EXPECT_EQ(set.size(), 300u);
  for (const InfoHash& info_hash : hashes) EXPECT_TRUE(set.Contains(info_hash));
}

TEST(InfoHashSet, ManyThatBeginAlike) {
  std::vector<InfoHash> hashes(1000, InfoHash{});
  for (size_t i = 0; i < hashes.size(); ++i) {
    hashes[i][18] = static_cast<uint8_t>(i >> 8);
    hashes[i][19] = static_cast<uint8_t>(i);
  }
  const InfoHashSet set(hashes);
  for (const InfoHash& info_hash : hashes) EXPECT_TRUE(set.Contains(info_hash));
  InfoHash other = hashes.front();
  other[17] = 1;
  EXPECT_FALSE(set.Contains(other));
}

TEST(InfoHashSet, AnEntryTakesAtMost24Bytes) {
  Random random(3);
  for (const size_t size : {1000, 4095, 4096, 4097, 100'000}) {
    std::vector<InfoHash> hashes;
    for (size_t i = 0; i < size; ++i) hashes.push_back(RandomHash(random));
    const InfoHashSet set(std::move(hashes));
    EXPECT_LE(set.bytes(), 24 * size);
    EXPECT_GE(set.bytes(), sizeof(InfoHash) * size);
  }
}

}  // namespace
}  // namespace septet::tracker
