#include "tied_place.h"

#include <gtest/gtest.h>

#include <string>

#include "planned.h"
#include "shared_branches.h"

namespace memplan {
namespace {

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
