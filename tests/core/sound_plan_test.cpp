#include "sound_plan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "planned.h"

namespace memplan {
namespace {

std::string ReadCase(const std::string& name) {
  std::ifstream file(std::string(MEMPLAN_TEST_DATA) + "/cases/" + name + ".json", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The answers are those of tests/data/cases/*.md: the nested one where two are printed.
struct Case {
  const char* name;
  std::vector<Bytes> buffer_sizes;
  bool alloc_io = true;
  bool move = true;
};

class CaseTest : public testing::TestWithParam<Case> {};

TEST_P(CaseTest, GivesTheRightAnswerProven) {
  Options options;
  options.alloc_graph_input = options.alloc_graph_output = GetParam().alloc_io;
  options.move_results = GetParam().move;
  const Planned planned(ReadCase(GetParam().name), options);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes, GetParam().buffer_sizes);
  EXPECT_TRUE(planned.plan.optimal);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, CaseTest,
    testing::Values(
        Case{"17-concat-inputs-in-place", {0, 1024}},
        Case{"18-two-conds-first-result-still-live", {0, 208}},
        Case{"18-two-conds-first-result-still-live", {0, 208}, true, false},
        Case{"20-pool-used-only-in-a-branch", {0, 144, 0, 1024}},
        Case{"21-only-branches-need-memory", {0, 64}, false},
        Case{"21-only-branches-need-memory", {0, 64}, false, false},
        Case{"22-state-is-never-freed", {0, 3072}},
        Case{"24-in-place-result-outlives-its-base", {0, 768}},
        Case{"25-in-place-op-takes-over-its-input", {0, 1024}},
        Case{"27-output-nobody-reads", {0, 4864}}, Case{"29-branch-with-no-ops", {0, 144}},
        Case{"30-output-holds-no-tensor", {0, 64}}, Case{"32-sizes-by-dtype-and-shape", {0, 128}},
        Case{"33-nothing-to-plan", {0, 0}, false}, Case{"34-no-upper-bound", {0, 32}},
        Case{"36-state-in-its-own-pool", {0, 2052125792, 536870912}},
        Case{"37-who-owns-inputs-and-outputs", {0, 196608}},
        Case{"39-weights-do-not-count", {0, 3072}}, Case{"40-order-decides-the-peak", {0, 1920}},
        Case{"42-best-of-several-in-either-order", {0, 128}},
        Case{"44-safe-in-sequence-not-in-parallel", {0, 3072}},
        Case{"45-padding-for-a-delegate", {0, 2080}}));

TEST(SoundPlanTest, TellsAllFourTotalsOfOwnership) {
  const Planned planned(ReadCase("37-who-owns-inputs-and-outputs"));
  ASSERT_TRUE(planned.ok);
  const OwnershipReport& report = planned.plan.ownership;
  EXPECT_EQ(report.both, 196608);
  EXPECT_EQ(report.inputs, 196608);
  EXPECT_EQ(report.outputs, 163840);
  EXPECT_EQ(report.neither, 98304);
}

// The accounting of ExecuTorch, worked out in the case's text: 336 bytes under "move", 272 under
// "copy".
TEST(SoundPlanTest, TellsWhatNestingSaves) {
  Options options;
  EXPECT_EQ(Planned(ReadCase("18-two-conds-first-result-still-live")).plan.saved_nesting,
            336 - 208);
  options.move_results = false;
  EXPECT_EQ(Planned(ReadCase("18-two-conds-first-result-still-live"), options).plan.saved_nesting,
            272 - 208);
  EXPECT_EQ(Planned(ReadCase("20-pool-used-only-in-a-branch")).plan.saved_nesting, 208 - 144);
}

TEST(SoundPlanTest, FreesTensorsWithoutBoundOnceAfterTheirLastRead) {
  const Planned planned(ReadCase("34-no-upper-bound"));
  ASSERT_TRUE(planned.ok);
  const Graph& graph = *planned.plan.top.graph;
  const Names& names = planned.job->program()->names;
  std::vector<std::string> frees;
  for (const Free& row : planned.plan.top.frees) {
    frees.push_back(std::string(names[graph.nodes.name[row.after]]) + " " +
                    std::string(names[graph.tensors.id[row.tensor]]));
  }
  EXPECT_EQ(frees, (std::vector<std::string>{"gather t_nz", "rep t_g"}));
}

TEST(SoundPlanTest, RefusesPoolZero) {
  const Planned planned(R"({"tensors": [{"id": "a", "nbytes": 4, "mem_id": 0}], "nodes": []})");
  EXPECT_EQ(planned.error.code, ErrorCode::kInvalidInput);
  EXPECT_EQ(planned.error.path, "tensors[0].mem_id");
}

TEST(SoundPlanTest, NamesTheStepAndTheCulpritsWhereItDoesNotFit) {
  Options options;
  options.capacity = {1024};
  const Planned planned(ReadCase("27-output-nobody-reads"), options);
  EXPECT_EQ(planned.error.code, ErrorCode::kDoesNotFit);
  ASSERT_NE(planned.error.details, nullptr);
  EXPECT_EQ(planned.error.details->node, 2) << "the first step at which all three are live";
  EXPECT_EQ(planned.error.details->required, 4864);
  EXPECT_EQ(planned.error.details->excess, 4864 - 1024);
  ASSERT_FALSE(planned.error.details->culprits.empty());
  EXPECT_EQ(planned.error.details->culprits[0].id, "t_x");
}

constexpr const char* kMethods = R"({"methods": {
  "prefill": {"tensors": [{"id": "x", "nbytes": 64}, {"id": "kv", "nbytes": 256}, {"id": "y", "nbytes": 512}],
    "nodes": [{"name": "kv", "op": "placeholder", "target": "b_kv", "specs": ["kv"]},
              {"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
              {"name": "f", "op": "call_function", "target": "f", "args": ["x", "kv"], "specs": ["y"]},
              {"name": "o", "op": "output", "args": ["f"], "specs": ["y"]}],
    "signature": {"inputs_to_buffers": {"b_kv": "cache"}, "buffers_to_mutate": {"f": "cache"}}},
  "decode": {"tensors": [{"id": "k", "nbytes": 256}, {"id": "z", "nbytes": 128}],
    "nodes": [{"name": "k", "op": "placeholder", "target": "b_k", "specs": ["k"]},
              {"name": "g", "op": "call_function", "target": "g", "args": ["k"], "specs": ["z"]},
              {"name": "o", "op": "output", "args": ["g"], "specs": ["z"]}],
    "signature": {"inputs_to_buffers": {"b_k": "cache"}, "buffers_to_mutate": {"g": "cache"}}}}})";

TEST(SoundPlanTest, GivesStateOnePlaceInAllMethodsAndOneArenaToTheRest) {
  const Planned planned(kMethods);
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 256 + 64 + 512}));
  ASSERT_EQ(planned.plan.methods.size(), 2u);
  EXPECT_EQ(planned.plan.methods[0].mem_offset[1], planned.plan.methods[1].mem_offset[0]);
  ASSERT_EQ(planned.plan.state.size(), 1u);
  EXPECT_EQ(planned.plan.state[0].bytes, 256);
}

// Nothing has to be placed in pool 2, but what an XNNPACK delegate may read past its end is more
// than there is.
TEST(SoundPlanTest, SaysThatAPoolIsTooSmallForItsPadding) {
  const Planned planned(
      R"({"tensors": [{"id": "x", "nbytes": 0, "mem_id": 2}, {"id": "y", "nbytes": 16}],
    "pools": [{"mem_id": 1}, {"mem_id": 2, "capacity": 57}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "d", "op": "call_function", "target": "executorch_call_delegate", "args": ["x"],
       "specs": ["y"], "backend_id": "XnnpackBackend"},
      {"name": "out", "op": "output", "args": ["d"]}]})");
  ASSERT_EQ(planned.error.code, ErrorCode::kDoesNotFit);
  ASSERT_NE(planned.error.details, nullptr);
  EXPECT_EQ(planned.error.details->mem_id, 2);
  EXPECT_EQ(planned.error.details->required, 64);
  EXPECT_EQ(planned.error.details->available, 57);
}

// A memory.view without args has its own tensors, which live while somebody reads the view.
TEST(SoundPlanTest, KeepsTheTensorOfAViewOfNothing) {
  const Planned planned(R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "v", "nbytes": 64},
      {"id": "y", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "v", "op": "call_function", "target": "memory.view", "specs": ["v"]},
      {"name": "y", "op": "call_function", "target": "f", "args": ["x", "v"], "specs": ["y"]},
      {"name": "out", "op": "output", "args": ["y"]}]})");
  ASSERT_TRUE(planned.ok) << planned.error.message;
  EXPECT_EQ(planned.plan.top.lifetime[1].last, 2);
  EXPECT_EQ(planned.plan.buffer_sizes[1], 3 * 64);
}

// Whatever node names it, what is planned is live there: a node that fetches an attribute too.
TEST(SoundPlan, KeepsWhatIsFetchedWhereItIsNamed) {
  const std::string head = R"({"tensors":[{"id":"t","nbytes":64},{"id":"u","nbytes":32)";
  const std::string tail = R"(}],"nodes":[
    {"name":"x","op":"placeholder","target":"x","specs":["t"]},
    {"name":"f","op":"get_attr","target":"w","args":["x"],"specs":["u"]},
    {"name":"g","op":"call_function","target":"aten::op","args":["f"]},
    {"name":"output","op":"output","args":["f"],"specs":["u"]}]})";
  const Planned both(head + tail);
  ASSERT_TRUE(both.ok) << both.error.message;
  EXPECT_EQ(both.plan.buffer_sizes, (std::vector<Bytes>{0, 96}));
  // A constant is where it is.
  const Planned constant(head + R"(,"const":true)" + tail);
  ASSERT_TRUE(constant.ok) << constant.error.message;
  EXPECT_EQ(constant.plan.buffer_sizes, (std::vector<Bytes>{0, 64}));
}

}  // namespace
}  // namespace memplan
