#include "executorch/selection.h"

#include <cstdint>
#include <string>

#include "executorch/upstream_error.h"
#include "message.h"

namespace memplan::executorch {
namespace {

// Tensors that the filter leaves out wherever they turn up. 1: left out, or taken already.
std::vector<uint8_t> MarkLeftOut(const Graph& graph, const NodeSpecs& specs,
                                 const MutableBuffers& buffers, const SelectionFilter& filter) {
  std::vector<uint8_t> left_out(graph.tensors.size(), 0);
  for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
    left_out[t] = graph.tensors.dynamism[t] == Dynamism::kDynamicUnbound;
  }
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    bool leave_out = false;
    if (graph.nodes.op[n] == Op::kPlaceholder) {
      leave_out = buffers.Contains(graph, n) ? !filter.mutable_buffers : !filter.graph_inputs;
    } else if (graph.nodes.op[n] == Op::kOutput) {
      leave_out = !filter.graph_outputs;
    }
    if (!leave_out) continue;
    for (TensorIndex t : specs.Of(n)) {
      if (t != kNoTensor) left_out[t] = 1;
    }
  }
  return left_out;
}

bool IsKnownTarget(const Graph& graph, NodeIndex n) {
  switch (graph.nodes.op[n]) {
    case Op::kPlaceholder:
    case Op::kOutput:
      return true;
    case Op::kCallFunction:
      break;
    default:
      return false;
  }
  switch (graph.nodes.kind[n]) {
    case Target::kAlloc:
    case Target::kView:
    case Target::kGetItem:
    case Target::kCond:
    case Target::kWhile:
    case Target::kMap:
    case Target::kDelegate:
      return true;
    case Target::kOperator:
    case Target::kFree:
    case Target::kScan:  // unknown in 2024, and 2026 insists on nothing
      return false;
  }
  return false;
}

}  // namespace

Result<std::vector<TensorIndex>> SelectTensors(const Graph& graph, const NodeSpecs& specs,
                                               const MutableBuffers& buffers,
                                               const SelectionFilter& filter, const Names& names,
                                               const std::string& path) {
  std::vector<uint8_t> left_out = MarkLeftOut(graph, specs, buffers, filter);
  std::vector<TensorIndex> selected;
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes.op[n] == Op::kGetAttr || IsInplace(graph, n)) continue;
    if (!filter.out_variants && IsOutVariant(graph, n)) continue;
    const std::span<const TensorIndex> yielded = specs.Of(n);
    if (filter.insist_on_targets && HasTensor(yielded) && !IsKnownTarget(graph, n)) {
      return FailAsUpstream("UNEXPECTED_TARGET",
                            Message({"executorch-2024 does not plan results of \"",
                                     names.TextOf(graph.nodes.target[n]),
                                     "\" (only out variants, and the targets it knows)"}),
                            Message({path, "nodes[", n, "].target"}));
    }
    const bool constants = graph.nodes.weight_has_gradient[n] != 0;
    for (TensorIndex t : yielded) {
      if (t == kNoTensor || left_out[t]) continue;
      if (graph.tensors.is_const[t] && !constants) continue;
      left_out[t] = 1;
      selected.push_back(t);
    }
  }
  return selected;
}

}  // namespace memplan::executorch
