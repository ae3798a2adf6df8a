// What the plan would take if it owned the graph's inputs and outputs, or did not.
#ifndef MEMPLAN_OWNERSHIP_H_
#define MEMPLAN_OWNERSHIP_H_

#include <vector>

#include "graph.h"
#include "placement.h"
#include "plan.h"
#include "sound_problem.h"

namespace memplan {

// Fills plan->ownership: bytes of all pools for each of the four ways, capacities aside; the plan's
// own total for its own way. `placements` are the plan's by pool, null for a pool without buffers.
// Left out where one of the ways has no plan: owned otherwise, a result can be one that no place is
// right for (nesting.h).
void AddOwnership(const Program& program, const SoundProblem& problem,
                  const std::vector<const Placement*>& placements, Plan* plan);

}  // namespace memplan

#endif  // MEMPLAN_OWNERSHIP_H_
