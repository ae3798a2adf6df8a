#include "units.h"

#include <gtest/gtest.h>

namespace memplan {
namespace {

TEST(Units, AlignUpGivesTheNextMultiple) {
  EXPECT_EQ(AlignUp(0, 16), 0);
  EXPECT_EQ(AlignUp(1, 16), 16);
  EXPECT_EQ(AlignUp(16, 16), 16);
  EXPECT_EQ(AlignUp(17, 1), 17);
  EXPECT_EQ(AlignUp(kMaxBytes, 1), kMaxBytes);
}

TEST(Units, SumsAreCheckedUpToTheLargestSize) {
  EXPECT_TRUE(FitsBytes(kMaxBytes, 0));
  EXPECT_TRUE(FitsBytes(kMaxBytes - 1, 1));
  EXPECT_FALSE(FitsBytes(kMaxBytes, 1));
}

TEST(Units, LifetimesOverlapWhereTheyShareANode) {
  const Lifetime nothing;
  const Lifetime early{0, 2};
  EXPECT_FALSE(nothing.exists());
  EXPECT_FALSE(nothing.Overlaps(early));
  EXPECT_TRUE(early.Overlaps({2, 3}));
  EXPECT_FALSE(early.Overlaps({3, 4}));
}

TEST(Units, ExtendWidensToBothSides) {
  Lifetime lifetime;
  lifetime.Extend(4);
  lifetime.Extend(2);
  lifetime.Extend(7);
  EXPECT_EQ(lifetime, (Lifetime{2, 7}));
}

}  // namespace
}  // namespace memplan
