#include "tracker/server/connection_table.h"

#include <vector>

#include "gtest/gtest.h"

namespace septet::tracker {
namespace {

// Takes the connections of a phase out, oldest first, and returns their descriptors.
std::vector<int> TakeAll(ConnectionTable& table, Phase phase) {
  std::vector<int> descriptors;
  while (Connection* oldest = table.Oldest(phase)) {
    descriptors.push_back(oldest->fd);
    table.Remove(*oldest);
  }
  return descriptors;
}

TEST(ConnectionTableTest, OldestIsTheOneThatCameFirstIntoThePhase) {
  ConnectionTable table;
  Connection& a = table.Add(10, Endpoint(), 1);
  Connection& b = table.Add(11, Endpoint(), 2);
  Connection& c = table.Add(12, Endpoint(), 3);
  EXPECT_EQ(a.phase, Phase::kNew);
  EXPECT_EQ(table.Oldest(Phase::kNew), &a);
  EXPECT_EQ(table.Oldest(Phase::kIdle), nullptr);

  table.Move(b, Phase::kIdle, 4);
  table.Move(a, Phase::kIdle, 5);
  table.Move(c, Phase::kNew, 6);
  EXPECT_EQ(a.since_ms, 5);
  EXPECT_EQ(TakeAll(table, Phase::kIdle), (std::vector<int>{11, 10}));
  EXPECT_EQ(TakeAll(table, Phase::kNew), (std::vector<int>{12}));
  EXPECT_EQ(table.size(), 0u);
}

TEST(ConnectionTableTest, ASlotThatIsUsedAgainIsAsNew) {
  ConnectionTable table;
  table.Add(10, Endpoint(), 1).awaits_proxy_header = true;
  table.Remove(*table.Oldest(Phase::kNew));
  const Connection& again = table.Add(11, Endpoint(), 2);
  EXPECT_EQ(again.index, 0u);
  EXPECT_FALSE(again.awaits_proxy_header);
}

TEST(ConnectionTableTest, MovingWithinAPhaseMakesYoung) {
  ConnectionTable table;
  Connection& a = table.Add(10, Endpoint(), 1);
  table.Add(11, Endpoint(), 2);
  table.Add(12, Endpoint(), 3);
  table.Move(a, Phase::kNew, 4);
  EXPECT_EQ(TakeAll(table, Phase::kNew), (std::vector<int>{11, 12, 10}));
}

TEST(ConnectionTableTest, RemovingFromTheMiddleKeepsTheOrder) {
  ConnectionTable table;
  table.Add(10, Endpoint(), 1);
  Connection& b = table.Add(11, Endpoint(), 2);
  table.Add(12, Endpoint(), 3);
  table.Remove(b);
  EXPECT_EQ(TakeAll(table, Phase::kNew), (std::vector<int>{10, 12}));
}

TEST(ConnectionTableTest, ASlotTakenAgainIsAnotherConnection) {
  ConnectionTable table;
  Connection& first = table.Add(10, Endpoint(), 1);
  const uint32_t index = first.index;
  const uint32_t generation = first.generation;
  EXPECT_EQ(table.Find(index, generation), &first);
  table.Remove(first);
  EXPECT_EQ(table.Find(index, generation), nullptr);

  Connection& second = table.Add(11, Endpoint(), 2);
  EXPECT_EQ(second.index, index);
  EXPECT_EQ(table.Find(index, generation), nullptr);
  EXPECT_EQ(table.Find(index, second.generation), &second);
  EXPECT_EQ(table.Find(index + 1, generation), nullptr);
}

TEST(ConnectionTableTest, GenerationsFitTheTokenOfEpoll) {
  ConnectionTable table;
  Connection& connection = table.Add(10, Endpoint(), 1);
  connection.generation = kGenerations - 1;
  table.Remove(connection);
  EXPECT_EQ(connection.generation, 0u);
}

}  // namespace
}  // namespace septet::tracker
