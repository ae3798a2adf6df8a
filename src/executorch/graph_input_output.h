// Whether the plan owns what the options say: upstream's verify_graph_input_output.
#ifndef MEMPLAN_EXECUTORCH_GRAPH_INPUT_OUTPUT_H_
#define MEMPLAN_EXECUTORCH_GRAPH_INPUT_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "executorch/mutable_buffers.h"
#include "executorch/node_specs.h"
#include "graph.h"
#include "options.h"
#include "units.h"

namespace memplan::executorch {

struct OwnershipFault {
  std::string_view kind;  // "PARTLY_ALLOCATED", …; empty: none
  std::string message;
  NodeIndex node = kNoNode;          // kNoNode where no single one is at fault
  std::vector<TensorIndex> tensors;  // likewise
};

// `mem_offset`: per tensor of the graph, kNoBytes where not planned. As upstream's, the check keeps
// what the last input said of the allocation (so that earlier ones go unseen) and lets anything
// pass where an input and an output are one tensor and the options differ for the two. O(nodes).
OwnershipFault CheckOwnership(const Graph& graph, const NodeSpecs& specs,
                              const MutableBuffers& buffers, const std::vector<Bytes>& mem_offset,
                              const Options& options);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_GRAPH_INPUT_OUTPUT_H_
