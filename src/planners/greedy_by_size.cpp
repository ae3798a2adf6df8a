#include "engine/order_planner.h"
#include "engine/orders.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "greedy_by_size",
    .summary = "Largest first, into the smallest gap that holds it: TFLite's offset planner",
    .source = "Pisarchyk & Lee 2020, Efficient Memory Management for Deep Neural Net Inference, "
              "section 5; "
              "TFLite greedy_by_size_assignment",
    .order = 30,
    .honours = kHonoursAll,
    .make =
        [](const Problem& problem, const SearchOptions&) {
          return MakeOrderPlanner(problem, {OrderBySize, Fit::kBest});
        },
});

}  // namespace
}  // namespace memplan
