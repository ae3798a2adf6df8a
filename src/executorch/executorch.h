// ExecuTorch's own memory planning, bit for bit: `rules` "executorch-2024" (exir/memory_planning.py
// at commit 91afa6e923) and "executorch-2026" (at cff6f4dd32), faults included.
#ifndef MEMPLAN_EXECUTORCH_EXECUTORCH_H_
#define MEMPLAN_EXECUTORCH_EXECUTORCH_H_

#include "graph.h"
#include "options.h"
#include "plan.h"
#include "result.h"

namespace memplan {

// The plan of `program` under options.rules (one of the two ExecuTorch ones). Several methods are
// planned each on its own; buffer_sizes of all together is then the maximum per mem_id, since one
// method runs at a time.
//
// Errors: INVALID_OPTION for an algorithm the rules do not have (path "algorithm"); upstream's own
// assertions with Error.kind set (UNEXPECTED_TARGET, NOT_SORTED, SUITE_DISAGREE, NAIVE_INPLACE,
// INPLACE_UNRESOLVABLE); UNSUPPORTED for what upstream refuses or does not know; TOO_LARGE;
// DOES_NOT_FIT or NOT_FOUND_IN_TIME where the plan is larger than options.capacity.
Result<Plan> PlanExecutorch(const Program& program, const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_EXECUTORCH_EXECUTORCH_H_
