#include "nesting.h"

#include <gtest/gtest.h>

#include <string>

#include "planned.h"
#include "shared_branches.h"

namespace memplan {
namespace {

TEST(NestingTest, GivesASubmoduleOfSeveralNodesOnePlace) {
  Options options;
  options.move_results = false;
  const Planned planned(SharedBranches("\"c\", \"d\""), options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  // Its output could lie at one result and be copied to the other: nothing says that this is worse.
  EXPECT_LT(planned.plan.lower_bound[1], planned.plan.buffer_sizes[1]);
  EXPECT_FALSE(planned.plan.optimal);
}

TEST(NestingTest, RefusesAMovedResultThatTheNextRunWouldOverwrite) {
  const Planned planned(SharedBranches("\"c\", \"d\""));
  EXPECT_EQ(planned.error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(planned.error.path, "submodules.t");
}

// The branch hands its operand through, which has no bound; the result is returned.
TEST(NestingTest, FreesNothingThatAReturnedResultTookOver) {
  const Planned planned(R"({"tensors": [{"id": "x", "nbytes": 64},
      {"id": "u", "nbytes": 64, "dynamism": "dynamic_unbound"},
      {"id": "r", "nbytes": 64, "dynamism": "dynamic_unbound"}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "u", "op": "call_function", "target": "g", "args": ["x"], "specs": ["u"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "u"], "specs": ["r"],
       "submodules": ["t", "t"]},
      {"name": "out", "op": "output", "args": ["c"]}],
    "submodules": {"t": {"tensors": [{"id": "i", "nbytes": 64, "dynamism": "dynamic_unbound"}],
      "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
        {"name": "out", "op": "output", "args": ["i"]}]}}})");
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_TRUE(planned.plan.top.frees.empty());
}

TEST(NestingTest, LaysABranchsOutputAtTheResult) {
  std::string once = SharedBranches("\"d\"");
  const Planned planned(once.replace(
      once.find(R"("d", "op": "call_function", "target": "cond", "args": ["x", "c"], "specs": ["s"],
       "submodules": ["t", "f"]})"),
      std::string(
          R"("d", "op": "call_function", "target": "cond", "args": ["x", "c"], "specs": ["s"],
       "submodules": ["t", "f"]})")
          .size(),
      R"("d", "op": "call_function", "target": "h", "args": ["c"], "specs": ["s"]})"));
  ASSERT_TRUE(planned.ok) << planned.error.message;
  const GraphPlan& top = planned.plan.top;
  for (const GraphPlan& branch : top.submodules) {
    EXPECT_EQ(branch.mem_offset[0], kNoBytes) << "the operand is the caller's";
    EXPECT_EQ(branch.mem_offset[1], top.mem_offset[1]);
  }
}

TEST(NestingTest, LeavesASubmoduleThatNobodyRunsUnplanned) {
  const Planned planned(R"({"tensors": [], "nodes": [], "submodules": {"lonely": )" +
                        std::string(kBranch) + "}}");
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_FALSE(planned.plan.top.submodules[0].has_buffer_sizes);
}

TEST(NestingTest, RefusesSubmodulesThatAreCalledAlongTooManyPaths) {
  std::string graph = R"({"tensors": [], "nodes": [{"name": "o", "op": "output"}]})";
  for (int level = 0; level < 60; ++level) {
    graph = R"({"tensors": [], "nodes": [
      {"name": "p", "op": "call_function", "target": "cond", "submodules": ["s", "s"]},
      {"name": "q", "op": "call_function", "target": "cond", "submodules": ["s", "s"]},
      {"name": "o", "op": "output"}], "submodules": {"s": )" +
            graph + "}}";
  }
  const Planned planned(graph);
  EXPECT_EQ(planned.error.code, ErrorCode::kUnsupported);
}

