#include "inplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "planned.h"
#include "shared_branches.h"

namespace memplan {
namespace {

std::string ReadCase(const std::string& name) {
  std::ifstream file(std::string(MEMPLAN_TEST_DATA) + "/cases/" + name + ".json", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(InplaceTest, KnowsOperatorsByAnyOfTheirNames) {
  for (const char* name : {"aten::relu.out", "aten.relu.default", "RELU", "onnx::Relu",
                           "tflite::LEAKY_RELU", "aten::leaky_relu", "ADD"}) {
    EXPECT_TRUE(IsElementwise(name)) << name;
  }
  for (const char* name : {"aten::linear.out", "CONV_2D", "onnx::Softmax", "aten::cat.out", ""}) {
    EXPECT_FALSE(IsElementwise(name)) << name;
  }
  EXPECT_TRUE(IsConcat("aten::cat.out"));
  EXPECT_TRUE(IsConcat("tflite::CONCATENATION"));
}

// 768 as the case's text works it out; with every element-wise operator allowed the cosine is
// written over the input too.
TEST(InplaceTest, WritesConcatInputsIntoTheResult) {
  Options options;
  options.inplace = true;
  options.inplace_operators = {"aten::cat.out", "aten::sigmoid.out"};
  const Planned two(ReadCase("17-concat-inputs-in-place"), options);
  ASSERT_TRUE(two.ok) << two.error.message;
  EXPECT_EQ(two.plan.buffer_sizes, (std::vector<Bytes>{0, 768}));
  EXPECT_EQ(two.plan.saved_inplace, 1024 - 768);
  options.inplace_operators.clear();
  const Planned all(ReadCase("17-concat-inputs-in-place"), options);
  ASSERT_TRUE(all.ok) << all.error.message;
  EXPECT_EQ(all.plan.buffer_sizes, (std::vector<Bytes>{0, 512}));
}

std::string Chain(const char* second_reader) {
  return R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "h", "nbytes": 64}, {"id": "y", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "fc", "op": "call_function", "target": "aten::linear", "args": ["x"], "specs": ["h"]},
      {"name": "relu", "op": "call_function", "target": "aten::relu", "args": ["fc"], "specs": ["y"]},
      {"name": "o", "op": "output", "args": ["relu", )" +
         std::string(second_reader) + R"(]}]})";
}

TEST(InplaceTest, RefusesWithTheReasonWhereTheInputIsStillWanted) {
  Options options;
  options.inplace = true;
  const Planned dies(Chain("\"relu\""), options);
  ASSERT_TRUE(dies.ok) << dies.error.message;
  ASSERT_EQ(dies.plan.inplace.size(), 1u);
  EXPECT_EQ(dies.plan.inplace[0].refused, "");
  EXPECT_EQ(dies.plan.inplace[0].bytes, 64);
  const Planned wanted(Chain("\"fc\""), options);
  ASSERT_TRUE(wanted.ok);
  ASSERT_EQ(wanted.plan.inplace.size(), 1u);
  EXPECT_EQ(wanted.plan.inplace[0].refused, "\"h\" is returned");
}

// "y" over "r" would keep the first call's result in use when the branches run again: the pair is
// left out, and there is a plan.
TEST(InplaceTest, RefusesAPairThatLeavesNoPlan) {
  std::string graph = SharedBranches("\"y0\", \"d\"");
  const std::string second =
      R"({"name": "d", "op": "call_function", "target": "cond", "args": ["x", "c"])";
  graph.replace(graph.find(second), second.size(),
                R"({"name": "y0", "op": "call_function", "target": "aten::relu", "args": ["c"],
                    "specs": ["y0"]},
      {"name": "d", "op": "call_function", "target": "cond", "args": ["x", "x"])");
  graph.replace(graph.find(R"({"id": "y")"), 10, R"({"id": "y0", "nbytes": 64}, {"id": "y")");
  Options options;
  options.inplace = true;
  const Planned planned(graph, options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  const auto row = std::find_if(planned.plan.inplace.begin(), planned.plan.inplace.end(),
                                [](const InplaceRow& one) { return one.tensor == 3; });
  ASSERT_NE(row, planned.plan.inplace.end());
  EXPECT_NE(row->refused.find("runs it again"), std::string::npos) << row->refused;
}

// The inner result lies in pool 2, so what the branch hands through is copied into it, and copied
// out of it: "u" is free to be written over after the node.
TEST(InplaceTest, WritesOverWhatWasCopiedByWayOfAnotherPool) {
  Options options;
  options.inplace = true;
  const Planned planned(R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "u", "nbytes": 64},
      {"id": "s", "nbytes": 64}, {"id": "y", "nbytes": 64}, {"id": "z", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "u", "op": "call_function", "target": "f", "args": ["x"], "specs": ["u"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "u"], "specs": ["s"],
       "submodules": ["b", "b"]},
      {"name": "y", "op": "call_function", "target": "aten::relu", "args": ["u"], "specs": ["y"]},
      {"name": "z", "op": "call_function", "target": "f", "args": ["y", "c"], "specs": ["z"]},
      {"name": "out", "op": "output", "args": ["z"]}],
    "submodules": {"b": {"tensors": [{"id": "i", "nbytes": 64}, {"id": "r", "nbytes": 64, "mem_id": 2}],
      "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
        {"name": "c", "op": "call_function", "target": "cond", "args": ["i", "i"], "specs": ["r"],
         "submodules": ["t", "t"]},
        {"name": "out", "op": "output", "args": ["c"]}],
      "submodules": {"t": {"tensors": [{"id": "i", "nbytes": 64}],
        "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
          {"name": "out", "op": "output", "args": ["i"]}]}}}}})",
                        options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.top.mem_offset[3], planned.plan.top.mem_offset[1]);
}

}  // namespace
}  // namespace memplan
