#include "engine/order_planner.h"
#include "engine/orders.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "first_fit_by_conflicts",
    .summary = "What excludes most others first, into the lowest gap",
    .source = "largest degree first, Welsh & Powell 1967; TVM USMP greedy_by_conflicts",
    .order = 80,
    .honours = kHonoursAll,
    .make =
        [](const Problem& problem, const SearchOptions&) {
          return MakeOrderPlanner(problem, {OrderByConflicts, Fit::kFirst});
        },
});

}  // namespace
}  // namespace memplan
