// Lower bounds: never above what is possible, and at what is possible where
// they are meant to help.
#include "bounds.h"

#include <gtest/gtest.h>

#include <string>

#include "brute_force.h"
#include "random_problem.h"

namespace memplan {
namespace {

TEST(Bounds, AreNeverAboveTheOptimum) {
  int stronger = 0;
  for (uint64_t seed = 0; seed < 32'000; ++seed) {
    RandomProblemOptions options;
    options.buffers = 1 + static_cast<int32_t>(seed % 6);
    options.ticks = 2 + static_cast<Tick>(seed % 5);
    options.largest = 2 + static_cast<Bytes>(seed % 11);
    options.alignments = seed & 1;
    options.pins = seed & 2;
    options.gaps = seed & 4;
    options.conflicts = seed & 8;
    options.base = seed & 16;
    Problem problem = RandomProblem(options, seed);
    if (seed % 3 == 0 && !options.alignments && !options.pins) problem.uniform_alignment = 8;
    const Result<Bytes> bound = LowerBound(problem);
    const Result<MaxLive> live = ComputeMaxLive(problem);
    ASSERT_TRUE(bound.has_value() && live.has_value());
    ASSERT_LE(*bound, BruteForce(problem).LeastPeak()) << "seed " << seed;
    ASSERT_GE(*bound, live->bytes) << "seed " << seed;
    stronger += *bound > live->bytes;
  }
  EXPECT_GE(stronger, 4'000);
}

// All live at one tick.
Problem Together(const std::vector<Bytes>& sizes) {
  Problem problem;
  problem.size = sizes;
  problem.lower.assign(sizes.size(), 0);
  problem.upper.assign(sizes.size(), 1);
  return problem;
}

TEST(Bounds, CountWholeGranulesButForTheTopmost) {
  Problem problem = Together({17, 17, 10});
  problem.uniform_alignment = 16;
  // 32 + 32 + 10, or 16 + 32 + 17.
  EXPECT_EQ(LowerBound(problem).value(), 65);
  problem.base = 1;
  EXPECT_EQ(LowerBound(problem).value(), 81);
}

TEST(Bounds, CountTheGranulesOfTheLargerAlignmentsAlone) {
  Problem problem = Together({17, 17, 1});
  problem.alignment = {64, 64, 1};
  EXPECT_EQ(LowerBound(problem).value(), 81);
}

TEST(Bounds, SeeThatNothingFitsUnderAPin) {
  Problem problem = Together({100, 64, 40, 40});
  problem.pin = {70, kNoBytes, kNoBytes, kNoBytes};
  // Below the pin lie 64 or 40; the rest goes above 170.
  EXPECT_EQ(LowerBound(problem).value(), 250);
}

TEST(Bounds, StackWhatConflictsAtDifferentTimes) {
  Problem problem = Together({10, 10, 10});
  problem.lower = {0, 1, 2};
  problem.upper = {1, 2, 3};
  EXPECT_EQ(LowerBound(problem).value(), 10);
  problem.conflicts = {{0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(LowerBound(problem).value(), 30);
}

TEST(Bounds, RefuseSumsBeyondWholeNumbers) {
  const Result<Bytes> bound = LowerBound(Together({kMaxBytes, 1}));
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace memplan
