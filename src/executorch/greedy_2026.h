// Greedy by size into shared objects, as ExecuTorch had it in August 2026.
#ifndef MEMPLAN_EXECUTORCH_GREEDY_2026_H_
#define MEMPLAN_EXECUTORCH_GREEDY_2026_H_

#include "executorch/algorithm.h"

namespace memplan::executorch {

// Largest first by the size the tensors have when it starts (rounded up to 16 unless an earlier run
// has realigned them), the later of equal ones first; then realigned and placed. A tensor with an
// inplace_base is laid over its base after all others, whatever was placed there meanwhile. Each
// mem_id in use starts at what is taken of it and ends with the padding; those not in use are 0.
// Errors: NOT_SORTED where realigning upset the order and upstream's assertion sees it;
// INPLACE_UNRESOLVABLE where a base is not planned or bases form a circle; TOO_LARGE.
Result<Outcome> Greedy2026(const Task& task);

// The same, with one tensor at a time in an object.
Result<Outcome> GreedyNoOverlap(const Task& task);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_GREEDY_2026_H_
