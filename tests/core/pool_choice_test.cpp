#include "pool_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "message.h"
#include "plan_writer.h"
#include "planned.h"
#include "random_problem.h"
#include "verified.h"

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

// --- several methods, and pools of other numbers ---

// A plan of ours, and what our verifier says of it.
Codes PlannedCodes(const std::string& input, const Options& options = {}) {
  const Planned planned(input, options);
  if (!planned.ok) return {planned.error.message};
  const std::string text = WritePlanJson(planned.plan, planned.job->program(), nullptr);
  return CodesOf(Verify(input, text, options));
}

// x and h live together, then h and y.
std::string Chain(const std::string& more, const std::string& scratch = "[]") {
  return R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "h", "nbytes": 64}, {"id": "y", "nbytes": 32}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "a", "op": "call_function", "target": "f", "args": ["x"], "specs": ["h"], "scratch": )" +
         scratch + R"(},
      {"name": "b", "op": "call_function", "target": "f", "args": ["a"], "specs": ["y"]},
      {"name": "o", "op": "output", "args": ["b"]}],
    "signature": {"inputs_to_buffers": {"x": "cache"}, "buffers_to_mutate": {"b": "cache"}})" +
         more + "}";
}

std::string TwoMethods(const std::string& one, const std::string& two, const char* shared) {
  return Message({R"({"methods": {"one": )", Chain(one), R"(, "two": )", Chain(two),
                  R"(}, "shared_buffers": )", shared, "}"});
}

TEST(PoolChoiceTest, MethodsShareTheirPools) {
  const std::string pools =
      R"(, "pools": [{"mem_id": 2, "capacity": 64, "alignment": 32}, {"mem_id": 3}])";
  for (const char* shared : {"true", "false"}) {
    for (const std::string& two : {pools, std::string()}) {
      const std::string input = TwoMethods(pools, two, shared);
      const Planned planned(input);
      ASSERT_TRUE(planned.ok) << planned.error.message;
      ASSERT_EQ(planned.plan.buffer_sizes.size(), 4u);
      EXPECT_EQ(planned.plan.buffer_sizes[1], 0);
      EXPECT_EQ(planned.plan.buffer_sizes[2], 64);
      EXPECT_FALSE(planned.plan.spilled.empty());
      EXPECT_EQ(PlannedCodes(input), Codes{});
    }
  }
  const Planned tight(TwoMethods(R"(, "pools": [{"mem_id": 1, "capacity": 64}])", "", "true"));
  EXPECT_EQ(tight.error.code, ErrorCode::kDoesNotFit);
  const Planned other(TwoMethods(pools, R"(, "pools": [{"mem_id": 3}])", "true"));
  EXPECT_EQ(other.error.code, ErrorCode::kInvalidInput);
  EXPECT_EQ(other.error.path, "methods.two.pools");
}

TEST(PoolChoiceTest, NoMethodLiesInBytesThatAreTaken) {
  const std::string input = TwoMethods(R"(, "input_mem_buffer_sizes": [0, 100])",
                                       R"(, "input_mem_buffer_sizes": [0, 40, 8])", "true");
  const Planned planned(input);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 112 + 160, 8}));
  EXPECT_EQ(PlannedCodes(input), Codes{});
}

TEST(PoolChoiceTest, GoesByThePoolsOwnCapacityWhereTheOptionSaysNone) {
  const std::string pools =
      R"(, "pools": [{"mem_id": 1, "capacity": 999}, {"mem_id": 2, "capacity": 32}])";
  Options options;
  options.capacity_per_pool = true;
  options.capacity = {0, 64};
  EXPECT_EQ(Planned(Chain(pools), options).error.code, ErrorCode::kDoesNotFit);
  options.capacity = {0, 128};
  EXPECT_EQ(PlannedCodes(Chain(pools), options), Codes{});
}

TEST(PoolChoiceTest, ScratchGoesToAPoolThatThereIs) {
  const Planned second(Chain(R"(, "pools": [{"mem_id": 2}])", R"([{"nbytes": 16}])"));
  ASSERT_TRUE(second.ok) << second.error.message;
  EXPECT_EQ(second.plan.buffer_sizes[1], 0);
  const Planned both(Chain(R"(, "pools": [{"mem_id": 2}, {"mem_id": 1}])", R"([{"nbytes": 16}])"));
  ASSERT_TRUE(both.ok) << both.error.message;
  EXPECT_EQ(both.plan.buffer_sizes[1], 16);
}

// A branch's output that asks for pool 1, and a result that asks for none where there is only
// pool 2.
TEST(PoolChoiceTest, LaysABranchsOutputInThePoolItAsksFor) {
  const std::string branch =
      R"({"tensors": [{"id": "i", "nbytes": 16}, {"id": "w", "nbytes": 32, "mem_id": 1}],
    "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
      {"name": "f", "op": "call_function", "target": "f", "args": ["i"], "specs": ["w"]},
      {"name": "o", "op": "output", "args": ["f"]}]})";
  for (const char* pools :
       {"[]", R"([{"mem_id": 1}])", R"([{"mem_id": 2}])", R"([{"mem_id": 2}, {"mem_id": 1}])"}) {
    const std::string input =
        Message({R"({"tensors": [{"id": "x", "nbytes": 16}, {"id": "r", "nbytes": 32}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
       "submodules": ["t", "t"]},
      {"name": "o", "op": "output", "args": ["c"]}], "submodules": {"t": )",
                 branch, R"(}, "pools": )", pools, "}"});
    for (const bool move : {true, false}) {
      Options options;
      options.move_results = move;
      EXPECT_EQ(PlannedCodes(input, options), Codes{}) << pools;
    }
  }
}

}  // namespace
}  // namespace memplan
