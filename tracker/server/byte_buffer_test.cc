#include "tracker/server/byte_buffer.h"

#include <algorithm>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

class ByteBufferTest : public ::testing::Test {
 protected:
  ~ByteBufferTest() override {
    buffer_.Clear(&budget_);
    EXPECT_EQ(budget_.bytes_taken(), 0u);
  }

  void Append(absl::string_view text, size_t total_max = 4096) {
    const absl::Span<char> room = buffer_.Extend(total_max, &budget_);
    ASSERT_GE(room.size(), text.size());
    std::copy(text.begin(), text.end(), room.begin());
    buffer_.Commit(text.size());
  }

  BufferBudget budget_{10'000};
  ByteBuffer buffer_;
};

TEST_F(ByteBufferTest, AssignTakesBytesFromElsewhere) {
  EXPECT_TRUE(buffer_.empty());
  EXPECT_TRUE(buffer_.Assign("abc", &budget_));
  EXPECT_EQ(buffer_.view(), "abc");
  const std::string longer(3000, 'x');
  EXPECT_TRUE(buffer_.Assign(longer, &budget_));
  EXPECT_EQ(buffer_.view(), longer);
  EXPECT_TRUE(buffer_.Assign("d", &budget_));
  EXPECT_EQ(buffer_.view(), "d");
}

TEST_F(ByteBufferTest, AssignTakesAPartOfItself) {
  ASSERT_TRUE(buffer_.Assign("abcdef", &budget_));
  EXPECT_TRUE(buffer_.Assign(buffer_.view().substr(2), &budget_));
  EXPECT_EQ(buffer_.view(), "cdef");
  EXPECT_TRUE(buffer_.Assign(buffer_.view(), &budget_));
  EXPECT_EQ(buffer_.view(), "cdef");
  buffer_.RemovePrefix(1, &budget_);
  EXPECT_TRUE(buffer_.Assign(buffer_.view().substr(1), &budget_));
  EXPECT_EQ(buffer_.view(), "ef");
}

TEST_F(ByteBufferTest, AnEmptyBufferHoldsNoMemory) {
  ASSERT_TRUE(buffer_.Assign("abc", &budget_));
  EXPECT_GT(budget_.bytes_taken(), 0u);
  EXPECT_TRUE(buffer_.Assign("", &budget_));
  EXPECT_EQ(budget_.bytes_taken(), 0u);
  ASSERT_TRUE(buffer_.Assign("abc", &budget_));
  buffer_.RemovePrefix(2, &budget_);
  EXPECT_EQ(buffer_.view(), "c");
  buffer_.RemovePrefix(1, &budget_);
  EXPECT_TRUE(buffer_.empty());
  EXPECT_EQ(budget_.bytes_taken(), 0u);
}

TEST_F(ByteBufferTest, ExtendGrowsToTheMostAndKeepsTheBytes) {
  std::string expected = "start";
  ASSERT_TRUE(buffer_.Assign(expected, &budget_));
  while (true) {
    absl::Span<char> room = buffer_.Extend(4096, &budget_);
    if (room.empty()) break;
    std::fill(room.begin(), room.end(), 'r');
    buffer_.Commit(room.size());
    expected.append(room.size(), 'r');
    ASSERT_EQ(buffer_.view(), expected);
  }
  EXPECT_EQ(expected.size(), 4096u);
}

TEST_F(ByteBufferTest, ExtendReusesTheRoomOfRemovedBytes) {
  ASSERT_TRUE(buffer_.Assign("abcdef", &budget_));
  buffer_.RemovePrefix(4, &budget_);
  Append("gh");
  EXPECT_EQ(buffer_.view(), "efgh");
}

TEST_F(ByteBufferTest, TheBudgetIsNeverPassedAndAFailureChangesNothing) {
  ASSERT_TRUE(buffer_.Assign("abc", &budget_));
  const std::string too_long(10'000, 'x');
  EXPECT_FALSE(buffer_.Assign(too_long, &budget_));
  EXPECT_EQ(buffer_.view(), "abc");

  ByteBuffer other;
  ASSERT_TRUE(other.Assign(std::string(8'500, 'y'), &budget_));
  while (!buffer_.Extend(4096, &budget_).empty()) {
    buffer_.Commit(buffer_.Extend(4096, &budget_).size());
    ASSERT_LE(budget_.bytes_taken(), 10'000u);
  }
  EXPECT_EQ(buffer_.view().substr(0, 3), "abc");
  EXPECT_LT(buffer_.view().size(), 4096u);
  other.Clear(&budget_);
}

}  // namespace
}  // namespace septet::tracker
