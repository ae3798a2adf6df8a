#include "pool_choice.h"

#include <gtest/gtest.h>

#include <string>

#include "planned.h"

namespace memplan {
namespace {

// a and b live together with 600 bytes each, b read twice; a fast pool of `capacity` bytes and a
// slow one.
std::string TwoPools(int capacity) {
  return R"({"tensors": [{"id": "a", "nbytes": 608}, {"id": "b", "nbytes": 608}, {"id": "y", "nbytes": 16}],
    "nodes": [{"name": "a", "op": "placeholder", "target": "a", "specs": ["a"]},
      {"name": "b", "op": "placeholder", "target": "b", "specs": ["b"]},
      {"name": "f", "op": "call_function", "target": "f", "args": ["a", "b", "b"], "specs": ["y"]},
      {"name": "o", "op": "output", "args": ["f"]}],
    "pools": [{"mem_id": 2, "name": "SRAM", "capacity": )" +
         std::to_string(capacity) + R"(}, {"mem_id": 1, "name": "PSRAM"}]})";
}

TEST(PoolChoiceTest, FillsTheFastPoolWithWhatIsReadMost) {
  const Planned planned(TwoPools(700));
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.top.mem_id, (std::vector<MemId>{1, 2, 2}));
  EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 608, 624}));
  ASSERT_EQ(planned.plan.spilled.size(), 1u);
  EXPECT_EQ(planned.plan.spilled[0].tensor, 0);
  EXPECT_EQ(planned.plan.spilled[0].reason, "the pool is full of what is worth more");
}

TEST(PoolChoiceTest, SpillsNothingWhereAllFits) {
  const Planned planned(TwoPools(2000));
  ASSERT_TRUE(planned.ok);
  EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 0, 1232}));
  EXPECT_TRUE(planned.plan.spilled.empty());
}

TEST(PoolChoiceTest, SaysWhatIsLargerThanThePool) {
  const Planned planned(TwoPools(100));
  ASSERT_TRUE(planned.ok);
  ASSERT_EQ(planned.plan.spilled.size(), 2u);
  EXPECT_EQ(planned.plan.spilled[1].reason, "it is larger than the pool");
}

}  // namespace
}  // namespace memplan
