// The graph and its submodules, in the order ExecuTorch planned them in November 2024.
#ifndef MEMPLAN_EXECUTORCH_RECURSION_2024_H_
#define MEMPLAN_EXECUTORCH_RECURSION_2024_H_

#include "executorch/algorithm.h"
#include "executorch/graph_state.h"
#include "executorch/mutable_buffers.h"
#include "names.h"
#include "options.h"
#include "result.h"

namespace memplan::executorch {

// apply_algo: the outer graph first, then the submodules of its cond, while and map nodes, each
// from where the last ended; what each answers replaces the sizes so far.
Status PlanGraph2024(const Algorithm& algorithm, const MutableBuffers& buffers,
                     const Options& options, const Names& names, GraphState* state);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_RECURSION_2024_H_
