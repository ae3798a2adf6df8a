// A planner that is an order and a way to fit.
#ifndef MEMPLAN_ENGINE_ORDER_PLANNER_H_
#define MEMPLAN_ENGINE_ORDER_PLANNER_H_

#include <memory>
#include <vector>

#include "engine/packing.h"
#include "engine/pass.h"
#include "planner.h"

namespace memplan {

using OrderFunction = std::vector<ItemIndex> (*)(const Packing& packing);

// Places everything in the first step, with no ceiling. Where the pass would
// take too many steps it places in time order instead (PlaceInTime, the better
// of both directions): a plan of the same validity, in bounded time.
std::unique_ptr<Planner> MakeOrderPlanner(const Problem& problem, OrderFunction order, Fit fit);

// The pass of such a planner on a packing that is there already.
Placement PlaceByOrder(const Packing& packing, const SlotTree& tree, OrderFunction order, Fit fit,
                       int64_t* steps);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_ORDER_PLANNER_H_
