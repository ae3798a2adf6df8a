#include "executorch/node_specs.h"

namespace memplan::executorch {

NodeSpecs::NodeSpecs(const Graph& graph) : graph_(&graph), specs_(graph.nodes.specs) {}

std::span<const TensorIndex> NodeSpecs::Of(NodeIndex n) const {
  if (graph_->nodes.kind[n] != Target::kView) return Recorded(n);
  const std::span<const NodeIndex> args = graph_->nodes.args_of(n);
  return args.empty() ? std::span<const TensorIndex>() : Recorded(args[0]);
}

void NodeSpecs::AliasInplaceResult(NodeIndex n) {
  const std::span<const NodeIndex> args = graph_->nodes.args_of(n);
  const uint32_t first = graph_->nodes.first_spec[n];
  if (args.empty() || first == graph_->nodes.first_spec[n + 1]) return;
  const std::span<const TensorIndex> base = Recorded(args[0]);
  if (base.size() == 1 && base[0] != kNoTensor) specs_[first] = base[0];
}

// A view that says nothing of its own has the tensors of its base, as the format promises.
std::span<const TensorIndex> NodeSpecs::Recorded(NodeIndex n) const {
  const Nodes& nodes = graph_->nodes;
  while (nodes.kind[n] == Target::kView && nodes.first_spec[n] == nodes.first_spec[n + 1] &&
         !nodes.args_of(n).empty()) {
    n = nodes.args_of(n)[0];
  }
  return {specs_.data() + nodes.first_spec[n], specs_.data() + nodes.first_spec[n + 1]};
}

bool HasTensor(std::span<const TensorIndex> specs) {
  for (TensorIndex t : specs) {
    if (t != kNoTensor) return true;
  }
  return false;
}

}  // namespace memplan::executorch
