#include "engine/free_list.h"

#include "engine/packing.h"
#include "planner.h"

namespace memplan {
namespace {

Placement Place(const Problem& problem) {
  const Packing packing(problem);
  return packing.ToPlacement(PlaceInTimeBothWays(packing));
}

const PlannerRegistration kPlanner({
    .name = "free_list",
    .summary = "As a run-time allocator would, in time order or against it: never slow",
    .source = "best fit with coalescing, Knuth 1968, The Art of Computer Programming, section 2.5",
    .order = 90,
    .honours = kHonoursAll,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOnePass(problem, Place); },
});

}  // namespace
}  // namespace memplan
