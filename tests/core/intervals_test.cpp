// Plans of interval problems.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planned.h"
#include "verified.h"

namespace memplan {
namespace {

TEST(Verifier, ChecksIntervals) {
  const std::string input = R"({"buffers":[
      {"id":"a","lower":0,"upper":4,"size":16,"gaps":[[1,3]]},
      {"id":"b","lower":1,"upper":3,"size":16},
      {"id":"c","lower":4,"upper":6,"size":16,"alignment":8,"offset":0},
      {"id":"d","lower":9,"upper":9,"size":16}],
      "conflicts":[["b","c"]],"capacity":64})";
  const auto verify = [&](int64_t a, int64_t b, int64_t c, const std::string& sizes = "[0,64]") {
    return Verify(
        input, PlanText({Row("a", 1, a), Row("b", 1, b), Row("c", 1, c), Row("d", 1, 0)}, sizes));
  };
  EXPECT_TRUE(verify(16, 16, 0).ok);
  EXPECT_EQ(verify(16, 16, 0).reuse_pairs, 1);
  EXPECT_EQ(CodesOf(verify(16, 8, 0)), Codes{"STORAGE_OVERLAP b"});
  EXPECT_EQ(CodesOf(verify(16, 16, 36)), (Codes{"MISALIGNED c", "PINNED_ELSEWHERE c"}));
  EXPECT_EQ(CodesOf(verify(56, 16, 0)), Codes{"PAST_END a"});
  EXPECT_EQ(CodesOf(verify(16, 16, 0, "[0,65]")), Codes{"OVER_CAPACITY"});
  const std::string overlapping = R"({"buffers":[{"id":"a","lower":0,"upper":4,"size":16},
      {"id":"b","lower":3,"upper":5,"size":16}]})";
  const std::string plan = PlanText({Row("a", 1, 0), Row("b", 1, 15)}, "[0,64]");
  ASSERT_EQ(CodesOf(Verify(overlapping, plan)), Codes{"STORAGE_OVERLAP a"});
  EXPECT_EQ(CodesOf(Verify(overlapping, PlanText({Row("a", 1, 0)}))), Codes{"TENSOR_MISSING b"});
}

// Nothing is asked of what is never live: by its times, its size, or gaps that leave no time.
TEST(Verifier, AsksNothingOfIntervalsThatAreNeverLive) {
  for (const std::string never :
       {R"("lower":1,"upper":1,"size":33)", R"("lower":1,"upper":9,"size":0)",
        R"("lower":1,"upper":9,"size":33,"gaps":[[1,9]])",
        R"("lower":1,"upper":9,"size":33,"gaps":[[4,9],[1,4]])"}) {
    const std::string input = R"({"buffers":[{"id":"a","offset":9,)" + never +
                              R"(},{"id":"b","lower":0,"upper":9,"size":16}]})";
    for (const std::string sizes : {"[0,16]", "[0,64]"}) {
      EXPECT_TRUE(Verify(input, PlanText({Row("a", 1, 9), Row("b", 1, 0)}, sizes)).ok) << never;
    }
    const Planned planned(input);
    ASSERT_TRUE(planned.ok) << planned.error.message;
    EXPECT_EQ(planned.plan.buffer_sizes, (std::vector<Bytes>{0, 16})) << never;
  }
}

}  // namespace
}  // namespace memplan
