// First and last node that refer to each tensor, as ExecuTorch counts it.
#ifndef MEMPLAN_EXECUTORCH_LIFETIMES_H_
#define MEMPLAN_EXECUTORCH_LIFETIMES_H_

#include "executorch/graph_state.h"
#include "executorch/mutable_buffers.h"

namespace memplan::executorch {

// update_all_tensors_lifetime. A node refers to what it yields and to what its args yield; get_attr
// and in-place nodes are passed over in both roles, so reading an in-place result extends nothing.
// Lifetimes already there are extended. When a submodule is planned once more, for another call,
// the calls to free inserted the last time count as nodes.
void FindLifetimes2024(GraphState* state);

// The same, and: an in-place result becomes its base (state->specs), placeholders start at 0, and a
// mutable buffer lasts to the last node.
void FindLifetimes2026(GraphState* state, const MutableBuffers& buffers);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_LIFETIMES_H_
