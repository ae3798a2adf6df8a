#include "executorch/frees.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <vector>

#include "plan.h"
#include "row_sort.h"

namespace memplan::executorch {
namespace {

// What placeholders and the last node hold; upstream never frees these.
std::vector<uint8_t> MarkInputsAndOutputs(const Graph& graph) {
  std::vector<uint8_t> kept(graph.tensors.size(), 0);
  const NodeIndex last = graph.nodes.size() - 1;
  for (NodeIndex n = 0; n <= last; ++n) {
    if (n != last && graph.nodes.op[n] != Op::kPlaceholder) continue;
    for (TensorIndex t : graph.nodes.specs_of(n)) {
      if (t != kNoTensor) kept[t] = 1;
    }
  }
  return kept;
}

}  // namespace

void InsertFrees(GraphState* state) {
  std::vector<Free> frees;
  if (!state->frees.empty()) {
    const auto is_same = [](const Free& a, const Free& b) { return a.tensor == b.tensor; };
    std::unique_copy(state->frees.begin(), state->frees.end(), std::back_inserter(frees), is_same);
  } else {
    const Graph& graph = *state->graph;
    for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
      if (graph.tensors.dynamism[t] == Dynamism::kDynamicUnbound && state->lifetime[t].exists()) {
        frees.push_back({state->lifetime[t].last, t});
      }
    }
    if (frees.empty()) return;
    const std::vector<uint8_t> kept = MarkInputsAndOutputs(graph);
    frees.erase(std::remove_if(frees.begin(), frees.end(),
                               [&](const Free& row) { return kept[row.tensor] != 0; }),
                frees.end());
  }
  state->frees.insert(state->frees.end(), frees.begin(), frees.end());
  SortRows(&state->frees, [](const Free& a, const Free& b) {
    return std::tie(a.after, a.tensor) < std::tie(b.after, b.tensor);
  });
}

}  // namespace memplan::executorch
