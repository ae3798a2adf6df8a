#include "executorch/frees.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace memplan::executorch {

std::vector<Free> FindFrees(const GraphState& state) {
  const Graph& graph = *state.graph;
  std::vector<Free> frees;
  for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors.dynamism[t] == Dynamism::kDynamicUnbound && state.lifetime[t].exists()) {
      frees.push_back({state.lifetime[t].last, t});
    }
  }
  if (frees.empty()) return frees;

  std::vector<uint8_t> kept(graph.tensors.size(), 0);
  const NodeIndex last = graph.nodes.size() - 1;
  for (NodeIndex n = 0; n <= last; ++n) {
    if (n != last && graph.nodes.op[n] != Op::kPlaceholder) continue;
    for (TensorIndex t : graph.nodes.specs_of(n)) {
      if (t != kNoTensor) kept[t] = 1;
    }
  }
  frees.erase(std::remove_if(frees.begin(), frees.end(),
                             [&](const Free& f) { return kept[f.tensor] != 0; }),
              frees.end());
  std::sort(frees.begin(), frees.end(), [](const Free& a, const Free& b) {
    return std::tie(a.after, a.tensor) < std::tie(b.after, b.tensor);
  });
  return frees;
}

}  // namespace memplan::executorch