// A loop that carries two values and returns one: the other has storage of its own at the node, one
// in condition and body.
TEST(NestingTest, GivesAValueCarriedBeyondTheResultsStorageOfItsOwn) {
  const Planned planned(
      R"({"tensors": [{"id": "a", "nbytes": 64}, {"id": "b", "nbytes": 32}, {"id": "r", "nbytes": 64}],
    "nodes": [{"name": "a", "op": "placeholder", "target": "a", "specs": ["a"]},
      {"name": "b", "op": "placeholder", "target": "b", "specs": ["b"]},
      {"name": "w", "op": "call_function", "target": "while", "args": ["a", "b"], "specs": ["r"],
       "submodules": ["c", "body"]},
      {"name": "out", "op": "output", "args": ["w"]}],
    "submodules": {
      "c": {"tensors": [{"id": "i", "nbytes": 64}, {"id": "j", "nbytes": 32}, {"id": "p", "nbytes": 1}],
        "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
          {"name": "j", "op": "placeholder", "target": "j", "specs": ["j"]},
          {"name": "p", "op": "call_function", "target": "f", "args": ["j"], "specs": ["p"]},
          {"name": "out", "op": "output", "args": ["p"]}]},
      "body": {"tensors": [{"id": "i", "nbytes": 64}, {"id": "j", "nbytes": 32}, {"id": "o", "nbytes": 64},
          {"id": "q", "nbytes": 32}],
        "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
          {"name": "j", "op": "placeholder", "target": "j", "specs": ["j"]},
          {"name": "o", "op": "call_function", "target": "f", "args": ["i"], "specs": ["o"]},
          {"name": "q", "op": "call_function", "target": "f", "args": ["j"], "specs": ["q"]},
          {"name": "out", "op": "output", "args": ["o", "q"]}]}}})");
  ASSERT_TRUE(planned.ok) << planned.error.message;
  const GraphPlan& condition = planned.plan.top.submodules[0];
  const GraphPlan& body = planned.plan.top.submodules[1];
  EXPECT_EQ(body.mem_offset[0], kNoBytes);
  EXPECT_NE(body.mem_offset[1], kNoBytes);
  EXPECT_EQ(condition.mem_offset[1], body.mem_offset[1]);
}

TEST(NestingTest, TellsWhereANodeAndItsSubmodulesDoNotMatch) {
  const Planned planned(R"({"tensors": [{"id": "x", "nbytes": 32}, {"id": "r", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
       "submodules": ["t", "t"]}], "submodules": {"t": )" +
                        std::string(kBranch) + "}}");
  EXPECT_EQ(planned.error.code, ErrorCode::kBadSubmodule);
  EXPECT_EQ(planned.error.path, "nodes[1]");
}

// The inner result asks for no pool but lies at the outer one, in pool 3; the innermost output asks
// for pool 1, so it cannot lie there.
TEST(NestingTest, LaysAnOutputOnlyWhereItsPoolIs) {
  const std::string inner = R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "r", "nbytes": 64}],
    "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["i", "i"], "specs": ["r"],
       "submodules": ["t", "t"]},
      {"name": "out", "op": "output", "args": ["c"]}],
    "submodules": {"t": {
      "tensors": [{"id": "i", "nbytes": 64}, {"id": "o", "nbytes": 64, "mem_id": 1}],
      "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
        {"name": "f", "op": "call_function", "target": "f", "args": ["i"], "specs": ["o"]},
        {"name": "out", "op": "output", "args": ["f"]}]}}})";
  const Planned planned(
      R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "r", "nbytes": 64, "mem_id": 3}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
       "submodules": ["s", "s"]},
      {"name": "out", "op": "output", "args": ["c"]}], "submodules": {"s": )" +
      inner + "}}");
  ASSERT_TRUE(planned.ok) << planned.error.message;
  const GraphPlan& submodule = planned.plan.top.submodules[0];
  EXPECT_EQ(submodule.mem_id[1], 3);
  EXPECT_EQ(submodule.submodules[0].mem_id[1], 1);
}

// A branch that needs 128 bytes before it writes its 64 bytes of output.
constexpr const char* kBusyBranch =
    R"({"tensors": [{"id": "t", "nbytes": 128}, {"id": "o", "nbytes": 64}],
    "nodes": [{"name": "f", "op": "call_function", "target": "f", "specs": ["t"]},
      {"name": "g", "op": "call_function", "target": "g", "specs": ["o"]},
      {"name": "out", "op": "output", "args": ["g"], "specs": ["o"]}]})";

