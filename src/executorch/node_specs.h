// The tensors of each node as ExecuTorch's planner sees them: its `node.meta["spec"]`.
#ifndef MEMPLAN_EXECUTORCH_NODE_SPECS_H_
#define MEMPLAN_EXECUTORCH_NODE_SPECS_H_

#include <span>
#include <vector>

#include "graph.h"
#include "units.h"

namespace memplan::executorch {

// Upstream's _is_out_var_node and _is_inplace_node: only operators have a schema to tell it by.
inline bool IsOutVariant(const Graph& graph, NodeIndex n) {
  return graph.nodes.op[n] == Op::kCallFunction && graph.nodes.kind[n] == Target::kOperator &&
         graph.nodes.variant[n] == Variant::kOut;
}
inline bool IsInplace(const Graph& graph, NodeIndex n) {
  return graph.nodes.op[n] == Op::kCallFunction && graph.nodes.kind[n] == Target::kOperator &&
         graph.nodes.variant[n] == Variant::kInplace;
}

class NodeSpecs {
 public:
  // `graph` must outlive it.
  explicit NodeSpecs(const Graph& graph);

  // get_node_tensor_specs: a view yields what is recorded for its first arg. Entries can be
  // kNoTensor, which upstream leaves out.
  std::span<const TensorIndex> Of(NodeIndex n) const;

  // _alias_inplace_result_specs (2026): the first result of an in-place node becomes the tensor of
  // its first arg, where that is a single one. Other nodes that name the result are left alone.
  void AliasInplaceResult(NodeIndex n);

 private:
  std::span<const TensorIndex> Recorded(NodeIndex n) const;

  const Graph* graph_;
  std::vector<TensorIndex> specs_;  // as Nodes::specs
  // By node: itself, or where a view says nothing of its own, the node that it looks at, as the
  // format promises. Empty where there are no views.
  std::vector<NodeIndex> recorded_;
};

// True where a node yields at least one tensor.
bool HasTensor(std::span<const TensorIndex> specs);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_NODE_SPECS_H_
