// Which tensors of a graph are planned, and in what order.
#ifndef MEMPLAN_EXECUTORCH_SELECTION_H_
#define MEMPLAN_EXECUTORCH_SELECTION_H_

#include <vector>

#include "executorch/mutable_buffers.h"
#include "executorch/node_specs.h"
#include "graph.h"
#include "result.h"
#include "units.h"

namespace memplan::executorch {

// The switches of upstream's collect_specs_from_nodes that ever differ. Constants, dynamic_unbound
// tensors, get_attr and in-place nodes are always left out, and a tensor comes once.
struct SelectionFilter {
  bool graph_inputs = true;     // false: leave out what a placeholder that is no buffer yields
  bool graph_outputs = true;    // false: leave out what an output node names
  bool mutable_buffers = true;  // false: leave them out (2026)
  bool out_variants = false;    // true: out variants yield tensors too (the verifier's way)
  // Fail at a node with tensors that is none of the targets upstream knows.
  bool insist_on_targets = false;
};

// Tensors in the order of the nodes that first yield them. UNEXPECTED_TARGET (with the JSON path,
// after `path`) where the filter insists.
Result<std::vector<TensorIndex>> SelectTensors(const Graph& graph, const NodeSpecs& specs,
                                               const MutableBuffers& buffers,
                                               const SelectionFilter& filter, const Names& names,
                                               const std::string& path);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_SELECTION_H_
