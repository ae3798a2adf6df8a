// Every planner of the table, on random problems with everything it honours.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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
      options.buffers = info.name == "search" && (seed & 4) ? 500 : 2000;
      options.ticks = seed & 1 ? 4000 : 200;
      options.longest = seed & 2 ? 1000 : 20;
      options.largest = seed & 1 ? 16 : 100'000;
      options.gaps = seed & 4;
      ExpectValid(info, RandomProblem(options, seed), "large, seed " + std::to_string(seed));
    }
  }
}

// Wherever the arithmetic of one problem goes: sums past 32 bits, sizes with no common divisor,
// pins above everything.
TEST(Planners, PlaceValidlyHugeSizes) {
  for (const PlannerInfo& info : AllPlanners()) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      RandomProblemOptions options;
      options.buffers = 60;
      options.largest = seed & 1 ? Bytes{1} << 34 : Bytes{1} << 46;
      options.pins = (seed & 2) && (info.honours & kHonoursPins);
      options.alignments = (seed & 4) && (info.honours & kHonoursAlignment);
      ExpectValid(info, RandomProblem(options, seed), "huge, seed " + std::to_string(seed));
    }
  }
}

TEST(Planners, PlaceNothingAndOneThing) {
  for (const PlannerInfo& info : AllPlanners()) {
    Problem problem;
    ExpectValid(info, problem, "empty");
    problem.lower = {3, 5, 2};
    problem.upper = {9, 5, 4};
    problem.size = {7, 4, 0};
    ExpectValid(info, problem, "one live buffer");
    const std::unique_ptr<Planner> planner = info.make(problem, {});
    while (!planner->done()) planner->Step(1'000);
    EXPECT_EQ(planner->best()->peak, 7) << info.name;
  }
}

// The rows of a problem in another order, then sorted into the tie order again: two buffers that
// are alike in everything may change places, so offsets are compared as a sorted list.
std::vector<std::vector<int64_t>> PlacedRows(const Problem& problem, const Placement& placement) {
  std::vector<std::vector<int64_t>> rows;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    rows.push_back({problem.size[b], problem.lower[b], problem.upper[b], placement.offset[b]});
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Problem Shuffled(const Problem& problem, uint64_t seed) {
  Random random(seed);
  std::vector<BufferIndex> order(problem.size.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.Between(0, static_cast<int64_t>(i) - 1)]);
  }
  std::stable_sort(order.begin(), order.end(), [&](BufferIndex a, BufferIndex b) {
    if (problem.size[a] != problem.size[b]) return problem.size[a] > problem.size[b];
    if (problem.lower[a] != problem.lower[b]) return problem.lower[a] < problem.lower[b];
    return problem.upper[a] < problem.upper[b];
  });
  Problem shuffled;
  for (const BufferIndex b : order) {
    shuffled.lower.push_back(problem.lower[b]);
    shuffled.upper.push_back(problem.upper[b]);
    shuffled.size.push_back(problem.size[b]);
  }
  return shuffled;
}

TEST(Planners, AnswerTheSameWhateverTheOrderOfRows) {
  for (const PlannerInfo& info : AllPlanners()) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      RandomProblemOptions options;
      options.buffers = 120;
      options.largest = 12;  // many of one size
      const Problem problem = RandomProblem(options, seed);
      const Problem shuffled = Shuffled(problem, seed + 100);
      const std::unique_ptr<Planner> one = info.make(problem, {}), two = info.make(shuffled, {});
      one->Step(kSearchSteps);
      two->Step(kSearchSteps);
      ASSERT_TRUE(one->best() && two->best()) << info.name;
      EXPECT_EQ(PlacedRows(problem, *one->best()), PlacedRows(shuffled, *two->best()))
          << info.name << ", seed " << seed;
    }
  }
}

