#include "shared_objects.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "random_problem.h"

namespace memplan {
namespace {

// The rule as a plain scan over all objects, with nothing clever about it.
std::vector<int32_t> PickByScan(const std::vector<Lifetime>& lifetimes,
                                const std::vector<Bytes>& sizes, std::vector<Bytes>* object_size) {
  std::vector<int32_t> object;
  std::vector<NodeIndex> last_use;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int32_t picked = -1;
    for (size_t o = 0; o < last_use.size(); ++o) {
      if (lifetimes[i].first <= last_use[o]) continue;
      if (picked >= 0 &&
          std::abs((*object_size)[o] - sizes[i]) >= std::abs((*object_size)[picked] - sizes[i])) {
        continue;
      }
      picked = static_cast<int32_t>(o);
      last_use[o] = lifetimes[i].last;
      (*object_size)[o] = std::max((*object_size)[o], sizes[i]);
    }
    if (picked < 0) {
      picked = static_cast<int32_t>(last_use.size());
      last_use.push_back(lifetimes[i].last);
      object_size->push_back(sizes[i]);
    }
    object.push_back(picked);
  }
  return object;
}

TEST(SharedObjects, FollowTheScanOnRandomBuffers) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::vector<Lifetime> lifetimes;
    std::vector<Bytes> sizes;
    const int64_t count = random.Between(1, 150);
    for (int64_t i = 0; i < count; ++i) {
      const auto first = static_cast<NodeIndex>(seed % 2 ? i : random.Between(0, 50));
      lifetimes.push_back({first, first + static_cast<NodeIndex>(random.Between(0, 20))});
      sizes.push_back(random.Between(0, seed % 3 ? 8 : 1000));
    }
    const SharedObjects picked = PickSharedObjects(lifetimes, sizes);
    std::vector<Bytes> object_size;
    EXPECT_EQ(picked.object, PickByScan(lifetimes, sizes, &object_size)) << "seed " << seed;
    EXPECT_EQ(picked.object_size, object_size) << "seed " << seed;
  }
}

TEST(SharedObjects, AProvisionalPickIsMarkedBusyAndGrown) {
  // Objects of 10 and 7 are free at 2. For 8 bytes the first is taken, then the second is nearer
  // and taken instead; but the first stays busy, so at 3 there is none.
  const std::vector<Lifetime> lifetimes = {{0, 1}, {0, 1}, {2, 9}, {3, 4}};
  const std::vector<Bytes> sizes = {10, 7, 8, 5};
  const SharedObjects picked = PickSharedObjects(lifetimes, sizes);
  EXPECT_EQ(picked.object, (std::vector<int32_t>{0, 1, 1, 2}));
  EXPECT_EQ(picked.object_size, (std::vector<Bytes>{10, 8, 5}));
}

TEST(SharedObjects, StackUpFromTheBase) {
  const std::vector<Bytes> sizes = {16, 0, 32};
  EXPECT_EQ(StackSharedObjects(sizes, 8), (std::vector<Bytes>{8, 24, 24, 56}));
  EXPECT_EQ(StackSharedObjects({}, 8), std::vector<Bytes>{8});
}

TEST(SharedObjects, SayWhereTheSumIsTooLarge) {
  const std::vector<Bytes> sizes = {kMaxBytes, 1, 1};
  EXPECT_EQ(StackSharedObjects(sizes, 0).back(), kNoBytes);
  EXPECT_EQ(StackSharedObjects(std::vector<Bytes>{kMaxBytes}, 0).back(), kMaxBytes);
}

}  // namespace
}  // namespace memplan
