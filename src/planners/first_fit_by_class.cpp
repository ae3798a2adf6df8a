#include "engine/order_planner.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "first_fit_by_class",
    .summary =
        "Largest size class first, of it what lives in the fullest step, into the lowest gap",
    .source = "memplan",
    .order = 60,
    .honours = kHonoursAll,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOrderPlanner(problem, kFirstFitByClass); },
});

}  // namespace
}  // namespace memplan