// Cuts of any length, and many short ones, in which a lost part of a step would show.
void ExpectSameHoweverCut(const PlannerInfo& info, const Problem& problem, int64_t total,
                          int64_t longest, uint64_t seed) {
  const std::unique_ptr<Planner> one = info.make(problem, {}), two = info.make(problem, {});
  one->Step(total);
  Random random(seed);
  for (int64_t left = total; left > 0 && !two->done();) {
    const int64_t budget = std::min(left, random.Between(1, longest));
    two->Step(budget);
    left -= budget;
  }
  EXPECT_EQ(one->done(), two->done()) << info.name << ", seed " << seed;
  ASSERT_TRUE(one->best() && two->best()) << info.name;
  EXPECT_EQ(one->best()->offset, two->best()->offset) << info.name << ", seed " << seed;
  EXPECT_EQ(one->lower_bound(), two->lower_bound()) << info.name << ", seed " << seed;
}

TEST(Planners, AnswerTheSameHoweverTheStepsAreCut) {
  for (const PlannerInfo& info : AllPlanners()) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      RandomProblemOptions options;
      options.buffers = 150;
      options.longest = 15;
      ExpectSameHoweverCut(info, RandomProblem(options, seed), 200'000, 3'000, seed);
    }
    // Small and hard, with all that the planner honours: each way of searching gets its turn.
    for (uint64_t seed = 0; seed < 300; ++seed) {
      RandomProblemOptions options;
      options.buffers = 15 + static_cast<int32_t>(seed % 16);
      options.longest = 8 + static_cast<Tick>(seed / 8 % 12);
      options.largest = 100'000'000'000;
      options.base = true;
      options.alignments = (seed & 1) && (info.honours & kHonoursAlignment);
      options.pins = (seed & 2) && (info.honours & kHonoursPins);
      options.gaps = seed & 4;
      options.conflicts = (seed & 8) && (info.honours & kHonoursConflicts);
      ExpectSameHoweverCut(info, RandomProblem(options, seed), 2'000, 10, seed);
    }
  }
}

// Buffers of one object never meet, lie at one offset, and objects share no byte.
TEST(Planners, SharedObjectsAreWholeSlots) {
  for (const PlannerInfo& info : AllPlanners()) {
    if (!info.shared_objects) continue;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      RandomProblemOptions options;
      options.buffers = 40;
      options.gaps = seed & 1;
      options.alignments = seed & 2;
      const Problem problem = RandomProblem(options, seed);
      const std::unique_ptr<Planner> planner = info.make(problem, {});
      planner->Step(1'000);
      const Placement* placement = planner->best();
      ASSERT_TRUE(placement) << info.name;
      ASSERT_EQ(placement->object.size(), problem.size.size()) << info.name;
      for (BufferIndex a = 0; a < problem.count(); ++a) {
        for (BufferIndex b = a + 1; b < problem.count(); ++b) {
          if (!problem.is_live(a) || !problem.is_live(b)) continue;
          const bool one = placement->object[a] == placement->object[b];
          const bool apart = placement->offset[a] + problem.size[a] <= placement->offset[b] ||
                             placement->offset[b] + problem.size[b] <= placement->offset[a];
          EXPECT_EQ(one, !apart) << info.name << ", seed " << seed << ": " << a << ", " << b;
          if (one) {
            EXPECT_EQ(placement->offset[a], placement->offset[b]) << info.name;
            EXPECT_FALSE(Conflicts(problem, a, b)) << info.name;
          }
        }
      }
    }
  }
}

// Case 02: two tenants of one dead block need 1400 bytes where slots stay whole.
TEST(Planners, WholeSlotsCostWhatCase02Says) {
  Problem problem;
  problem.lower = {0, 3, 3};
  problem.upper = {3, 7, 7};
  problem.size = {1000, 500, 400};
  for (const std::string_view name : {"greedy", "shared_by_size", "shared_by_breadth"}) {
    const std::unique_ptr<Planner> planner = FindPlanner(name)->make(problem, {});
    planner->Step(1'000);
    EXPECT_EQ(planner->best()->peak, 1400) << name;
  }
}

}  // namespace
}  // namespace memplan
