// Which pool a storage goes to where the graph names several and the storage none: fast ones first.
#ifndef MEMPLAN_POOL_CHOICE_H_
#define MEMPLAN_POOL_CHOICE_H_

#include <vector>

#include "graph.h"
#include "nesting.h"
#include "options.h"
#include "plan.h"
#include "result.h"
#include "selection.h"

namespace memplan {

struct PoolSpread {
  PoolChoice choice;              // empty where there is nothing to choose
  std::vector<SpillRow> spilled;  // what is not in the first pool, by graph and tensor
  bool fits_nowhere = false;      // proven: no choice at all fits the capacities
};

// Fills the graph's `pools` in their order: a pool takes the storages of greatest benefit (`cost`,
// else size × reads) that fit its capacity beside those that chose it, and are then placed in it
// for real; what does not fit goes on to the next. Where something is left that fits the last one
// neither, a few other orders are tried, and the first in which all fits is taken. Where there is
// none, the last pool takes what is left in the order of benefit. TOO_LARGE as Select.
Result<PoolSpread> SpreadOverPools(const Program& program, const Nest& nest,
                                   const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_POOL_CHOICE_H_
