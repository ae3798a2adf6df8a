#include "executorch/node_specs.h"

namespace memplan::executorch {

NodeSpecs::NodeSpecs(const Graph& graph) : graph_(&graph), specs_(graph.nodes.specs) {
  const Nodes& nodes = graph.nodes;
  if (nodes.source.empty()) return;
  recorded_.reserve(nodes.name.size());
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const bool looks_on =
        nodes.kind[n] == Target::kView && nodes.specs_of(n).empty() && !nodes.args_of(n).empty();
    recorded_.push_back(looks_on ? recorded_[nodes.args_of(n)[0]] : n);
  }
}

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

std::span<const TensorIndex> NodeSpecs::Recorded(NodeIndex n) const {
  const Nodes& nodes = graph_->nodes;
  if (!recorded_.empty()) n = recorded_[n];
  return {specs_.data() + nodes.first_spec[n], specs_.data() + nodes.first_spec[n + 1]};
}

bool HasTensor(std::span<const TensorIndex> specs) {
  for (TensorIndex t : specs) {
    if (t != kNoTensor) return true;
  }
  return false;
}

}  // namespace memplan::executorch
