#include "graph.h"

#include <algorithm>

namespace memplan {

const ControlFlow* Graph::control_flow_of(NodeIndex n) const {
  auto at =
      std::lower_bound(control_flow.begin(), control_flow.end(), n,
                       [](const ControlFlow& row, NodeIndex node) { return row.node < node; });
  return at != control_flow.end() && at->node == n ? &*at : nullptr;
}

std::span<const TensorIndex> Graph::YieldedBy(NodeIndex n) const {
  while (nodes.kind[n] == Target::kView) {
    std::span<const NodeIndex> args = nodes.args_of(n);
    if (args.empty()) break;  // a view of nothing has its own tensors
    n = args[0];              // always an earlier node, so this ends
  }
  return nodes.specs_of(n);
}

}  // namespace memplan
