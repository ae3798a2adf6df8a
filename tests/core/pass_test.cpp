#include "engine/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/conflict_index.h"
#include "engine/orders.h"
#include "engine/packing.h"
#include "engine/slot_tree.h"
#include "random_problem.h"

namespace memplan {
namespace {

// First or best fit by looking at every placed conflict, in units of the packing.
std::vector<int64_t> PlaceByPairs(const Packing& packing, const std::vector<ItemIndex>& order,
                                  Fit fit) {
  std::vector<int64_t> offset(packing.count(), -1);
  for (ItemIndex item = 0; item < packing.count(); ++item) offset[item] = packing.pin_of(item);
  for (const ItemIndex item : order) {
    if (offset[item] >= 0) continue;
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (ItemIndex other = 0; other < packing.count(); ++other) {
      if (offset[other] < 0) continue;
      if (!Conflicts(packing.problem, packing.buffer[item], packing.buffer[other])) continue;
      taken.emplace_back(offset[other], offset[other] + packing.size[other]);
    }
    std::sort(taken.begin(), taken.end());
    const int64_t alignment = packing.alignment_of(item);
    int64_t top = packing.floor, best = -1, best_gap = INT64_MAX;
    for (const auto& [from, to] : taken) {
      const int64_t at = AlignUp(top, alignment);
      if (at + packing.size[item] <= from && from - at < best_gap) {
        if (best < 0 || fit == Fit::kBest) {
          best = at;
          best_gap = from - at;
        }
      }
      top = std::max(top, to);
    }
    offset[item] = best >= 0 ? best : AlignUp(top, alignment);
  }
  return offset;
}

RandomProblemOptions Mixed(uint64_t seed) {
  RandomProblemOptions options;
  options.buffers = 3 + static_cast<int32_t>(seed % 60);
  options.alignments = seed & 1;
  options.pins = seed & 2;
  options.gaps = seed & 4;
  options.conflicts = seed & 8;
  options.base = seed & 16;
  return options;
}

TEST(Pass, FindsTheLowestAndTheSmallestGap) {
  for (uint64_t seed = 0; seed < 640; ++seed) {
    const Problem problem = RandomProblem(Mixed(seed), seed);
    const Packing packing(problem);
    const SlotTree tree(packing);
    const std::vector<ItemIndex> order = OrderBySize(packing);
    for (const Fit fit : {Fit::kFirst, Fit::kBest}) {
      const PassResult pass = PlaceInOrder(packing, tree, order, fit, kNoBytes, INT64_MAX);
      ASSERT_TRUE(pass.finished);
      EXPECT_EQ(pass.offset, PlaceByPairs(packing, order, fit))
          << "seed " << seed << (fit == Fit::kFirst ? ", first fit" : ", best fit");
    }
  }
}

// Long enough for several blocks of time.
TEST(Pass, BlocksOfTimeChangeNothing) {
  for (uint64_t seed = 0; seed < 2; ++seed) {
    RandomProblemOptions options;
    options.buffers = 9000;
    options.ticks = 12000;
    options.gaps = seed & 1;
    const Problem problem = RandomProblem(options, seed);
    const Packing packing(problem);
    EXPECT_GT(packing.slot_count, 4096);
    const SlotTree tree(packing);
    const std::vector<ItemIndex> order = OrderByLoadAndLength(packing);
    const PassResult pass = PlaceInOrder(packing, tree, order, Fit::kFirst, kNoBytes, INT64_MAX);
    EXPECT_EQ(pass.offset, PlaceByPairs(packing, order, Fit::kFirst));
  }
}

TEST(Pass, WhatWouldEndAboveTheCeilingComesLast) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = RandomProblem(Mixed(seed), seed);
    const Packing packing(problem);
    const SlotTree tree(packing);
    const PassResult pass =
        PlaceInOrder(packing, tree, OrderBySize(packing), Fit::kFirst, packing.bound, INT64_MAX);
    for (ItemIndex item = 0; item < packing.count(); ++item) {
      const bool left_over =
          std::find(pass.left_over.begin(), pass.left_over.end(), item) != pass.left_over.end();
      EXPECT_EQ(packing.EndOf(item, pass.offset[item]) > packing.bound, left_over)
          << "seed " << seed << ", item " << item;
    }
  }
}

TEST(Pass, StopsWhenItMayTakeNoMoreSteps) {
  RandomProblemOptions options;
  options.buffers = 500;
  const Problem problem = RandomProblem(options, 1);
  const Packing packing(problem);
  const SlotTree tree(packing);
  EXPECT_FALSE(
      PlaceInOrder(packing, tree, OrderBySize(packing), Fit::kFirst, kNoBytes, 10).finished);
}

TEST(Packing, SharesASlotExactlyWhereBuffersAreLiveTogether) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomProblemOptions options = Mixed(seed);
    options.conflicts = false;
    const Problem problem = RandomProblem(options, seed);
    const Packing packing(problem);
    const ConflictIndex conflicts(packing);
    for (ItemIndex item = 0; item < packing.count(); ++item) {
      std::vector<ItemIndex> found, expected;
      conflicts.ForEach(item, [&](ItemIndex other) { found.push_back(other); });
      for (ItemIndex other = 0; other < packing.count(); ++other) {
        if (Conflicts(problem, packing.buffer[item], packing.buffer[other])) {
          expected.push_back(other);
        }
      }
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << "seed " << seed << ", item " << item;
    }
  }
}

TEST(Packing, IsBoundByMaxLiveAndNoWorse) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = RandomProblem(Mixed(seed), seed);
    const Result<MaxLive> live = ComputeMaxLive(problem);
    ASSERT_TRUE(live.has_value());
    EXPECT_GE(Packing(problem).bound, live->bytes) << "seed " << seed;
  }
}

TEST(Orders, LogOfPowersOfTwoIsWhole) {
  for (int k = 0; k < 53; ++k) {
    EXPECT_EQ(Log2In256ths(uint64_t{1} << k), 256 * k);
    if (k <= 8) continue;
    EXPECT_EQ(Log2In256ths((uint64_t{1} << k) - 1), 256 * k - 1);
  }
}

}  // namespace
}  // namespace memplan
