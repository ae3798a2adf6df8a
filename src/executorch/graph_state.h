// One graph while it is planned: what upstream writes on its TensorSpecs and nodes.
#ifndef MEMPLAN_EXECUTORCH_GRAPH_STATE_H_
#define MEMPLAN_EXECUTORCH_GRAPH_STATE_H_

#include <string>
#include <vector>

#include "executorch/node_specs.h"
#include "graph.h"
#include "names.h"
#include "plan.h"
#include "result.h"
#include "units.h"

namespace memplan::executorch {

// A submodule called from several nodes is planned once a call, the last plan stays, and later
// calls see what earlier ones left here (mem_id, alignment, lifetime), as upstream's specs do.
struct GraphState {
  const Graph* graph = nullptr;
  std::string path;  // of the graph in the JSON, "" or "submodules.body."
  NodeSpecs specs;
  std::vector<Lifetime> lifetime;
  // allocated_memory: rounded up to 16 at first, to the option's alignment once an algorithm has
  // met the tensor. 2026 sorts by it.
  std::vector<Bytes> allocated;
  std::vector<MemId> mem_id;  // chosen beforehand, then as planned
  std::vector<int32_t> object;
  std::vector<Bytes> offset;  // kNoBytes where not planned
  std::vector<Free> frees;
  bool has_sizes = false;  // planned at all
  std::vector<Bytes> sizes;
  std::vector<GraphState> submodules;  // as in Graph::submodules

  explicit GraphState(const Graph& g) : graph(&g), specs(g) {}

  void Realign(TensorIndex t, Bytes alignment) {
    allocated[t] = AlignUp(graph->tensors.nbytes[t], alignment);
  }
  MemId PoolOrDefault(TensorIndex t) const { return mem_id[t] == kNoPool ? 1 : mem_id[t]; }
};

// The state before planning, submodules included. TOO_LARGE where a tensor passes 2^53 - 1 bytes
// when rounded up to `alignment`.
Result<GraphState> MakeGraphState(const Graph& graph, const Names& names, Bytes alignment,
                                  const std::string& path = {});

// The answer, submodules included: allocated bytes at `alignment` for every tensor, mem_id only
// where planned.
GraphPlan ToGraphPlan(GraphState state, Bytes alignment);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_GRAPH_STATE_H_
