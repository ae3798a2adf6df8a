#include "executorch/executorch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "executorch/verifier.h"
#include "graph_reader.h"
#include "json_walker.h"

namespace memplan {
namespace {

class Input {
 public:
  explicit Input(const std::string& text) : bytes_(text.begin(), text.end()) {
    bytes_.resize(text.size() + kJsonPadding, '\0');
    Result<JsonInput> input = ReadJsonInput({bytes_.data(), text.size()});
    if (input) program_ = std::move(input->program);
    EXPECT_TRUE(input.has_value()) << input.error().path << ": " << input.error().message;
  }
  const Program& program() const { return *program_; }

 private:
  std::vector<char> bytes_;
  std::unique_ptr<Program> program_;
};

Options By(Rules rules, const std::string& algorithm = "greedy") {
  Options options;
  options.rules = rules;
  options.algorithm = algorithm;
  return options;
}

Result<Plan> PlanText(const std::string& text, const Options& options) {
  const Input input(text);
  return PlanExecutorch(input.program(), options);
}

// x, then n tensors of 16 bytes in a chain; `extra` goes into the graph.
std::string Chain(int n, const std::string& extra = "") {
  std::string tensors = R"({"id":"x","nbytes":16})";
  std::string nodes = R"({"name":"x","op":"placeholder","target":"x","specs":["x"]})";
  std::string last = "x";
  for (int i = 0; i < n; ++i) {
    const std::string id = "t" + std::to_string(i);
    tensors += R"(,{"id":")" + id + R"(","nbytes":16})";
    nodes += R"(,{"name":")" + id + R"(","op":"call_function","target":"aten::op","args":[")" +
             last + R"("],"specs":[")" + id + R"("]})";
    last = id;
  }
  return R"({"version":1,"tensors":[)" + tensors + R"(],"nodes":[)" + nodes +
         R"(,{"name":"output","op":"output","target":"output","args":[")" + last +
         R"("],"specs":[")" + last + R"("]}],"encounter_to_out_var_failure":true)" + extra + "}";
}

TEST(Executorch, NamesTheAlgorithmsItHas) {
  for (const char* name : {"auto", "search", "greedy_no_overlap", "suite_naive_greedy"}) {
    const Result<Plan> plan = PlanText(Chain(1), By(Rules::kExecutorch2024, name));
    ASSERT_FALSE(plan.has_value()) << name;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidOption);
    EXPECT_EQ(plan.error().path, "algorithm");
    EXPECT_NE(plan.error().message.find("naive, greedy"), std::string::npos);
  }
  EXPECT_FALSE(PlanText(Chain(1), By(Rules::kExecutorch2026, "auto")).has_value());
}

TEST(Executorch, PlansGreedilyWhereNoAlgorithmIsAskedFor) {
  const Result<Plan> plan = PlanText(Chain(3), By(Rules::kExecutorch2024, ""));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->algorithm, "greedy");
}

TEST(Executorch, SaysWhereAnUnexpectedTargetIs) {
  const std::string text =
      R"({"tensors":[{"id":"x","nbytes":16}],"nodes":[
        {"name":"x","op":"placeholder","target":"x","specs":["x"]},
        {"name":"m","op":"call_function","target":"map","args":["x"],"submodules":["body"]},
        {"name":"output","op":"output","target":"output","args":["x"],"specs":["x"]}],
      "submodules":{"body":{"tensors":[{"id":"a","nbytes":8}],"nodes":[
        {"name":"a","op":"call_function","target":"aten::op","specs":["a"]}]}}})";
  const Result<Plan> plan = PlanText(text, By(Rules::kExecutorch2024));
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, "UNEXPECTED_TARGET");
  EXPECT_EQ(plan.error().path, "submodules.body.nodes[0].target");
  EXPECT_TRUE(PlanText(text, By(Rules::kExecutorch2026)).has_value());
}

TEST(Executorch, NodesNeedNoTarget) {
  const std::string text =
      R"({"tensors":[{"id":"x","nbytes":16}],"nodes":[
        {"name":"x","op":"placeholder","target":"x"},
        {"name":"a","op":"call_function","args":["x"],"specs":["x"]},
        {"name":"output","op":"output","args":["a"],"specs":["x"]}]})";
  const Result<Plan> plan = PlanText(text, By(Rules::kExecutorch2024));
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, "UNEXPECTED_TARGET");
  EXPECT_NE(plan.error().message.find("results of \"\""), std::string::npos)
      << plan.error().message;
  EXPECT_TRUE(PlanText(text, By(Rules::kExecutorch2026)).has_value());
}

