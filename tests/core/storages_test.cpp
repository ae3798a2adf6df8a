#include "storages.h"

#include <gtest/gtest.h>

#include "planned.h"

namespace memplan {
namespace {

// Three tensors, `more` said of the second, `last` of the third; x yields all.
std::string Bases(const std::string& more, const std::string& last) {
  return R"({"tensors": [{"id": "a", "nbytes": 64}, {"id": "b", "nbytes": 16)" + more +
         R"(}, {"id": "c", "nbytes": 16)" + last + R"(}],
      "nodes": [{"name": "x", "op": "call_function", "target": "f", "specs": ["a", "b", "c"]}]})";
}

TEST(StoragesTest, LaysSlicesOfSlicesAtTheSumOfTheirOffsets) {
  const Planned planned(Bases(R"(, "storage_base": "a", "storage_base_offset": 32)",
                              R"(, "storage_base": "b", "storage_base_offset": 8)"));
  ASSERT_TRUE(planned.ok) << planned.error.message;
  const std::vector<Bytes>& offset = planned.plan.top.mem_offset;
  EXPECT_EQ(offset[1], offset[0] + 32);
  EXPECT_EQ(offset[2], offset[0] + 40);
  EXPECT_EQ(planned.plan.buffer_sizes[1], 64);
}

TEST(StoragesTest, RefusesCirclesOfBases) {
  const Planned two(Bases(R"(, "inplace_base": "c")", R"(, "storage_base": "b")"));
  EXPECT_EQ(two.error.code, ErrorCode::kInvalidInput);
  const Planned self(Bases(R"(, "inplace_base": "b")", ""));
  EXPECT_EQ(self.error.path, "tensors[1].inplace_base");
}

TEST(StoragesTest, RefusesBasesThatDisagree) {
  const Planned planned(
      Bases(R"(, "inplace_base": "a")",
            R"(, "inplace_base": "b", "storage_base": "a", "storage_base_offset": 4)"));
  EXPECT_EQ(planned.error.code, ErrorCode::kInvalidInput);
  EXPECT_EQ(planned.error.path, "tensors[2].storage_base_offset");
}

TEST(StoragesTest, RefusesOffsetsPastTheRangeOfSizes) {
  const Planned planned(Bases(R"(, "storage_base": "a", "storage_base_offset": 9007199254740991)",
                              R"(, "storage_base": "b", "storage_base_offset": 9007199254740991)"));
  EXPECT_EQ(planned.error.code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace memplan
