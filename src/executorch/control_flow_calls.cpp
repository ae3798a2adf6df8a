#include "executorch/control_flow_calls.h"

#include <algorithm>

namespace memplan::executorch {

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
