// Planning a graph, or several methods, under `sound`.
#ifndef MEMPLAN_SOUND_PLAN_H_
#define MEMPLAN_SOUND_PLAN_H_

#include <memory>
#include <vector>

#include "graph.h"
#include "options.h"
#include "plan_job.h"
#include "result.h"

namespace memplan {

// Storages, lifetimes and problems are made here; the planners work in PlanJob::Step. The job owns
// both arguments. `bytes` is what the program's names point into. Errors: INVALID_INPUT,
// BAD_SUBMODULE, TOO_LARGE, UNSUPPORTED, INVALID_OPTION.
Result<std::unique_ptr<PlanJob>> StartSoundJob(std::vector<char> bytes,
                                               std::unique_ptr<Program> program,
                                               const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_SOUND_PLAN_H_
