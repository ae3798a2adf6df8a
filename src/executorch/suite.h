// Two algorithms one after the other, the better answer taken.
#ifndef MEMPLAN_EXECUTORCH_SUITE_H_
#define MEMPLAN_EXECUTORCH_SUITE_H_

#include "executorch/algorithm.h"

namespace memplan::executorch {

// MemoryPlanningAlgorithmSuite: the smaller sum of sizes, the first on ties. SUITE_DISAGREE where
// the two give sizes for different numbers of mem_ids. What the first does to the task (naive grows
// Task::taken, both realign) the second finds.
Result<Outcome> SuiteNaiveGreedy(const Task& task);
Result<Outcome> SuiteGreedyNaive(const Task& task);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_SUITE_H_
