// ExecuTorch's own verdict on a plan, which looks at the outer graph only and knows of no aliases.
#ifndef MEMPLAN_EXECUTORCH_VERIFIER_H_
#define MEMPLAN_EXECUTORCH_VERIFIER_H_

#include "../verifier.h"  // a quoted "verifier.h" would be this file
#include "graph.h"
#include "options.h"
#include "plan.h"

namespace memplan {

// The checks of upstream's Verifier under options.rules: `storage_reuse`
// (Verifier.verify_storage_reuse) and `graph_input_output` (verify_graph_input_output). Of the plan
// of the outer graph count lifetime, mem_id, mem_obj_id and mem_offset; sizes are the graph's, at
// options.alignment. Each check stops at the error upstream meets first, and the Fault's code is
// its name: STORAGE_OVERLAP, MEM_OBJ_ID_MISMATCH, MEM_OBJ_ID_DISAGREE, NO_OFFSET, NO_LIFETIME;
// PARTLY_ALLOCATED, INPUT_NOT_SET, INPUT_MISALLOCATED, OUTPUT_NOT_SET, OUTPUT_MISALLOCATED,
// NO_OUTPUT. reuse_pairs is -1 where storage_reuse failed.
//
// `plan.graph` is a graph of `program`. O(n log n) for n tensors, O(n log² n) where a check fails.
Report VerifyExecutorch(const Program& program, const GraphPlan& plan, const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_EXECUTORCH_VERIFIER_H_
