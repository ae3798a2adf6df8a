#include "pool_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "message.h"
#include "planned.h"
#include "random_problem.h"

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

TEST(PoolChoiceTest, GoesByTheCapacitiesOfTheOptions) {
  Options options;
  options.capacity = {0, 624, 608};
  options.capacity_per_pool = true;
  for (const int capacity : {100, 5000}) {
    const Planned planned(TwoPools(capacity), options);
    ASSERT_TRUE(planned.ok) << planned.error.message;
    EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 624, 608}));
  }
}

// Two or three small pools, and tensors that each live for a while.
struct SmallSpread {
  std::vector<Bytes> capacity;
  std::vector<Bytes> size;
  std::vector<std::pair<int, int>> life;  // nodes, inclusive

  // `pool`: of each tensor, 0 where the planner is to choose.
  std::string Json(const std::vector<int>& pool) const {
    std::string tensors, nodes, pools;
    for (size_t t = 0; t < size.size(); ++t) {
      tensors += Message({t > 0 ? "," : "", R"({"id": "t)", t, R"(", "nbytes": )", size[t]});
      if (pool[t] > 0) tensors += Message({R"(, "mem_id": )", pool[t]});
      tensors += "}";
    }
    for (int n = 0; n < 5; ++n) {
      std::string specs;
      for (size_t t = 0; t < size.size(); ++t) {
        if (n < life[t].first || n > life[t].second) continue;
        specs += Message({specs.empty() ? "" : ",", "\"t", t, "\""});
      }
      nodes += Message({n > 0 ? "," : "", R"({"name": "n)", n,
                        R"(", "op": "call_function", "target": "f", "specs": [)", specs, "]}"});
    }
    for (size_t p = 0; p < capacity.size(); ++p) {
      pools += Message(
          {p > 0 ? "," : "", R"({"mem_id": )", p + 1, R"(, "capacity": )", capacity[p], "}"});
    }
    return Message(
        {R"({"tensors": [)", tensors, R"(], "nodes": [)", nodes, R"(], "pools": [)", pools, "]}"});
  }
  // True where some way to spread the tensors from `t` on has a plan.
  bool FitsSomehow(std::vector<int>* pool, size_t t) const {
    if (t == size.size()) return Planned(Json(*pool)).ok;
    for (size_t p = 1; p <= capacity.size(); ++p) {
      (*pool)[t] = static_cast<int>(p);
      if (FitsSomehow(pool, t + 1)) return true;
    }
    return false;
  }
};

TEST(PoolChoiceTest, CallsNothingUnfitThatFitsSomehow) {
  int fitting = 0, found = 0, unfit = 0, proven = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    SmallSpread spread;
    const int64_t pools = random.Between(2, 3);
    for (int64_t p = 0; p < pools; ++p) spread.capacity.push_back(16 * random.Between(2, 12));
    for (int64_t t = random.Between(3, 5); t > 0; --t) {
      spread.size.push_back(16 * random.Between(1, 9));
      const int from = static_cast<int>(random.Between(0, 4));
      spread.life.emplace_back(from, random.Between(from, 4));
    }
    std::vector<int> chosen(spread.size.size(), 0);
    const Planned planned(spread.Json(chosen));
    const bool fits = spread.FitsSomehow(&chosen, 0);
    fitting += fits;
    unfit += !fits;
    found += planned.ok;
    if (planned.ok) continue;
    const bool is_proven = planned.error.code == ErrorCode::kDoesNotFit;
    proven += is_proven;
    EXPECT_FALSE(fits && is_proven) << "seed " << seed << ": " << planned.error.message;
    EXPECT_TRUE(is_proven || planned.error.code == ErrorCode::kNotFoundInTime);
  }
  EXPECT_GE(fitting, 100);
  EXPECT_GE(found, fitting * 95 / 100);
  EXPECT_GE(proven, unfit * 3 / 4);
}

}  // namespace
}  // namespace memplan
