#include "executorch/lifetimes.h"

#include <vector>

namespace memplan::executorch {
namespace {

bool IsPassedOver(const Graph& graph, NodeIndex n) {
  return graph.nodes.op[n] == Op::kGetAttr || IsInplace(graph, n);
}

// Extends what `node` yields to `position`.
void Refer(NodeIndex node, NodeIndex position, GraphState* state) {
  if (IsPassedOver(*state->graph, node)) return;
  for (const TensorIndex t : state->specs.Of(node)) {
    if (t != kNoTensor) state->lifetime[t].Extend(position);
  }
}

// The last position at which each node is read, which all before it lie within: nodes that yield
// many tensors are read by many.
class LastReaders {
 public:
  explicit LastReaders(const Graph& graph)
      : graph_(graph), position_(graph.nodes.name.size(), kNoNode) {}

  void Read(NodeIndex reader, NodeIndex position) {
    for (const NodeIndex arg : graph_.nodes.args_of(reader)) position_[arg] = position;
  }
  void Extend(GraphState* state) const {
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (position_[n] != kNoNode) Refer(n, position_[n], state);
    }
  }

 private:
  const Graph& graph_;
  std::vector<NodeIndex> position_;  // by node
};

}  // namespace

void FindLifetimes2024(GraphState* state) {
  LastReaders readers(*state->graph);
  auto next_free = state->frees.begin();
  NodeIndex position = 0;
  for (NodeIndex n = 0; n < state->graph->nodes.size(); ++n, ++position) {
    for (; next_free != state->frees.end() && next_free->after < n; ++next_free) ++position;
    Refer(n, position, state);
    readers.Read(n, position);
  }
  readers.Extend(state);
}

void FindLifetimes2026(GraphState* state, const MutableBuffers& buffers) {
  const Graph& graph = *state->graph;
  LastReaders readers(graph);
  const NodeIndex last = graph.nodes.size() - 1;
  for (NodeIndex n = 0; n <= last; ++n) {
    if (IsInplace(graph, n) && HasTensor(state->specs.Of(n))) state->specs.AliasInplaceResult(n);
    Refer(n, n, state);
    if (graph.nodes.op[n] == Op::kPlaceholder) Refer(n, 0, state);
    if (buffers.Contains(graph, n)) Refer(n, last, state);
    readers.Read(n, n);
  }
  readers.Extend(state);
}

}  // namespace memplan::executorch
