#include "engine/whole_slots.h"
#include "planner.h"

namespace memplan {
namespace {

Placement Place(const Problem& problem) {
  std::vector<BufferIndex> order;  // the tie order has the largest first
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.is_live(b)) order.push_back(b);
  }
  return PlaceInObjects(problem, order);
}

const PlannerRegistration kPlanner({
    .name = "shared_by_size",
    .summary = "Whole slots only, largest first: for textures and others that have no offsets",
    .source = "Pisarchyk & Lee 2020, section 4, greedy by size for shared objects",
    .order = 100,
    .honours = kHonoursAll,
    .shared_objects = true,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOnePass(problem, Place); },
});

}  // namespace
}  // namespace memplan
