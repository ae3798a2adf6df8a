// Where tensors without a bound on their size are freed.
#ifndef MEMPLAN_EXECUTORCH_FREES_H_
#define MEMPLAN_EXECUTORCH_FREES_H_

#include <vector>

#include "executorch/graph_state.h"
#include "plan.h"

namespace memplan::executorch {

// insert_calls_to_free of 2024: every dynamic_unbound tensor with a lifetime, after its last node,
// unless a placeholder or the last node holds it. By node, then by tensor. (2026 hands that
// function a list without such tensors, so it frees nothing.)
std::vector<Free> FindFrees(const GraphState& state);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_FREES_H_
