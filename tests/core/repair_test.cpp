#include "repair.h"

#include <gtest/gtest.h>

#include "engine/orders.h"
#include "engine/pass.h"
#include "engine/slot_tree.h"
#include "placement.h"
#include "random_problem.h"
#include "squeeze.h"

namespace memplan {
namespace {

RandomProblemOptions Mixed(uint64_t seed) {
  RandomProblemOptions options;
  options.buffers = 60;
  options.alignments = seed & 1;
  options.pins = seed & 2;
  options.gaps = seed & 4;
  options.conflicts = seed & 8;
  return options;
}

// Whatever it achieves, what is placed is valid and below the ceiling.
TEST(Repair, NeverPlacesWrongly) {
  int solved = 0;
  for (uint64_t seed = 0; seed < 160; ++seed) {
    const Problem problem = RandomProblem(Mixed(seed), seed);
    const Packing packing(problem);
    const SlotTree tree(packing);
    const ConflictIndex conflicts(packing);
    const std::vector<int64_t> loads = HighestLoads(packing);
    RepairSettings settings;
    settings.ceiling = packing.bound + packing.bound / 20;
    settings.move_limit = 300;
    settings.seed = seed;
    PassResult pass =
        PlaceInOrder(packing, tree, OrderBySize(packing), Fit::kFirst, settings.ceiling, INT64_MAX);
    for (const ItemIndex item : pass.left_over) pass.offset[item] = -1;
    Repair repair(packing, conflicts, loads, settings, pass.offset);
    while (repair.state() == Repair::State::kRunning) repair.Step(50);
    const Placement placement = packing.ToPlacement(repair.offset());
    EXPECT_LE(placement.peak, settings.ceiling) << "seed " << seed;
    for (const PlacementFault& fault : CheckPlacement(problem, placement)) {
      if (fault.kind == PlacementFault::Kind::kUnplaced) {
        EXPECT_EQ(repair.state(), Repair::State::kFailed) << "seed " << seed;
      } else {
        ADD_FAILURE() << "seed " << seed << ": fault " << static_cast<int>(fault.kind) << " of "
                      << fault.first << " and " << fault.second;
      }
    }
    solved += repair.state() == Repair::State::kSolved;
  }
  EXPECT_GT(solved, 40);
}

TEST(Squeeze, OnlyEverMakesAPlanSmallerAndKeepsItValid) {
  int smaller = 0;
  for (uint64_t seed = 0; seed < 48; ++seed) {
    const Problem problem = RandomProblem(Mixed(seed), seed);
    const Packing packing(problem);
    const SlotTree tree(packing);
    const ConflictIndex conflicts(packing);
    const std::vector<int64_t> loads = HighestLoads(packing);
    const PassResult pass =
        PlaceInOrder(packing, tree, OrderBySize(packing), Fit::kFirst, kNoBytes, INT64_MAX);
    const Bytes first = packing.ToPlacement(pass.offset).peak;
    Squeeze squeeze(packing, tree, conflicts, loads, pass.offset, first, seed % 3 > 0, seed);
    squeeze.Step(20'000);
    const Placement placement = packing.ToPlacement(squeeze.offset());
    EXPECT_EQ(placement.peak, squeeze.peak()) << "seed " << seed;
    EXPECT_LE(squeeze.peak(), first) << "seed " << seed;
    EXPECT_TRUE(CheckPlacement(problem, placement).empty()) << "seed " << seed;
    smaller += squeeze.peak() < first;
  }
  EXPECT_GT(smaller, 10);
}

}  // namespace
}  // namespace memplan
