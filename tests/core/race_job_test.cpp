// Sums that are no size any more, over the buffers of a pool and over pools.
#include <gtest/gtest.h>

#include <string>

#include "planned.h"

namespace memplan {
namespace {

constexpr const char* kLargest = "9007199254740991";

// `count` buffers of the largest size, one after the other in time and in pool 1, or all at once
// and each in a pool of its own.
std::string LargestBuffers(int count, bool in_pools) {
  std::string text = R"({"buffers":[)";
  for (int i = 0; i < count; ++i) {
    const int lower = in_pools ? 0 : i;
    text += (i > 0 ? ",{" : "{") + (R"("id":"b)" + std::to_string(i)) + R"(","lower":)" +
            std::to_string(lower) + R"(,"upper":)" + std::to_string(lower + 1) + R"(,"size":)" +
            kLargest + R"(,"mem_id":)" + std::to_string(in_pools ? i + 1 : 1) + "}";
  }
  return text + "]}";
}

// The same as tensors of a graph: inputs, each with an operator that reads it at once.
std::string LargestTensors(int count) {
  const std::string size = std::to_string(kMaxBytes - 15);
  std::string tensors, nodes;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    tensors += (i > 0 ? ",{" : "{") + (R"("id":"t)" + n) + R"(","nbytes":)" + size +
               R"(,"mem_id":)" + std::to_string(i + 1) + "}";
    nodes += R"({"name":"n)" + n + R"(","op":"call_function","target":"aten::f","specs":["t)" + n +
             R"("]},)";
  }
  return R"({"tensors":[)" + tensors + R"(],"nodes":[)" + nodes +
         R"({"name":"output","op":"output"}]})";
}

TEST(RaceJob, TellsAPlanThatIsNoSizeFromOneThatDoesNotFit) {
  Options options;
  options.algorithm = "naive";
  const Planned naive(LargestBuffers(2, false), options);
  EXPECT_EQ(naive.error.code, ErrorCode::kTooLarge) << naive.error.message;
  EXPECT_EQ(naive.error.details, nullptr);
  // One after the other in the same bytes.
  EXPECT_TRUE(Planned(LargestBuffers(2, false)).ok);
  options.capacity = {1000};
  EXPECT_EQ(Planned(LargestBuffers(2, false), options).error.code, ErrorCode::kDoesNotFit);
}

TEST(RaceJob, AddsPoolsUpWithoutGoingRound) {
  for (const int pools : {1, 2, 1023, 1024, 1025, 2049}) {
    const Planned buffers(LargestBuffers(pools, true)), tensors(LargestTensors(pools));
    EXPECT_EQ(buffers.ok, pools == 1) << pools;
    EXPECT_EQ(tensors.ok, pools == 1) << pools;
    if (pools == 1) continue;
    EXPECT_EQ(buffers.error.code, ErrorCode::kTooLarge) << buffers.error.message;
    EXPECT_EQ(tensors.error.code, ErrorCode::kTooLarge) << tensors.error.message;
  }
}

}  // namespace
}  // namespace memplan
