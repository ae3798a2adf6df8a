#include "engine/orders.h"
#include "engine/packing.h"
#include "engine/whole_slots.h"
#include "planner.h"

namespace memplan {
namespace {

Placement Place(const Problem& problem) {
  const Packing packing(problem);
  std::vector<BufferIndex> order = OrderByBreadth(packing);
  for (BufferIndex& b : order) b = packing.buffer[b];
  return PlaceInObjects(problem, order);
}

const PlannerRegistration kPlanner({
    .name = "shared_by_breadth",
    .summary = "Whole slots only, the step with most bytes live first",
    .source = "Pisarchyk & Lee 2020, section 4, greedy by breadth for shared objects",
    .order = 110,
    .honours = kHonoursAll,
    .shared_objects = true,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOnePass(problem, Place); },
});

}  // namespace
}  // namespace memplan
