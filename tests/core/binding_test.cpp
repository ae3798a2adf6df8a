#include "binding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "message.h"
#include "planned.h"
#include "verified.h"

namespace memplan {
namespace {

// A control-flow node and its body, told by bytes alone.
struct Flow {
  const char* target;
  const char* counts;  // keys of the node: carried, mapped
  std::vector<int> operands;
  std::vector<int> results;
  std::vector<int> inputs;   // of the body
  std::vector<int> outputs;  // of the body
  const char* dynamism = "static";

  std::string Json() const {
    const std::string condition = Graph(inputs, {1}, "");
    const std::string body = Graph(inputs, outputs, "");
    const bool is_while = std::string(target) == "while";
    const std::string node =
        Message({R"({"name": "flow", "op": "call_function", "target": ")", target,
                 R"(", "args": [)", Names("i", operands.size()), R"(], "specs": [)",
                 Names("o", results.size()), R"(], "submodules": [)",
                 is_while ? R"("condition", "body")" : R"("body")", "]", counts, "},"});
    std::string graph = Graph(operands, results, node);
    graph.pop_back();
    return Message(
        {graph, R"(, "submodules": {"condition": )", condition, R"(, "body": )", body, "}}"});
  }

 private:
  static std::string Names(const char* prefix, size_t count) {
    std::string names;
    for (size_t i = 0; i < count; ++i) {
      names += Message({i > 0 ? ", \"" : "\"", prefix, i, "\""});
    }
    return names;
  }

  // `node` makes the outputs; empty: an operator does.
  std::string Graph(const std::vector<int>& ins, const std::vector<int>& outs,
                    std::string node) const {
    std::string tensors, nodes;
    for (size_t i = 0; i < ins.size(); ++i) {
      tensors += Message({R"({"id": "i)", i, R"(", "nbytes": )", ins[i], "},"});
      nodes += Message({R"({"name": "i)", i, R"(", "op": "placeholder", "target": "i)", i,
                        R"(", "specs": ["i)", i, R"("]},)"});
    }
    for (size_t i = 0; i < outs.size(); ++i) {
      tensors += Message(
          {R"({"id": "o)", i, R"(", "nbytes": )", outs[i], R"(, "dynamism": ")", dynamism, "\"},"});
    }
    tensors.pop_back();
    if (node.empty()) {
      node = Message({R"({"name": "flow", "op": "call_function", "target": "f", "args": [)",
                      Names("i", ins.size()), R"(], "specs": [)", Names("o", outs.size()), "]},"});
    }
    return Message({R"({"tensors": [)", tensors, R"(], "nodes": [)", nodes, node,
                    R"({"name": "out", "op": "output", "args": ["flow"]}]})"});
  }
};

// Whether operands and results are those of the submodule is asked twice, by what plans and by what
// verifies, and both must say the same.
TEST(BindingTest, PlanAndVerifyRefuseWhatDoesNotMatch) {
  const Flow right[] = {
      {"map", "", {160, 8}, {160}, {16, 8}, {16}},
      {"map", R"(, "mapped": 2)", {160, 80}, {160, 40}, {16, 8}, {16, 4}},
      {"map", R"(, "mapped": 0)", {16}, {160}, {16}, {16}},
      {"map", "", {0}, {0}, {0}, {0}},
      // As large as they can become: nobody knows the turns.
      {"map", "", {160}, {320}, {16}, {16}, "dynamic_bound"},
      {"map", "", {160}, {9}, {16}, {16}, "dynamic_unbound"},
      {"scan", R"(, "carried": 1)", {16, 80}, {16, 40}, {16, 8}, {16, 4}},
      {"scan", R"(, "carried": 1, "mapped": 1)", {16, 80, 4}, {16}, {16, 8, 4}, {16}},
      {"while", R"(, "carried": 1)", {16}, {16, 96, 64}, {16}, {16, 48, 32}},
      {"while", "", {16, 8}, {16}, {16, 8}, {16, 8}},
  };
  const Flow wrong[] = {
      {"map", "", {150}, {160}, {16}, {16}},                         // no whole slices
      {"map", "", {160}, {150}, {16}, {16}},                         // no whole stack
      {"map", "", {160}, {320}, {16}, {16}},                         // 10 turns, room for 20
      {"map", "", {160}, {80}, {16}, {16}},                          // 10 turns, room for 5
      {"map", "", {160}, {160}, {0}, {16}},                          // slices of nothing
      {"map", R"(, "mapped": 2)", {160, 56}, {160}, {16, 8}, {16}},  // 10 slices and 7
      {"map", R"(, "mapped": 3)", {160, 80}, {160}, {16, 8}, {16}},  // more than there are
      {"map", R"(, "carried": 1)", {16}, {16}, {16}, {16}},          // a map carries nothing
      {"map", "", {160, 8}, {160}, {16, 9}, {16}},                   // passed by reference
      {"map", "", {160}, {160, 160}, {16}, {16}},                    // a result of nothing
      {"scan", R"(, "carried": 1)", {16, 80}, {16, 44}, {16, 8}, {16, 4}},
      {"scan", R"(, "carried": 1)", {16, 84}, {16}, {16, 8}, {16}},
      {"scan", R"(, "carried": 1)", {16, 80}, {24}, {16, 8}, {16}},
      {"scan", R"(, "carried": 3)", {16, 80}, {16}, {16, 8}, {16}},
      {"while", R"(, "carried": 1)", {16}, {16, 50}, {16}, {16, 48}},
      {"while", R"(, "carried": 1)", {16}, {16, 96, 32}, {16}, {16, 48, 32}},
      {"while", "", {16}, {16}, {16}, {24}},
      {"while", R"(, "carried": 2)", {16, 8}, {16}, {16, 8}, {16}},
  };
  const std::string plan = PlanText({}, "[0]");
  for (const Flow& flow : right) {
    const Planned planned(flow.Json());
    EXPECT_TRUE(planned.ok) << flow.Json() << planned.error.message;
    EXPECT_TRUE(VerifyPlan(CharsOf(flow.Json()), CharsOf(plan), {})) << flow.Json();
  }
  for (const Flow& flow : wrong) {
    const Planned planned(flow.Json());
    EXPECT_EQ(planned.error.code, ErrorCode::kBadSubmodule) << flow.Json();
    EXPECT_EQ(planned.error.path, Message({"nodes[", flow.operands.size(), "]"}));
    const Result<Report> report = VerifyPlan(CharsOf(flow.Json()), CharsOf(plan), {});
    ASSERT_FALSE(report) << flow.Json();
    EXPECT_EQ(report.error().code, ErrorCode::kBadSubmodule) << flow.Json();
    EXPECT_EQ(report.error().path, planned.error.path);
  }
}

}  // namespace
}  // namespace memplan
