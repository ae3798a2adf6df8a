#include <gtest/gtest.h>

#include <algorithm>

#include "executorch/fixed_objects.h"
#include "random_problem.h"

namespace memplan::executorch {
namespace {

// The rule as it is told: objects with all that lies in them, looked at one by one.
class PlainObjects {
 public:
  std::optional<FixedObjects::Place> Pick(Bytes size, const Lifetime& lifetime, bool may_overlap) {
    for (size_t o = 0; o < objects_.size(); ++o) {
      if (HighestEnd(objects_[o], lifetime)) continue;
      if (objects_[o].size < size) return std::nullopt;
      return Put(o, 0, size, lifetime);
    }
    for (size_t o = 0; may_overlap && o < objects_.size(); ++o) {
      const Bytes end = *HighestEnd(objects_[o], lifetime);
      if (end > 0 && end + size <= objects_[o].size) return Put(o, end, size, lifetime);
    }
    objects_.push_back({size, {}});
    return Put(objects_.size() - 1, 0, size, lifetime);
  }

 private:
  struct Tenant {
    Bytes end = 0;
    Lifetime lifetime;
  };
  struct Object {
    Bytes size = 0;
    std::vector<Tenant> tenants;
  };

  // Nothing where no tenant meets the lifetime.
  static std::optional<Bytes> HighestEnd(const Object& object, const Lifetime& lifetime) {
    std::optional<Bytes> highest;
    for (const Tenant& tenant : object.tenants) {
      if (tenant.lifetime.Overlaps(lifetime)) highest = std::max(highest.value_or(0), tenant.end);
    }
    return highest;
  }

  FixedObjects::Place Put(size_t o, Bytes offset, Bytes size, const Lifetime& lifetime) {
    objects_[o].tenants.push_back({offset + size, lifetime});
    return {static_cast<int32_t>(o), offset};
  }

  std::vector<Object> objects_;
};

struct Shape {
  NodeIndex nodes;
  NodeIndex longest;
  Bytes largest;
  int count;
  bool meets_unsorted;  // some first object is free and too small
};

class FixedObjectsTest : public testing::TestWithParam<Shape> {};

TEST_P(FixedObjectsTest, PicksAsThePlainRuleDoes) {
  const Shape shape = GetParam();
  int unsorted = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    std::vector<Bytes> sizes;
    for (int i = 0; i < shape.count; ++i) sizes.push_back(random.Between(0, shape.largest));
    std::sort(sizes.rbegin(), sizes.rend());
    // As after realigning: nearly sorted.
    if (random.OneIn(4)) {
      const int64_t at = random.Between(0, 3);
      std::swap(sizes[at], sizes[at + 1]);
    }
    const bool may_overlap = random.OneIn(2);
    FixedObjects objects(shape.nodes);
    PlainObjects plain;
    for (const Bytes size : sizes) {
      Lifetime lifetime;
      lifetime.first = static_cast<NodeIndex>(random.Between(0, shape.nodes - 1));
      lifetime.last =
          std::min(shape.nodes - 1,
                   lifetime.first + static_cast<NodeIndex>(random.Between(0, shape.longest)));
      const auto got = objects.Pick(size, lifetime, may_overlap);
      const auto want = plain.Pick(size, lifetime, may_overlap);
      ASSERT_EQ(got.has_value(), want.has_value()) << "seed " << seed;
      unsorted += !got.has_value();
      if (!got) break;
      ASSERT_EQ(got->object, want->object) << "seed " << seed;
      ASSERT_EQ(got->offset, want->offset) << "seed " << seed;
    }
  }
  EXPECT_EQ(unsorted > 0, shape.meets_unsorted);
}

INSTANTIATE_TEST_SUITE_P(ExecutorchFixedObjects, FixedObjectsTest,
                         testing::Values(Shape{1, 1, 40, 20, false}, Shape{30, 5, 40, 60, false},
                                         Shape{30, 30, 2000, 200, true},
                                         Shape{5000, 4000, 2000, 300, true},
                                         Shape{5000, 40, 2000, 300, true}));

}  // namespace
}  // namespace memplan::executorch
