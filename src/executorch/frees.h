// Where tensors without a bound on their size are freed.
#ifndef MEMPLAN_EXECUTORCH_FREES_H_
#define MEMPLAN_EXECUTORCH_FREES_H_

#include "executorch/graph_state.h"

namespace memplan::executorch {

// insert_calls_to_free of 2024: every dynamic_unbound tensor with a lifetime, after its last node,
// unless a placeholder or the last node holds it. Sets state->frees, by node, then by tensor. When
// a submodule is planned once more, for another call, upstream inserts the same calls again: each
// row is there once a call then. (2026 hands that function a list without such tensors, so it frees
// nothing.)
void InsertFrees(GraphState* state);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_FREES_H_
