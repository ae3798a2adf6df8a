#include "inplace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "planned.h"

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

}  // namespace
}  // namespace memplan
