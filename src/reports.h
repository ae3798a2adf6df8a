// What a plan under `sound` says beyond the places of tensors.
#ifndef MEMPLAN_REPORTS_H_
#define MEMPLAN_REPORTS_H_

#include <vector>

#include "graph.h"
#include "options.h"
#include "placement.h"
#include "plan.h"
#include "result.h"
#include "sound_problem.h"

namespace memplan {

// Adds `ownership` (for auto and search: the other algorithms answer faster without), `saved`,
// `inplace`, `state` and `spilled` to a finished plan of `problem`. `placements` are its pools',
// null for one without buffers.
Status AddReports(const Program& program, const SoundProblem& problem,
                  const std::vector<const Placement*>& placements, Plan* plan);

}  // namespace memplan

#endif  // MEMPLAN_REPORTS_H_
