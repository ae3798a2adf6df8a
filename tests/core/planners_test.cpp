// Every planner of the table, on random problems with everything it honours.
#include <gtest/gtest.h>

#include <string>

#include "placement.h"
#include "planner.h"
#include "random_problem.h"

namespace memplan {
namespace {

constexpr int64_t kSearchSteps = 20'000;

std::string Describe(const PlacementFault& fault) {
  return "fault " + std::to_string(static_cast<int>(fault.kind)) + " of " +
         std::to_string(fault.first) + " and " + std::to_string(fault.second);
}

// Runs a planner for a while and checks its plan.
void ExpectValid(const PlannerInfo& info, const Problem& problem, const std::string& label) {
  const std::unique_ptr<Planner> planner = info.make(problem, {});
  for (int64_t used = 0; !planner->done() && used < kSearchSteps;) {
    used += std::max<int64_t>(1, planner->Step(1'000));
  }
  const Placement* placement = planner->best();
  if (placement == nullptr) {
    EXPECT_TRUE(info.searches) << info.name << ": no plan, " << label;
    return;
  }
  EXPECT_TRUE(placement->complete()) << info.name << ", " << label;
  for (const PlacementFault& fault : CheckPlacement(problem, *placement)) {
    ADD_FAILURE() << info.name << ", " << label << ": " << Describe(fault);
  }
  EXPECT_GE(placement->peak, planner->lower_bound()) << info.name << ", " << label;
  const Result<MaxLive> live = ComputeMaxLive(problem);
  ASSERT_TRUE(live.has_value());
  EXPECT_GE(planner->lower_bound(), live->bytes) << info.name << ", " << label;
}

TEST(Planners, PlaceValidlyWhatTheyHonour) {
  for (const PlannerInfo& info : AllPlanners()) {
    for (uint64_t seed = 0; seed < 320; ++seed) {
      RandomProblemOptions options;
      options.buffers = 2 + static_cast<int32_t>(seed % 40);
      options.alignments = (seed & 1) && (info.honours & kHonoursAlignment);
      options.pins = (seed & 2) && (info.honours & kHonoursPins);
      options.gaps = seed & 4;
      options.conflicts = (seed & 8) && (info.honours & kHonoursConflicts);
      options.base = seed & 16;
      ExpectValid(info, RandomProblem(options, seed), "seed " + std::to_string(seed));
    }
  }
}

TEST(Planners, PlaceValidlyTwoThousandBuffers) {
  for (const PlannerInfo& info : AllPlanners()) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      RandomProblemOptions options;
      options.buffers = 2000;
      options.ticks = seed & 1 ? 4000 : 200;
      options.longest = seed & 2 ? 1000 : 20;
      options.largest = seed & 1 ? 16 : 100'000;
      options.gaps = seed & 4;
      ExpectValid(info, RandomProblem(options, seed), "large, seed " + std::to_string(seed));
    }
  }
}

}  // namespace
}  // namespace memplan
