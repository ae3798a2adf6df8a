// The submodules a graph calls, in the order upstream looks at them.
#ifndef MEMPLAN_EXECUTORCH_CONTROL_FLOW_CALLS_H_
#define MEMPLAN_EXECUTORCH_CONTROL_FLOW_CALLS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "graph.h"
#include "result.h"

namespace memplan::executorch {

struct SubmoduleCall {
  int32_t submodule = 0;  // place in Graph::submodules
  bool plans_inputs = false;
};

// A submodule is planned once a call, and what it calls once a call of that: so often at most.
inline constexpr int64_t kMaxPlannedNodes = 20'000'000;

// UNSUPPORTED where the graphs planned, each as often as it is called, have more nodes than that.
Status CheckPlannedNodes(const Graph& graph);

// All calls by nodes of the first kind in `kinds`, then all of the second, …; within a kind by
// node. A cond or while calls its first two submodules; a map or scan its first, with the inputs
// planned too.
std::vector<SubmoduleCall> ListCalls(const Graph& graph, std::span<const Target> kinds);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_CONTROL_FLOW_CALLS_H_
