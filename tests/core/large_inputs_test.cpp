// Inputs of a few megabytes that are quick to plan, and were not where something looked at each row
// for each other one: that these tests end is what they check.
#include <gtest/gtest.h>

#include <string>

#include "bounds.h"
#include "engine/free_list.h"
#include "engine/packing.h"
#include "planned.h"

namespace memplan {
namespace {

constexpr int kRows = 100'000;

std::string Tensor(const std::string& id) { return R"({"id":")" + id + R"(","nbytes":64})"; }
std::string Placeholder(const std::string& name, const std::string& specs) {
  return R"({"name":")" + name + R"(","op":"placeholder","target":")" + name + R"(","specs":[)" +
         specs + "]}";
}
std::string Call(const std::string& name, const std::string& target, const std::string& args,
                 const std::string& specs) {
  return R"({"name":")" + name + R"(","op":"call_function","target":")" + target + R"(","args":[)" +
         args + R"(],"specs":[)" + specs + "]}";
}
std::string Quoted(const std::string& prefix, int i) {
  return '"' + prefix + std::to_string(i) + '"';
}
std::string Graph(const std::string& tensors, const std::string& nodes,
                  const std::string& more = "") {
  return R"({"tensors":[)" + tensors + R"(],"nodes":[)" + nodes + "]" + more + "}";
}

class EachRulesTest : public testing::TestWithParam<Rules> {
 protected:
  Options options() const {
    Options options;
    options.rules = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(All, EachRulesTest,
                         testing::Values(Rules::kSound, Rules::kExecutorch2024,
                                         Rules::kExecutorch2026));

TEST_P(EachRulesTest, AViewOfAViewOfAView) {
  std::string nodes = Placeholder("x", R"("x")") + "," + Call("v0", "memory.view", R"("x")", "");
  for (int i = 1; i < kRows; ++i) {
    nodes += "," + Call("v" + std::to_string(i), "memory.view", Quoted("v", i - 1), "");
  }
  nodes += "," + Call("g", "operator.getitem", Quoted("v", kRows - 1), R"("y")");
  const Planned planned(Graph(Tensor("x") + "," + Tensor("y"), nodes), options());
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.top.lifetime[0], (Lifetime{0, kRows + 1}));
}

TEST_P(EachRulesTest, ManyReadersOfANodeThatYieldsMany) {
  std::string tensors = Tensor("t0"), specs = Quoted("t", 0), readers;
  for (int i = 1; i < kRows; ++i) {
    tensors += "," + Tensor("t" + std::to_string(i));
    specs += "," + Quoted("t", i);
  }
  for (int i = 0; i < kRows; ++i) {
    readers += "," + Call("g" + std::to_string(i), "operator.getitem", R"("x")", Quoted("t", i));
  }
  const Planned planned(Graph(tensors, Placeholder("x", specs) + readers), options());
  ASSERT_TRUE(planned.ok) << planned.error.message;
  for (int t : {0, kRows / 2, kRows - 1}) {
    EXPECT_EQ(planned.plan.top.lifetime[t], (Lifetime{0, kRows})) << t;
  }
}

TEST(LargeInputs, ManyMutableBuffers) {
  std::string tensors, nodes, inputs, mutated;
  for (int i = 0; i < kRows; ++i) {
    const char* comma = i == 0 ? "" : ",";
    tensors += comma + Tensor("t" + std::to_string(i));
    nodes += comma + Placeholder("x" + std::to_string(i), Quoted("t", i));
    inputs += comma + Quoted("x", i) + ":" + Quoted("b", i);
    mutated += comma + Quoted("x", i) + ":" + Quoted("b", i);
  }
  const Planned planned(Graph(tensors, nodes,
                              R"(,"signature":{"inputs_to_buffers":{)" + inputs +
                                  R"(},"buffers_to_mutate":{)" + mutated + "}}"));
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.state.size(), size_t{kRows});
}

TEST(LargeInputs, BytesTakenInEveryPool) {
  std::string tensors, nodes, taken = "0";
  for (int i = 0; i < kRows; ++i) {
    const char* comma = i == 0 ? "" : ",";
    tensors += comma + Tensor("t" + std::to_string(i));
    nodes += comma + Placeholder("x" + std::to_string(i), Quoted("t", i));
  }
  for (MemId m = 1; m <= kMaxMemId; ++m) taken += ",64";
  const auto graph = [&] {
    return Graph(tensors, nodes, R"(,"input_mem_buffer_sizes":[)" + taken + "]");
  };
  const Planned planned(graph());
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes.size(), size_t{kMaxMemId} + 1);
  EXPECT_EQ(planned.plan.buffer_sizes[1], 64 + Bytes{64} * kRows);
  EXPECT_EQ(planned.plan.buffer_sizes[2], 64);
  taken += ",64";
  EXPECT_EQ(Planned(graph()).error.path, "input_mem_buffer_sizes[65537]");
}

TEST(LargeInputs, MorePoolsThanAnyDeviceHas) {
  std::string pools;
  for (int m = 1; m <= 257; ++m) {
    pools += (m > 1 ? ",{\"mem_id\":" : "{\"mem_id\":") + std::to_string(m) + "}";
  }
  const Planned planned(
      Graph(Tensor("x"), Placeholder("x", R"("x")"), R"(,"pools":[)" + pools + "]"));
  EXPECT_EQ(planned.error.code, ErrorCode::kInvalidInput);
  EXPECT_EQ(planned.error.path, "pools[256]");
}

// Each level calls the next one four times.
TEST_P(EachRulesTest, SubmodulesCalledAlongMorePathsThanCanBeCounted) {
  std::string graph =
      Graph(Tensor("x") + "," + Tensor("y"),
            Placeholder("x", R"("x")") + "," + Call("y", "operator.getitem", R"("x")", R"("y")") +
                R"(,{"name":"output","op":"output","args":["y"],"specs":[]})");
  for (int depth = 0; depth < 40; ++depth) {
    const std::string both = R"(,"submodules":["f","f"]})";
    std::string first = Call("a", "cond", R"("x","x")", R"("y")"),
                second = Call("b", "cond", R"("x","a")", R"("z")");
    first.pop_back(), second.pop_back();
    graph = Graph(Tensor("x") + "," + Tensor("y") + "," + Tensor("z"),
                  Placeholder("x", R"("x")") + "," + first + both + "," + second + both +
                      R"(,{"name":"output","op":"output","args":["b"],"specs":[]})",
                  R"(,"submodules":{"f":)" + graph + "}");
  }
  EXPECT_EQ(Planned(graph, options()).error.code, ErrorCode::kUnsupported);
}

// Half of what is live at once is pinned, with room for subset sums of the other half between.
TEST(LargeInputs, ManyPinsLiveAtOnce) {
  Problem problem;
  for (BufferIndex b = 0; b < kRows; ++b) {
    problem.lower.push_back(0);
    problem.upper.push_back(1);
    problem.size.push_back(b % 2 == 0 ? 64 : 1 + b % 61);
    problem.pin.push_back(b % 2 == 0 ? Bytes{128} * (b / 2) : kNoBytes);
  }
  const Result<Bytes> bound = LowerBound(problem);
  ASSERT_TRUE(bound.has_value());
  EXPECT_GE(*bound, 128 * (kRows / 2 - 1) + 64);
}

TEST(LargeInputs, AConflictOfEachWithAllThatIsLive) {
  Problem problem;
  for (BufferIndex b = 0; b < kRows; ++b) {
    problem.lower.push_back(0);
    problem.upper.push_back(1);
    problem.size.push_back(64 + b % 100);
    if (b > 0) problem.conflicts.emplace_back(0, b);
  }
  EXPECT_EQ(LowerBound(problem).value(), ComputeMaxLive(problem).value().bytes);
}

// Two that take turns at being live, and a third beside them.
TEST(LargeInputs, GapsThatFillEachOther) {
  Problem problem;
  problem.lower = {0, 1, 0};
  problem.upper = {4 * kRows + 1, 4 * kRows + 3, 4 * kRows};
  problem.size = {64, 64, 64};
  problem.first_gap.push_back(0);
  for (int shift : {0, 1}) {
    for (Tick i = 0; i < kRows; ++i) {
      problem.gaps.push_back({4 * i + 1 + 2 * shift, 4 * i + 4 + shift});
    }
    problem.first_gap.push_back(static_cast<uint32_t>(problem.gaps.size()));
  }
  problem.first_gap.push_back(static_cast<uint32_t>(problem.gaps.size()));
  EXPECT_FALSE(Conflicts(problem, 0, 1));
  EXPECT_TRUE(Conflicts(problem, 0, 2));
  EXPECT_TRUE(Conflicts(problem, 1, 2));
}

// Every second range is given back, none of them where the alignment wants it.
TEST(LargeInputs, HolesThatAreTooShortOnceAligned) {
  Problem problem;
  const auto add = [&](Tick lower, Tick upper, Bytes size, Bytes alignment) {
    problem.lower.push_back(lower);
    problem.upper.push_back(upper);
    problem.size.push_back(size);
    problem.alignment.push_back(alignment);
  };
  for (int i = 0; i < kRows; ++i) add(0, i % 2 == 0 ? 1 : 3, 24, 8);
  for (int i = 0; i < kRows; ++i) add(2, 3, 17, 64);
  const Packing packing(problem);
  const Placement placement = packing.ToPlacement(PlaceInTimeBothWays(packing));
  EXPECT_TRUE(placement.complete());
  EXPECT_TRUE(CheckPlacement(problem, placement).empty());
}

}  // namespace
}  // namespace memplan