TEST(Executorch, SumsPastTheLimitAreErrors) {
  std::string text = Chain(2);
  const std::string huge = std::to_string(kMaxBytes - 15);
  for (size_t at = text.find(":16}"); at != std::string::npos; at = text.find(":16}")) {
    text.replace(at, 4, ":" + huge + "}");
  }
  for (const Rules rules : {Rules::kExecutorch2024, Rules::kExecutorch2026}) {
    for (const char* algorithm : {"naive", "greedy"}) {
      Options options = By(rules, algorithm);
      options.alignment = 1;
      // 2024's naive insists on targets before it sums.
      if (rules == Rules::kExecutorch2024 && options.algorithm == "naive") continue;
      const Result<Plan> plan = PlanText(text, options);
      ASSERT_FALSE(plan.has_value()) << RulesName(rules) << algorithm;
      EXPECT_EQ(plan.error().code, ErrorCode::kTooLarge);
      options.alignment = 4096;
      EXPECT_EQ(PlanText(text, options).error().path, "tensors[0].nbytes");
    }
  }
}

TEST(Executorch, MethodsArePlannedEachOnItsOwn) {
  const std::string methods = R"({"version":1,"methods":{"a":)" + Chain(1) + R"(,"b":)" + Chain(5) +
                              R"(,"c":)" + Chain(2) + R"(},"shared_buffers":)";
  for (const Rules rules : {Rules::kExecutorch2024, Rules::kExecutorch2026}) {
    const Result<Plan> plan = PlanText(methods + "false}", By(rules));
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    ASSERT_EQ(plan->methods.size(), 3u);
    const int lengths[] = {1, 5, 2};
    Bytes largest = 0;
    for (int i = 0; i < 3; ++i) {
      const Result<Plan> alone = PlanText(Chain(lengths[i]), By(rules));
      EXPECT_EQ(plan->methods[i].mem_offset, alone->top.mem_offset);
      EXPECT_EQ(plan->methods[i].buffer_sizes, alone->top.buffer_sizes);
      largest = std::max(largest, alone->top.buffer_sizes[1]);
    }
    EXPECT_EQ(plan->buffer_sizes, (std::vector<Bytes>{0, largest}));
    const Result<Plan> shared = PlanText(methods + "true}", By(rules));
    ASSERT_FALSE(shared.has_value());
    EXPECT_EQ(shared.error().code, ErrorCode::kUnsupported);
  }
}

TEST(Executorch, SaysWhatAPlanLacksOfACapacity) {
  Options options = By(Rules::kExecutorch2026);
  options.capacity = {32};
  EXPECT_TRUE(PlanText(Chain(5), options).has_value());
  options.capacity = {31};
  const Result<Plan> plan = PlanText(Chain(5), options);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, ErrorCode::kDoesNotFit);  // two are live at once
  ASSERT_NE(plan.error().details, nullptr);
  EXPECT_EQ(plan.error().details->required, 32);
  EXPECT_EQ(plan.error().details->excess, 1);
}

TEST(Executorch, AMemIdChosenBeforehandAndDevicesDoNotGoTogether) {
  std::string text = Chain(1);
  text.insert(text.find(R"("nbytes":16)"), R"("device":"cuda:0","mem_id":2,)");
  Options options = By(Rules::kExecutorch2026);
  EXPECT_TRUE(PlanText(text, options).has_value());
  options.enable_non_cpu_memory_planning = true;
  const Result<Plan> plan = PlanText(text, options);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, ErrorCode::kUnsupported);
}

TEST(Executorch, VerdictNamesTensorsNodesAndBytes) {
  const Input input(Chain(3));
  const Options options = By(Rules::kExecutorch2026);
  Result<Plan> plan = PlanExecutorch(input.program(), options);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(VerifyExecutorch(input.program(), plan->top, options).ok);
  plan->top.mem_offset[2] = plan->top.mem_offset[1] + 8;
  plan->top.mem_offset[3] = kNoBytes;
  plan->top.mem_id[3] = kNoPool;
  const Report report = VerifyExecutorch(input.program(), plan->top, options);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.reuse_pairs, -1);
  ASSERT_EQ(report.errors.size(), 2u);
  EXPECT_EQ(report.errors[0].check, "storage_reuse");
  EXPECT_EQ(report.errors[0].code, "STORAGE_OVERLAP");
  EXPECT_EQ(report.errors[0].tensors, (std::vector<std::string>{"t0", "t1"}));
  EXPECT_EQ(report.errors[0].nodes, std::vector<std::string>{"t1"});
  EXPECT_EQ(report.errors[0].to - report.errors[0].from, 8);
  EXPECT_EQ(report.errors[1].check, "graph_input_output");
  EXPECT_EQ(report.errors[1].code, "OUTPUT_MISALLOCATED");
  EXPECT_EQ(report.errors[1].nodes, std::vector<std::string>{"output"});
}

}  // namespace
}  // namespace memplan
