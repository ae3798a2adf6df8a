// One tensor after the other, nothing shared.
#ifndef MEMPLAN_EXECUTORCH_NAIVE_H_
#define MEMPLAN_EXECUTORCH_NAIVE_H_

#include "executorch/algorithm.h"

namespace memplan::executorch {

// Both grow Task::taken and answer with it. TOO_LARGE where that passes 2^53 - 1.
Result<Outcome> Naive2024(const Task& task);  // without objects; sizes are at least [0, 0]
// All in object 0; NAIVE_INPLACE where a tensor has an inplace_base.
Result<Outcome> Naive2026(const Task& task);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_NAIVE_H_
