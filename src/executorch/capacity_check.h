// Whether a plan by the ExecuTorch rules fits the capacity the caller has.
#ifndef MEMPLAN_EXECUTORCH_CAPACITY_CHECK_H_
#define MEMPLAN_EXECUTORCH_CAPACITY_CHECK_H_

#include "names.h"
#include "options.h"
#include "plan.h"
#include "result.h"

namespace memplan::executorch {

// ExecuTorch plans without knowing a capacity, so there is one plan and it fits or not. The error
// for the first mem_id that is larger than options.capacity: DOES_NOT_FIT where what the outer
// graph holds at one node is too much already, else NOT_FOUND_IN_TIME with the plan's size.
Status CheckCapacity(const GraphPlan& plan, const Names& names, const Options& options);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_CAPACITY_CHECK_H_
