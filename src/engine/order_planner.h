// A planner that is an order and a way to fit.
#ifndef MEMPLAN_ENGINE_ORDER_PLANNER_H_
#define MEMPLAN_ENGINE_ORDER_PLANNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/packing.h"
#include "engine/pass.h"
#include "engine/slot_tree.h"
#include "planner.h"

namespace memplan {

struct OrderPass {
  std::vector<ItemIndex> (*order)(const Packing& packing) = nullptr;
  Fit fit = Fit::kFirst;
  // The packing's bound is a ceiling: what does not fit under it is placed last.
  bool keeps_to_bound = false;
};

// The passes that both a planner of their own and `auto` run.
extern const OrderPass kFirstFitByLoad;
extern const OrderPass kBestFitByLoad;
extern const OrderPass kFirstFitByClass;
extern const OrderPass kFirstFitBySize;

PassResult RunOrderPass(const Packing& packing, const SlotTree& tree, const OrderPass& pass);

// The plan of a pass; where that would take too many steps, one in time order instead
// (PlaceInTimeBothWays): a valid plan in bounded time. Adds the steps of a planner.
Placement PlaceByOrder(const Packing& packing, const SlotTree& tree, const OrderPass& pass,
                       int64_t* steps);

// Does that in the first step.
std::unique_ptr<Planner> MakeOrderPlanner(const Problem& problem, const OrderPass& pass);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_ORDER_PLANNER_H_