// A graph of one cond whose branches are these and whose result is returned; 64 bytes beside it.
std::string CondOf(const std::string& one, const std::string& other, bool beside) {
  return std::string(R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "r", "nbytes": 64}],
      "nodes": [)") +
         (beside ? R"({"name": "x", "op": "call_function", "target": "x", "specs": ["x"]},)" : "") +
         R"({"name": "cond", "op": "call_function", "target": "cond", "specs": ["r"],
          "submodules": ["one", "other"]},
        {"name": "r", "op": "call_function", "target": "operator.getitem", "args": ["cond"],
          "specs": ["r"]},
        {"name": "out", "op": "output", "args": ["r")" +
         (beside ? R"(, "x")" : "") + R"(], "specs": ["r"]}],
      "submodules": {"one": )" +
         one + R"(, "other": )" + other + "}}";
}

// One that hands on what it is handed has nothing to write before its end.
constexpr const char* kHandsOn =
    R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "t", "nbytes": 64}],
    "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
      {"name": "f", "op": "call_function", "target": "f", "args": ["i"], "specs": ["t"]},
      {"name": "out", "op": "output", "args": ["i"], "specs": ["i"]}]})";

TEST(NestingTest, LendsAResultsBytesToABranchUntilItIsCopied) {
  Options options;
  options.move_results = false;
  const Planned planned(
      std::string(R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "r", "nbytes": 64}],
      "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
        {"name": "cond", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
          "submodules": ["one", "other"]},
        {"name": "out", "op": "output", "args": ["cond"], "specs": ["r"]}],
      "submodules": {"one": )") +
          kHandsOn + R"(, "other": )" + kHandsOn + "}}",
      options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 128}));
  EXPECT_TRUE(planned.plan.optimal);
}

// The bytes of a result are a branch's own until it writes the result: a plan that kept them free
// all the while was called the smallest, though verify passed one that is smaller.
TEST(NestingTest, LendsAResultsBytesToABranchUntilItWritesThem) {
  const std::string inner = CondOf(kBusyBranch, kBusyBranch, false);
  for (const bool moves : {false, true}) {
    Options options;
    options.move_results = moves;
    for (const std::string& branch : {std::string(kBusyBranch), inner}) {
      const Planned planned(CondOf(kBusyBranch, branch, true), options);
      ASSERT_TRUE(planned.ok) << planned.error.message;
      EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 64 + 128}));
      EXPECT_EQ(planned.plan.lower_bound, planned.plan.buffer_sizes);
      EXPECT_TRUE(planned.plan.optimal);
    }
  }
}

// A branch calls one submodule twice, so both results lie at one place, which is the branch's own
// result: the first call writes there long before the second.
TEST(NestingTest, LendsNothingBeforeTheFirstOfSeveralResultsAtOnePlace) {
  const std::string leaf = R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "o", "nbytes": 64}],
      "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
        {"name": "w", "op": "call_function", "target": "g", "args": ["i"], "specs": ["o"]},
        {"name": "out", "op": "output", "args": ["w"], "specs": ["o"]}]})";
  const std::string branch = R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "k", "nbytes": 64},
        {"id": "u", "nbytes": 64}, {"id": "w", "nbytes": 64}, {"id": "v", "nbytes": 64}],
      "nodes": [{"name": "i", "op": "call_function", "target": "g", "specs": ["i"]},
        {"name": "k", "op": "call_function", "target": "g", "args": ["i"], "specs": ["k"]},
        {"name": "u", "op": "call_function", "target": "cond", "args": ["i", "i"], "specs": ["u"],
          "submodules": ["leaf", "leaf"]},
        {"name": "w", "op": "call_function", "target": "g", "args": ["k"], "specs": ["w"]},
        {"name": "v", "op": "call_function", "target": "cond", "args": ["i", "i"], "specs": ["v"],
          "submodules": ["leaf", "leaf"]},
        {"name": "out", "op": "output", "args": ["v"], "specs": ["v"]}],
      "submodules": {"leaf": )" +
                             leaf + "}}";
  for (const bool moves : {false, true}) {
    Options options;
    options.move_results = moves;
    const Planned planned(CondOf(branch, branch, true), options);
    ASSERT_TRUE(planned.ok) << planned.error.message;
    // x, i, k and u at once.
    EXPECT_GE(planned.plan.buffer_sizes[1], 4 * 64);
  }
}

}  // namespace
}  // namespace memplan
