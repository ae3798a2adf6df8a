// Planning a problem that has intervals and no graph.
#ifndef MEMPLAN_INTERVAL_PLAN_H_
#define MEMPLAN_INTERVAL_PLAN_H_

#include <memory>
#include <vector>

#include "interval_file.h"
#include "options.h"
#include "plan_job.h"
#include "result.h"

namespace memplan {

// One problem a pool; the planners work in PlanJob::Step. The job owns both arguments; `bytes` is
// what the file's names point into. Only the rules `sound` know intervals: INVALID_OPTION for
// others. Further errors are those of MakeIntervalProblems and PoolRace::Start.
Result<std::unique_ptr<PlanJob>> StartIntervalJob(std::vector<char> bytes,
                                                  std::unique_ptr<IntervalFile> file,
                                                  const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_INTERVAL_PLAN_H_
