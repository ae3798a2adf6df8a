#include "engine/order_planner.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "first_fit_by_size",
    .summary =
        "Largest first, into the lowest gap: quicker than the smallest gap, and mostly better",
    .source = "first fit decreasing, Johnson 1973",
    .order = 50,
    .honours = kHonoursAll,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOrderPlanner(problem, kFirstFitBySize); },
});

}  // namespace
}  // namespace memplan
