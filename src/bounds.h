// Lower bounds on the peak of any plan.
#ifndef MEMPLAN_BOUNDS_H_
#define MEMPLAN_BOUNDS_H_

#include "problem.h"
#include "result.h"
#include "units.h"

namespace memplan {

// No plan's peak is smaller; at least max live, and more where one of these
// holds: what is live at a tick takes whole granules of its alignments, pinned
// buffers leave gaps that what is live beside them cannot fill, or extra
// conflicts make sets that exclude each other without being live together.
// Takes O(n log n) where there are neither pins nor extra conflicts; with them
// it is bounded and leaves out what would take long. TOO_LARGE as
// ComputeMaxLive.
Result<Bytes> LowerBound(const Problem& problem);

}  // namespace memplan

#endif  // MEMPLAN_BOUNDS_H_
