// The `plan` and `graph_input_output` checks: what a plan says of each tensor by itself.
#ifndef MEMPLAN_VERIFIER_ROW_CHECKS_H_
#define MEMPLAN_VERIFIER_ROW_CHECKS_H_

#include "verifier/fault_list.h"
#include "verifier/placed_graph.h"

namespace memplan::verifier {

// Checks every tensor of a top graph and the graphs below it: that it has a place where it must
// have one and none where it must not, and that the place is in a buffer, aligned, in its pool, and
// where its base or operand is. `claims_lifetimes`: the plan's lifetimes are meant as `sound`
// means them, so they must cover the storage's.
void CheckRows(const PlacedGraph& graph, const Setting& setting, bool claims_lifetimes,
               FaultList* faults);

// That no buffer is larger than its pool, by option or input.
void CheckCapacity(const Setting& setting, FaultList* faults);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_ROW_CHECKS_H_
