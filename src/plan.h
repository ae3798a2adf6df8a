// The answer: where each tensor of each graph lies.
#ifndef MEMPLAN_PLAN_H_
#define MEMPLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph.h"
#include "options.h"
#include "planner.h"
#include "units.h"

namespace memplan {

struct Free {
  NodeIndex after = kNoNode;
  TensorIndex tensor = kNoTensor;
};

// The plan of one graph; its columns go with the graph's tensors.
struct GraphPlan {
  const Graph* graph = nullptr;
  std::vector<Lifetime> lifetime;
  std::vector<Bytes> allocated;       // bytes, rounded up to the alignment
  std::vector<MemId> mem_id;          // kNoPool where not planned
  std::vector<int32_t> mem_obj_id;    // -1 where null
  std::vector<Bytes> mem_offset;      // kNoBytes where not planned; absolute in the pool
  std::vector<Free> frees;            // by node, then by tensor
  bool has_buffer_sizes = false;      // false: null (a submodule the rules never plan)
  std::vector<Bytes> buffer_sizes;    // per mem_id; index 0 is never used
  std::vector<GraphPlan> submodules;  // as in Graph::submodules
};

// The reports of `sound` (bindings/types.ts). Each is empty where there is nothing
// to say.
struct OwnershipReport {
  bool exists = false;
  Bytes both = 0, inputs = 0, outputs = 0, neither = 0;
};
struct InplaceRow {
  const Graph* graph = nullptr;
  TensorIndex tensor = kNoTensor;
  TensorIndex base = kNoTensor;
  Bytes bytes = 0;      // saved, where refused is empty
  std::string refused;  // why not
};
struct StateRow {
  NameId buffer = kNoName;
  Bytes bytes = 0;
  MemId mem_id = kNoPool;
  Bytes mem_offset = kNoBytes;
};
struct SpillRow {
  const Graph* graph = nullptr;
  TensorIndex tensor = kNoTensor;
  MemId from = kNoPool;
  MemId to = kNoPool;
  std::string reason;
};

struct Plan {
  std::string algorithm;  // the one that won
  Options options;
  uint64_t graph_hash = 0;
  GraphPlan top;                       // where the program is one graph
  std::vector<GraphPlan> methods;      // else
  std::vector<Bytes> buffer_sizes;     // of all together (equal to top's)
  bool is_sound = false;               // the rows below mean something only then
  std::vector<Bytes> lower_bound;      // per mem_id
  bool optimal = false;                // proven for every pool
  std::vector<PlannerResult> results;  // auto only
  OwnershipReport ownership;
  Bytes saved_nesting = kNoBytes;
  Bytes saved_inplace = kNoBytes;
  std::vector<InplaceRow> inplace;
  std::vector<StateRow> state;
  std::vector<SpillRow> spilled;
  std::vector<std::pair<MemId, std::string>> buffer_devices;  // enableNonCpuMemoryPlanning only
};

}  // namespace memplan

#endif  // MEMPLAN_PLAN_H_
