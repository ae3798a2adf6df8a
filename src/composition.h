// From placements back to the graphs' tensors.
#ifndef MEMPLAN_COMPOSITION_H_
#define MEMPLAN_COMPOSITION_H_

#include <vector>

#include "graph.h"
#include "nesting.h"
#include "options.h"
#include "placement.h"
#include "plan.h"
#include "result.h"
#include "selection.h"

namespace memplan {

// What the plan is made of; `placements` go with selection.pools (null where a pool has no
// buffers).
struct Parts {
  const Program& program;
  const Nest& nest;
  const Selection& selection;
  const std::vector<const Placement*>& placements;
  const Options& options;
};

// Fills the graphs' columns, frees and buffer sizes, of the whole too. TOO_LARGE where a tensor's
// rounded size or a pool's end is past 2^53 - 1.
Status Compose(const Parts& parts, Plan* plan);

}  // namespace memplan

#endif  // MEMPLAN_COMPOSITION_H_
