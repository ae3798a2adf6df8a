// What `auto` promises: the right answers of the cases, a table it is never worse than, and the
// difference between "does not fit" and "not found".
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "brute_force.h"
#include "graph_reader.h"
#include "interval_problem.h"
#include "json_walker.h"
#include "planner.h"
#include "random_problem.h"

namespace memplan {
namespace {

Problem LoadCase(const std::string& name) {
  std::ifstream in(std::string(MEMPLAN_TEST_DATA) + "/cases/" + name + ".json", std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
  const size_t size = text.size();
  text.insert(text.end(), kJsonPadding, '\0');
  const Result<JsonInput> input = ReadJsonInput({text.data(), size});
  EXPECT_TRUE(input && input->intervals) << name;
  auto pools = MakeIntervalProblems(*input->intervals, {}, false);
  EXPECT_TRUE(pools && pools->size() == 1) << name;
  return std::move((*pools)[0].problem);
}

std::unique_ptr<Planner> RunAuto(const Problem& problem, int64_t budget = 5'000'000) {
  std::unique_ptr<Planner> planner = FindPlanner("auto")->make(problem, {});
  for (; !planner->done() && budget > 0; budget -= 10'000) planner->Step(10'000);
  return planner;
}

struct Answer {
  const char* name;
  Bytes optimum;
};
class AutoCases : public testing::TestWithParam<Answer> {};

TEST_P(AutoCases, ReachesTheProvenOptimum) {
  const Problem problem = LoadCase(GetParam().name);
  const std::unique_ptr<Planner> planner = RunAuto(problem);
  EXPECT_TRUE(planner->done());
  ASSERT_TRUE(planner->best());
  EXPECT_EQ(planner->best()->peak, GetParam().optimum);
  EXPECT_EQ(planner->lower_bound(), GetParam().optimum);
  EXPECT_TRUE(CheckPlacement(problem, *planner->best()).empty());
}

INSTANTIATE_TEST_SUITE_P(All, AutoCases,
                         testing::Values(Answer{"01-leading-gap", 180},
                                         Answer{"02-two-tenants-of-one-dead-block", 1000},
                                         Answer{"04-greedy-half-again", 96},
                                         Answer{"05-every-one-pass-heuristic-misses", 112},
                                         Answer{"07-bound-cannot-be-reached", 80},
                                         Answer{"10-reserved-region-forces-reuse", 98304},
                                         Answer{"13-past-four-gigabytes", 8494576720},
                                         Answer{"16-a-tiny-one-splits-the-arena", 576}));

TEST(Auto, TellsDoesNotFitFromFits) {
  Problem problem = LoadCase("07-bound-cannot-be-reached");  // 64 live, 80 needed
  for (const Bytes capacity : {Bytes{63}, Bytes{64}, Bytes{79}}) {
    problem.capacity = capacity;
    const std::unique_ptr<Planner> planner = RunAuto(problem);
    EXPECT_TRUE(planner->done()) << capacity;
    EXPECT_TRUE(planner->infeasible()) << capacity;
    EXPECT_EQ(planner->best(), nullptr) << capacity;
  }
  problem.capacity = 80;
  const std::unique_ptr<Planner> planner = RunAuto(problem);
  EXPECT_FALSE(planner->infeasible());
  ASSERT_TRUE(planner->best());
  EXPECT_EQ(planner->best()->peak, 80);
}

// What is good enough ends nothing while it does not fit.
TEST(Auto, StopsAtNothingBeyondTheCapacity) {
  Problem problem = LoadCase("07-bound-cannot-be-reached");
  problem.capacity = 80;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    // Once one buffer is a little larger the passes find 82 or more, the smallest plan has 80.
    Problem changed = problem;
    changed.size[b] += 1;
    const Bytes optimum = BruteForce(changed).LeastPeak();
    changed.capacity = optimum;
    for (const Bytes above : {1, 8, 1000}) {
      std::unique_ptr<Planner> planner =
          FindPlanner("auto")->make(changed, {.seed = 0, .stop_at = optimum + above});
      for (int i = 0; i < 500 && !planner->done(); ++i) planner->Step(10'000);
      ASSERT_TRUE(planner->best()) << b << " " << above;
      EXPECT_EQ(planner->best()->peak, optimum);
    }
  }
}

TEST(Auto, IsNeverWorseThanAnyPlannerItRan) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomProblemOptions options;
    options.buffers = 40;
    options.gaps = seed & 1;
    const Problem problem = RandomProblem(options, seed);
    const std::unique_ptr<Planner> planner = RunAuto(problem, 50'000);
    ASSERT_TRUE(planner->best());
    EXPECT_FALSE(planner->winner().empty());
    bool winner_is_in_the_table = false;
    for (const PlannerResult& row : planner->results()) {
      const Bytes reached = row.peak == kNoBytes ? kMaxBytes : row.peak;
      EXPECT_LE(planner->best()->peak, reached) << row.algorithm;
      winner_is_in_the_table |=
          row.algorithm == planner->winner() && row.peak == planner->best()->peak;
      // A planner that ran in the table has the result that it has alone.
      const PlannerInfo* info = FindPlanner(row.algorithm);
      if (info == nullptr || info->searches) continue;
      const std::unique_ptr<Planner> alone = info->make(problem, {});
      alone->Step(1);
      EXPECT_EQ(alone->best()->peak, row.peak) << row.algorithm << ", seed " << seed;
    }
    EXPECT_TRUE(winner_is_in_the_table) << "seed " << seed;
  }
}

TEST(Auto, StopsAtWhatIsGoodEnough) {
  const Problem problem = LoadCase("05-every-one-pass-heuristic-misses");
  const std::unique_ptr<Planner> planner =
      FindPlanner("auto")->make(problem, {.seed = 0, .stop_at = 200});
  planner->Step(1);
  EXPECT_TRUE(planner->done());
  EXPECT_LE(planner->best()->peak, 200);
}

TEST(Auto, HasAPlanAfterOneStep) {
  RandomProblemOptions options;
  options.buffers = 1500;
  options.gaps = true;
  const Problem problem = RandomProblem(options, 3);
  const std::unique_ptr<Planner> planner = FindPlanner("auto")->make(problem, {});
  planner->Step(1);
  ASSERT_TRUE(planner->best());
  EXPECT_TRUE(CheckPlacement(problem, *planner->best()).empty());
}

// Three buffers of which two are live at a time, in sum over 2^53 - 1: what is too high is no plan.
TEST(Auto, StaysBelowTheLargestWholeNumber) {
  Problem problem;
  const Bytes third = kMaxBytes / 5 * 2;
  problem.lower = {0, 1, 2};
  problem.upper = {2, 3, 4};
  problem.size = {third + 4, third + 2, third};
  const std::unique_ptr<Planner> planner = RunAuto(problem);
  ASSERT_TRUE(planner->best());
  EXPECT_EQ(planner->best()->peak, 2 * third + 6);
}

}  // namespace
}  // namespace memplan
