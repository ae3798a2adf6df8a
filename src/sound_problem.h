// What there is to place under `sound`: the nest, the choices made before placing, and the problems
// of the pools.
#ifndef MEMPLAN_SOUND_PROBLEM_H_
#define MEMPLAN_SOUND_PROBLEM_H_

#include <memory>
#include <vector>

#include "capacity_error.h"
#include "graph.h"
#include "nesting.h"
#include "options.h"
#include "plan.h"
#include "result.h"
#include "selection.h"

namespace memplan {

struct SoundProblem {
  Nest nest;
  Selection selection;  // its problems have their capacities
  std::vector<std::vector<Placed>>
      chosen;                       // in-place pairs by graph; empty where none were asked for
  std::vector<InplaceRow> inplace;  // what came of each pair
  std::vector<SpillRow> spilled;
  bool may_spread = false;  // what has no pool might lie in others than it does
};

// Errors: those of BuildNest, Select and SpreadOverPools.
Result<SoundProblem> MakeSoundProblem(const Program& program, const Options& options);

// Speaks of a pool's buffers by tensor and of ticks by node of the outermost graph. The arguments
// outlive it.
std::unique_ptr<ProblemNames> MakeProblemNames(const Program& program, const Nest& nest,
                                               const PoolProblem& pool);

// Bytes of all pools together that the algorithm needs for the selection, within a fixed number of
// steps; for reports that compare.
Result<Bytes> QuickTotal(const Selection& selection, const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_SOUND_PROBLEM_H_
