#include "tied_place.h"

#include <gtest/gtest.h>

#include <string>

#include "planned.h"

namespace memplan {
namespace {

constexpr const char* kBranch =
    R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "o", "nbytes": 64}],
  "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
    {"name": "f", "op": "call_function", "target": "f", "args": ["i"], "specs": ["o"]},
    {"name": "out", "op": "output", "args": ["f"]}]})";

// Two conds that run the same two branches; `reads` are the args of the last node.
std::string SharedBranches(const char* reads) {
  return R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "r", "nbytes": 64}, {"id": "s", "nbytes": 64},
      {"id": "y", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
       "submodules": ["t", "f"]},
      {"name": "d", "op": "call_function", "target": "cond", "args": ["x", "c"], "specs": ["s"],
       "submodules": ["t", "f"]},
      {"name": "y", "op": "call_function", "target": "g", "args": [)" +
         std::string(reads) + R"(], "specs": ["y"]},
      {"name": "out", "op": "output", "args": ["y"]}],
    "submodules": {"t": )" +
         kBranch + R"(, "f": )" + kBranch + "}}";
}

// "c" is dead when "d" runs the same branches: both results lie at the place where the branches put
// their output, and nothing else is needed beside the operand.
TEST(TiedPlaceTest, LaysResultsOfOneSubmoduleAtOnePlace) {
  for (const bool move_results : {true, false}) {
    Options options;
    options.move_results = move_results;
    std::string graph = SharedBranches("\"d\"");
    const std::string operands = R"("args": ["x", "c"])";
    graph.replace(graph.find(operands), operands.size(), R"("args": ["x", "x"])");
    const Planned planned(graph, options);
    ASSERT_TRUE(planned.ok) << planned.error.message;
    EXPECT_EQ(planned.plan.buffer_sizes[1], 2 * 64);
    const GraphPlan& top = planned.plan.top;
    EXPECT_EQ(top.mem_offset[1], top.mem_offset[2]);
    for (const GraphPlan& branch : top.submodules) {
      EXPECT_EQ(branch.mem_offset[1], top.mem_offset[2]);
    }
  }
}

// The last call's result is the caller's and copied to it: the branches put their output where the
// first call's result lay.
TEST(TiedPlaceTest, LaysAnOutputThatIsCopiedAtTheResultOfAnotherCall) {
  Options options;
  options.alloc_graph_output = false;
  std::string graph = SharedBranches("\"d\"");
  const std::string operands = R"("args": ["x", "c"])";
  graph.replace(graph.find(operands), operands.size(), R"("args": ["x", "x"])");
  const std::string returned = R"("args": ["y"])";
  graph.replace(graph.find(returned), returned.size(), R"("args": ["d"])");
  const Planned planned(graph, options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes[1], 2 * 64);
}

TEST(TiedPlaceTest, KeepsResultsApartThatAreLiveAtOnce) {
  Options options;
  options.move_results = false;
  const Planned planned(SharedBranches("\"c\", \"d\""), options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_NE(planned.plan.top.mem_offset[1], planned.plan.top.mem_offset[2]);
}

}  // namespace
}  // namespace memplan
