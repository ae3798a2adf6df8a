// Greedy by shared objects, as ExecuTorch had it in November 2024.
#ifndef MEMPLAN_EXECUTORCH_GREEDY_2024_H_
#define MEMPLAN_EXECUTORCH_GREEDY_2024_H_

#include "executorch/algorithm.h"

namespace memplan::executorch {

// Each mem_id in use starts at what is taken of it. The sizes reach to the highest mem_id in use
// and are 0 for those that are not; [0, 0] where there is nothing to plan. TOO_LARGE past 2^53 - 1.
Result<Outcome> Greedy2024(const Task& task);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_GREEDY_2024_H_
