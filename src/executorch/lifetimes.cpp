#include "executorch/lifetimes.h"

namespace memplan::executorch {
namespace {

bool IsPassedOver(const Graph& graph, NodeIndex n) {
  return graph.nodes.op[n] == Op::kGetAttr || IsInplace(graph, n);
}

template <typename Extend>
void ForEachReference(const GraphState& state, NodeIndex n, Extend extend) {
  const Graph& graph = *state.graph;
  auto refer_to = [&](NodeIndex m) {
    if (IsPassedOver(graph, m)) return;
    for (TensorIndex t : state.specs.Of(m)) {
      if (t != kNoTensor) extend(t);
    }
  };
  refer_to(n);
  for (NodeIndex arg : graph.nodes.args_of(n)) refer_to(arg);
}

}  // namespace

void FindLifetimes2024(GraphState* state) {
  auto next_free = state->frees.begin();
  NodeIndex position = 0;
  for (NodeIndex n = 0; n < state->graph->nodes.size(); ++n, ++position) {
    for (; next_free != state->frees.end() && next_free->after < n; ++next_free) ++position;
    ForEachReference(*state, n, [&](TensorIndex t) { state->lifetime[t].Extend(position); });
  }
}

void FindLifetimes2026(GraphState* state, const MutableBuffers& buffers) {
  const Graph& graph = *state->graph;
  const NodeIndex last = graph.nodes.size() - 1;
  for (NodeIndex n = 0; n <= last; ++n) {
    if (IsInplace(graph, n) && HasTensor(state->specs.Of(n))) state->specs.AliasInplaceResult(n);
    const bool is_input = graph.nodes.op[n] == Op::kPlaceholder;
    const NodeIndex end = buffers.Contains(graph, n) ? last : n;
    ForEachReference(*state, n, [&](TensorIndex t) {
      state->lifetime[t].Extend(end);
      state->lifetime[t].Extend(is_input ? 0 : n);
    });
  }
}

}  // namespace memplan::executorch
