#include "graph_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json_walker.h"

namespace memplan {
namespace {

// An input with its bytes, which the result's names point into.
struct Read {
  std::vector<char> bytes;
  Result<JsonInput> input;

  explicit Read(std::string_view text)
      : bytes(Padded(text)), input(ReadJsonInput({bytes.data(), text.size()})) {}

  static std::vector<char> Padded(std::string_view text) {
    std::vector<char> padded(text.size() + kJsonPadding, '\0');
    std::copy(text.begin(), text.end(), padded.begin());
    return padded;
  }
  const Graph& graph() const { return *input->program->graph; }
  std::string_view name(NameId id) const { return input->program->names[id]; }
};

struct WrongInput {
  const char* text;
  ErrorCode code;
  const char* path;
};

class WrongInputTest : public testing::TestWithParam<WrongInput> {};

TEST_P(WrongInputTest, NamesCodeAndPath) {
  const Read read(GetParam().text);
  ASSERT_FALSE(read.input.has_value());
  EXPECT_EQ(ErrorCodeName(read.input.error().code), ErrorCodeName(GetParam().code))
      << read.input.error().message;
  EXPECT_EQ(read.input.error().path, GetParam().path) << read.input.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    GraphReader, WrongInputTest,
    testing::Values(
        WrongInput{"", ErrorCode::kInvalidJson, "line 1, column 1"},
        WrongInput{"{\n \"tensors\": [,", ErrorCode::kInvalidJson, "line 2, column 14"},
        WrongInput{"\xef\xbb\xbf{}", ErrorCode::kInvalidJson, "line 1, column 1"},
        WrongInput{"{\"name\": \"\xff\"}", ErrorCode::kInvalidJson, "line 1, column 11"},
        WrongInput{"[]", ErrorCode::kInvalidInput, ""},
        WrongInput{"{}", ErrorCode::kInvalidInput, "tensors"},
        WrongInput{R"({"tensors": []})", ErrorCode::kInvalidInput, "nodes"},
        WrongInput{R"({"tensors": [], "nodes": 5})", ErrorCode::kInvalidInput, "nodes"},
        WrongInput{R"({"version": 2})", ErrorCode::kInvalidInput, "version"},
        WrongInput{R"({"tensors": [{"nbytes": 1}]})", ErrorCode::kInvalidInput, "tensors[0].id"},
        WrongInput{R"({"tensors": [{"id": "a"}], "nodes": []})", ErrorCode::kInvalidInput,
                   "tensors[0].dtype"},
        WrongInput{R"({"tensors": [{"id": "a", "nbytes": 1, "id": "b"}]})",
                   ErrorCode::kInvalidInput, "tensors[0].id"},
        WrongInput{R"({"tensors": [{"id": "a", "nbytes": -1}]})", ErrorCode::kInvalidInput,
                   "tensors[0].nbytes"},
        WrongInput{R"({"tensors": [{"id": "a", "nbytes": 1.5}]})", ErrorCode::kInvalidInput,
                   "tensors[0].nbytes"},
        WrongInput{R"({"tensors": [{"id": "a", "nbytes": 9007199254740992}]})",
                   ErrorCode::kTooLarge, "tensors[0].nbytes"},
        WrongInput{R"({"tensors": [{"id": "a", "dtype": "int8",
                       "shape": [4294967296, 4294967296]}]})",
                   ErrorCode::kTooLarge, "tensors[0].shape"},
        WrongInput{R"({"tensors": [{"id": "a", "nbytes": 1}, {"id": "a", "nbytes": 1}],
                       "nodes": []})",
                   ErrorCode::kInvalidInput, "tensors[1].id"},
        WrongInput{R"({"tensors": [], "nodes": [{"name": "x", "op": "call", "target": "x"}]})",
                   ErrorCode::kInvalidInput, "nodes[0].op"},
        WrongInput{R"({"tensors": [], "nodes": [{"name": "x", "op": "placeholder", "target": "x",
                       "specs": ["a"]}]})",
                   ErrorCode::kInvalidInput, "nodes[0].specs[0]"},
        WrongInput{R"({"tensors": [], "nodes": [{"name": "x", "op": "output", "target": "x",
                       "args": ["x"]}]})",
                   ErrorCode::kInvalidInput, "nodes[0].args[0]"},
        WrongInput{R"({"tensors": [], "nodes": [], "submodules": {"a b": {"tensors": [],
                       "nodes": [{"name": "x", "op": "output", "args": ["y"]}]}}})",
                   ErrorCode::kInvalidInput, "submodules[\"a b\"].nodes[0].args[0]"},
        WrongInput{R"({"methods": {"m": {"tensors": []}}})", ErrorCode::kInvalidInput,
                   "methods.m.nodes"},
        WrongInput{R"({"methods": {}})", ErrorCode::kInvalidInput, "methods"},
        WrongInput{R"({"buffers": [{"id": "a", "lower": 2, "upper": 1, "size": 1}]})",
                   ErrorCode::kInvalidInput, "buffers[0].upper"},
        WrongInput{R"({"buffers": [], "conflicts": [["a", "b"]]})", ErrorCode::kInvalidInput,
                   "conflicts[0][0]"}));

TEST(GraphReaderTest, ReadsAGraphWhateverTheOrderOfItsKeys) {
  const Read read(R"({
    "nodes": [{"args": [], "specs": ["t", null], "op": "placeholder", "name": "\u0078",
               "unknown": {"deep": [[1, {"a": null}]]}},
              {"name": "y", "op": "call_function", "target": "cond", "submodules": ["s"],
               "args": ["x"], "specs": ["u"]}],
    "submodules": {"s": {"nodes": [], "tensors": []}},
    "tensors": [{"id": "t", "nbytes": 4096.0},
                {"shape": [2, 3], "id": "u", "dtype": "int16", "inplace_base": "t", "mem_id": 2}]
  })");
  ASSERT_TRUE(read.input.has_value()) << read.input.error().message;
  const Graph& graph = read.graph();
  EXPECT_EQ(graph.tensors.nbytes, (std::vector<Bytes>{4096, 12}));
  EXPECT_EQ(graph.tensors.inplace_base, (std::vector<TensorIndex>{kNoTensor, 0}));
  EXPECT_EQ(graph.tensors.mem_id, (std::vector<MemId>{kNoPool, 2}));
  EXPECT_EQ(read.name(graph.nodes.name[0]), "x");
  EXPECT_EQ(graph.nodes.specs, (std::vector<TensorIndex>{0, kNoTensor, 1}));
  ASSERT_NE(graph.control_flow_of(1), nullptr);
  EXPECT_EQ(graph.control_flow_of(1)->submodules, std::vector<int32_t>{0});
  EXPECT_EQ(read.name(graph.submodules[0]->name), "s");
}

TEST(GraphReaderTest, RefusesDeepNesting) {
  EXPECT_FALSE(Read(std::string(1 << 20, '[')).input.has_value());
  EXPECT_FALSE(Read("{\"x\":" + std::string(1 << 20, '[')).input.has_value());
  std::string deep = R"({"tensors":[],"nodes":[]})";
  for (int level = 0; level < kMaxSubmoduleDepth; ++level) {
    deep = R"({"tensors":[],"nodes":[],"submodules":{"s":)" + deep + "}}";
  }
  EXPECT_TRUE(Read(deep).input.has_value());
  deep = R"({"tensors":[],"nodes":[],"submodules":{"s":)" + deep + "}}";
  EXPECT_FALSE(Read(deep).input.has_value());
}

}  // namespace
}  // namespace memplan
