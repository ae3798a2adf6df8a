// Tensors that an operator writes over its input.
#ifndef MEMPLAN_EXECUTORCH_INPLACE_BASE_H_
#define MEMPLAN_EXECUTORCH_INPLACE_BASE_H_

#include <cstdint>
#include <vector>

#include "executorch/algorithm.h"
#include "result.h"

namespace memplan::executorch {

// _resolve_inplace_specs: gives each tensor of `deferred` (places in task.tensors) the mem_id,
// object and offset of its inplace_base, bases first. INPLACE_UNRESOLVABLE where a base is not
// among the tensors of the task or bases form a circle.
Status LayOverBases(const Task& task, const std::vector<int32_t>& deferred, Outcome* outcome);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_INPLACE_BASE_H_
