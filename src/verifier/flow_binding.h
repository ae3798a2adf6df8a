// How a control-flow node's operands and results bind to the submodules it runs.
#ifndef MEMPLAN_VERIFIER_FLOW_BINDING_H_
#define MEMPLAN_VERIFIER_FLOW_BINDING_H_

#include <vector>

#include "result.h"
#include "verifier/graph_reading.h"

namespace memplan::verifier {

// Binds one control-flow node of `reading`, whose called submodules are read already, and marks
// the submodules' placeholders. `sources` are SourcesOf the graph's nodes. BAD_SUBMODULE where
// counts or bytes do not match; the path names the node.
Result<Flow> BindFlow(GraphReading* reading, const ControlFlow& control,
                      const std::vector<NodeIndex>& sources, const Names& names);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_FLOW_BINDING_H_
