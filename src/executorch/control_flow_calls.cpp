#include "executorch/control_flow_calls.h"

#include <algorithm>

namespace memplan::executorch {
namespace {

// Of the graph and all that it calls, kMaxPlannedNodes + 1 where there are more. Graphs nest as
// deep as the reader lets them.
int64_t PlannedNodes(const Graph& graph) {
  std::vector<int64_t> calls(graph.submodules.size(), 0);
  for (const ControlFlow& row : graph.control_flow) {
    for (const int32_t submodule : row.submodules) ++calls[submodule];
  }
  int64_t nodes = 1 + graph.nodes.size();
  for (size_t i = 0; i < calls.size() && nodes <= kMaxPlannedNodes; ++i) {
    if (calls[i] == 0) continue;
    const int64_t inner = PlannedNodes(*graph.submodules[i]);
    nodes += std::min(inner, kMaxPlannedNodes / calls[i] + 1) * calls[i];
  }
  return std::min(nodes, kMaxPlannedNodes + 1);
}

}  // namespace

Status CheckPlannedNodes(const Graph& graph) {
  if (PlannedNodes(graph) <= kMaxPlannedNodes) return {};
  return Fail(ErrorCode::kUnsupported,
              "the submodules are called along more paths than can be planned", "submodules");
}

std::vector<SubmoduleCall> ListCalls(const Graph& graph, std::span<const Target> kinds) {
  std::vector<SubmoduleCall> calls;
  for (Target kind : kinds) {
    const bool is_loop_over_slices = kind == Target::kMap || kind == Target::kScan;
    for (const ControlFlow& row : graph.control_flow) {
      if (graph.nodes.kind[row.node] != kind) continue;
      const size_t count = std::min<size_t>(row.submodules.size(), is_loop_over_slices ? 1 : 2);
      for (size_t i = 0; i < count; ++i) calls.push_back({row.submodules[i], is_loop_over_slices});
    }
  }
  return calls;
}

}  // namespace memplan::executorch
