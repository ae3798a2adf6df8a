#include <gtest/gtest.h>

#include "executorch/storage_reuse.h"
#include "random_problem.h"

namespace memplan::executorch {
namespace {

// Upstream's own way: every pair in order, until one is at fault.
struct Walk {
  std::optional<StorageReuse::Pair> fault;
  int64_t pairs = 0;
};

Walk WalkAllPairs(const std::vector<PlacedTensor>& tensors, const StorageReuse& reuse) {
  Walk walk;
  for (int32_t i = 0; i < static_cast<int32_t>(tensors.size()); ++i) {
    for (int32_t k = i + 1; k < static_cast<int32_t>(tensors.size()); ++k) {
      const PairFault fault = reuse.Examine(tensors[i], tensors[k]);
      if (fault != PairFault::kNone) {
        walk.fault = StorageReuse::Pair{i, k, fault};
        return walk;
      }
      const PlacedTensor& a = tensors[i];
      const PlacedTensor& b = tensors[k];
      walk.pairs += a.mem_id == b.mem_id && a.size > 0 && b.size > 0 &&
                    a.offset < b.offset + b.size && b.offset < a.offset + a.size;
    }
  }
  return walk;
}

// Mostly right plans with a few things wrong: the first fault must lie anywhere, or nowhere.
std::vector<PlacedTensor> RandomTensors(Random& random) {
  std::vector<PlacedTensor> tensors;
  const auto count = static_cast<int32_t>(random.Between(0, 40));
  const int64_t rarity = random.Between(2, 400);
  for (int32_t i = 0; i < count; ++i) {
    PlacedTensor row;
    row.tensor = i;
    row.mem_id = static_cast<MemId>(random.Between(1, 2));
    row.object = static_cast<int32_t>(random.Between(0, 3));
    row.offset = row.object * 100 + (random.OneIn(3) ? random.Between(0, 40) : 0);
    row.size = random.OneIn(8) ? 0 : random.Between(1, 50);
    row.lifetime.first = i * 2;
    row.lifetime.last = i * 2 + 1;
    if (random.OneIn(rarity)) row.lifetime.last += static_cast<NodeIndex>(random.Between(1, 30));
    if (random.OneIn(rarity)) row.object = static_cast<int32_t>(random.Between(0, 5));
    if (random.OneIn(2 * rarity)) row.offset = kNoBytes;
    if (random.OneIn(2 * rarity)) row.lifetime = {};
    if (random.OneIn(4 * rarity)) row.object = -1;
    if (random.OneIn(6 * rarity)) row.mem_id = kNoPool;
    if (random.OneIn(6 * rarity)) std::swap(row.lifetime.first, row.lifetime.last);
    if (random.OneIn(3)) row.inplace_base = static_cast<TensorIndex>(random.Between(0, count - 1));
    tensors.push_back(row);
  }
  return tensors;
}

TEST(ExecutorchStorageReuse, AnswersAsAWalkOverAllPairs) {
  int with_fault[6] = {};
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    const bool may_overlap = random.OneIn(2);
    const std::vector<PlacedTensor> tensors = RandomTensors(random);
    const StorageReuse reuse(tensors, may_overlap);
    const Walk walk = WalkAllPairs(tensors, reuse);
    const std::optional<StorageReuse::Pair> fault = reuse.FindFirstFault();
    ASSERT_EQ(fault.has_value(), walk.fault.has_value()) << "seed " << seed;
    if (!fault) {
      ASSERT_EQ(reuse.CountPairs(), walk.pairs) << "seed " << seed;
    } else {
      ASSERT_EQ(fault->first, walk.fault->first) << "seed " << seed;
      ASSERT_EQ(fault->second, walk.fault->second) << "seed " << seed;
      ASSERT_EQ(fault->fault, walk.fault->fault) << "seed " << seed;
    }
    ++with_fault[static_cast<int>(fault ? fault->fault : PairFault::kNone)];
  }
  for (int kind = 0; kind < 6; ++kind) EXPECT_GT(with_fault[kind], 50) << "fault " << kind;
}

TEST(ExecutorchStorageReuse, AnInplacePairMayOverlap) {
  PlacedTensor base;
  base.tensor = 0;
  base.mem_id = 1;
  base.object = 0;
  base.offset = 0;
  base.size = 16;
  base.lifetime = {0, 2};
  PlacedTensor result = base;
  result.tensor = 1;
  result.lifetime = {2, 3};
  EXPECT_EQ(StorageReuse({base, result}, false).FindFirstFault()->fault, PairFault::kOverlap);
  result.inplace_base = 0;
  EXPECT_FALSE(StorageReuse({base, result}, false).FindFirstFault().has_value());
  EXPECT_EQ(StorageReuse({base, result}, false).CountPairs(), 1);
}

}  // namespace
}  // namespace memplan::executorch
