#include "engine/order_planner.h"
#include "engine/orders.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "greedy_by_breadth",
    .summary = "The step with most bytes live first, of it the largest, into the smallest gap",
    .source = "Pisarchyk & Lee 2020, Efficient Memory Management for Deep Neural Net Inference, "
              "section 5",
    .order = 40,
    .honours = kHonoursAll,
    .make =
        [](const Problem& problem, const SearchOptions&) {
          return MakeOrderPlanner(problem, {OrderByBreadth, Fit::kBest});
        },
});

}  // namespace
}  // namespace memplan
