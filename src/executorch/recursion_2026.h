// The graph and its submodules, in the order ExecuTorch planned them in August 2026.
#ifndef MEMPLAN_EXECUTORCH_RECURSION_2026_H_
#define MEMPLAN_EXECUTORCH_RECURSION_2026_H_

#include <string>
#include <utility>
#include <vector>

#include "executorch/algorithm.h"
#include "executorch/graph_state.h"
#include "executorch/mutable_buffers.h"
#include "names.h"
#include "options.h"
#include "result.h"

namespace memplan::executorch {

// apply_algo: submodules of cond, while, map and scan nodes first, each from 0, their sizes merged
// by maximum; then the outer graph above that, device by device. `buffer_devices` gets the mem_ids
// that are not cpu:0's; it stays empty where all are the cpu's.
Status PlanGraph2026(const Algorithm& algorithm, const MutableBuffers& buffers,
                     const Options& options, const Names& names, GraphState* state,
                     std::vector<std::pair<MemId, std::string>>* buffer_devices);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_RECURSION_2026_H_
