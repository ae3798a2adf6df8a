#include "ownership.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "planned.h"

namespace memplan {
namespace {

std::string ReadNetwork(const std::string& name) {
  std::ifstream file(std::string(MEMPLAN_TEST_DATA) + "/corpus/graphs/" + name + ".json",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes TotalOf(const Planned& planned) {
  const std::vector<Bytes>& sizes = planned.plan.buffer_sizes;
  return std::accumulate(sizes.begin(), sizes.end(), Bytes{0});
}

// Whatever the plan itself owns, each total is that of a plan made so.
TEST(OwnershipTest, IsWhatAPlanMadeSoTakes) {
  for (const char* name : {"mobilenet_v2_1.0_224_quant", "silero_vad_v5_16k", "densenet121",
                           "onnx_if", "blazeface_short_range", "keras_lstm_mnist"}) {
    const std::string text = ReadNetwork(name);
    ASSERT_FALSE(text.empty()) << name;
    Bytes totals[2][2];
    OwnershipReport reports[2][2];
    for (const bool inputs : {false, true}) {
      for (const bool outputs : {false, true}) {
        Options options;
        options.alloc_graph_input = inputs;
        options.alloc_graph_output = outputs;
        const Planned planned(text, options);
        ASSERT_TRUE(planned.ok) << name << ": " << planned.error.message;
        ASSERT_TRUE(planned.plan.optimal) << name;
        totals[inputs][outputs] = TotalOf(planned);
        reports[inputs][outputs] = planned.plan.ownership;
      }
    }
    for (const auto& row : reports) {
      for (const OwnershipReport& report : row) {
        EXPECT_TRUE(report.exists) << name;
        EXPECT_EQ(report.both, totals[1][1]) << name;
        EXPECT_EQ(report.inputs, totals[1][0]) << name;
        EXPECT_EQ(report.outputs, totals[0][1]) << name;
        EXPECT_EQ(report.neither, totals[0][0]) << name;
      }
    }
  }
}

}  // namespace
}  // namespace memplan
