#include "engine/order_planner.h"
#include "planner.h"

namespace memplan {
namespace {

const PlannerRegistration kPlanner({
    .name = "first_fit_by_load",
    .summary = "What lives in the fullest step first, of it the longest, into the lowest gap",
    .source = "memplan",
    .order = 70,
    .honours = kHonoursAll,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOrderPlanner(problem, kFirstFitByLoad); },
});

}  // namespace
}  // namespace memplan
