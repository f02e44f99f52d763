#include "tracker/swarm/block_arena.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tracker/swarm/memory_budget.h"

namespace septet::tracker {
namespace {

class BlockArenaTest : public testing::Test, private BlockMover {
 protected:
  BlockArenaTest() {
    EXPECT_TRUE(reservation_.Reserve(kBlockClasses, size_t{1} << 24));
    arena_.Init(&reservation_, &budget_, this);
  }

  // Blocks of one class, marked with their numbers.
  std::vector<BlockRef> Allocate(uint32_t count, uint8_t block_class = 5) {
    std::vector<BlockRef> refs;
    for (uint32_t i = 0; i < count; ++i) {
      refs.push_back(arena_.Allocate(block_class, i, Purpose::kGrow));
      EXPECT_EQ(refs.back(), (BlockRef{block_class, i}));
    }
    return refs;
  }
  uint32_t MarkAt(uint32_t index, uint8_t block_class = 5) const {
    return BlockHash(arena_.block({block_class, index}));
  }

  using Move = std::pair<uint32_t, uint32_t>;
  std::vector<Move> moves_;
  std::vector<uint32_t> moved_marks_;
  MemoryBudget budget_{0, 0};
  Reservation reservation_;
  BlockArena arena_;

 private:
  void BlockMoved(BlockRef from, BlockRef to) override {
    EXPECT_EQ(from.block_class, to.block_class);
    moves_.emplace_back(from.index, to.index);
    moved_marks_.push_back(BlockHash(arena_.block(to)));
  }
};

TEST_F(BlockArenaTest, TheLastBlockTakesThePlaceOfOneThatGoes) {
  const std::vector<BlockRef> refs = Allocate(4);
  arena_.Free(refs[1]);
  EXPECT_EQ(moves_, (std::vector<Move>{{3, 1}}));
  EXPECT_EQ(MarkAt(1), 3u);
  arena_.Free({5, 2});  // the last one: nothing moves
  EXPECT_EQ(moves_.size(), 1u);
  EXPECT_EQ(arena_.bytes_in_use(), 2 * BlockArena::BlockBytes(5));
}

TEST_F(BlockArenaTest, OfTwoThatGoNeitherIsMoved) {
  // In either order, with one of them the last or not.
  for (const auto& [a, b] : {std::pair{0u, 3u}, {3u, 0u}, {0u, 2u}, {2u, 0u}, {2u, 3u}, {3u, 2u}}) {
    moved_marks_.clear();
    const std::vector<BlockRef> refs = Allocate(4);
    arena_.Free(refs[a], refs[b]);
    for (const uint32_t mark : moved_marks_) {
      EXPECT_NE(mark, a) << a << " " << b;
      EXPECT_NE(mark, b) << a << " " << b;
    }
    // The two that stay lie in front, each once.
    EXPECT_EQ(MarkAt(0) + MarkAt(1), 0u + 1 + 2 + 3 - a - b);
    EXPECT_NE(MarkAt(0), MarkAt(1));
    arena_.Free({5, 0}, {5, 1});
  }
}

TEST_F(BlockArenaTest, ClassesDoNotMeet) {
  Allocate(2, 3);
  Allocate(2, 4);
  arena_.Free({3, 0}, {4, 0});
  EXPECT_EQ(MarkAt(0, 3), 1u);
  EXPECT_EQ(MarkAt(0, 4), 1u);
}

TEST_F(BlockArenaTest, BytesFollowFromWhatIsThere) {
  constexpr uint32_t kBlocks = 10'000;
  std::vector<BlockRef> refs = Allocate(kBlocks);
  const size_t block_bytes = BlockArena::BlockBytes(5);
  EXPECT_LE(arena_.bytes(), kBlocks * block_bytes + 2 * kPageBytes);
  for (uint32_t left = kBlocks; left > 0; --left) {
    arena_.Free({5, left / 2});
    ASSERT_LE(arena_.bytes(), (left - 1) * block_bytes + 3 * kPageBytes);
    ASSERT_EQ(arena_.bytes(), budget_.used());
  }
  arena_.ReleaseEmpty();
  EXPECT_EQ(arena_.bytes(), 0u);
}

}  // namespace
}  // namespace septet::tracker
