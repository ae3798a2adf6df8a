#include "graph_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "graph_hash.h"
#include "json_walker.h"
#include "plan_job.h"

namespace memplan {
namespace {

// Three tensors and three nodes as bindings/graph_rows.ts writes them, and their JSON.
const std::vector<double> kNumbers = {3,
                                      8,
                                      64,
                                      16 + 8,
                                      32,
                                      2,
                                      8 + 1,
                                      0,  // tensors
                                      3,
                                      64,
                                      0,
                                      1,  // x
                                      2 + 16 + 64 + 512,
                                      1,
                                      2,
                                      1,
                                      0,  // relu, with a null
                                      5,
                                      1,
                                      1};  // output
const std::string kLines = "x\nr\nw\nx\nx\nx\nrelu\naten::relu.out\nx\nr\noutput\nrelu\nr";
constexpr size_t kLineCount = 13;
const std::string kRest = R"({"tensors":[],"nodes":[],"encounter_to_out_var_failure":true})";
const std::string kJson = R"({"tensors":[{"id":"x","nbytes":64},{"id":"r","nbytes":32,"mem_id":2},
    {"id":"w","nbytes":0,"const":true}],
  "nodes":[{"name":"x","op":"placeholder","target":"x","specs":["x"]},
    {"name":"relu","op":"call_function","target":"aten::relu.out","args":["x"],"specs":["r",null],
     "variant":"inplace"},
    {"name":"output","op":"output","args":["relu"],"specs":["r"]}],
  "encounter_to_out_var_failure":true})";

Result<JsonInput> Read(const std::vector<double>& numbers, const std::string& lines,
                       size_t line_count, std::vector<char>* bytes) {
  const RowLayout layout{numbers.size(), kRest.size(), line_count};
  const char* const begin = reinterpret_cast<const char*>(numbers.data());
  bytes->assign(begin, begin + numbers.size() * sizeof(double));
  bytes->insert(bytes->end(), kRest.begin(), kRest.end());
  bytes->insert(bytes->end(), kJsonPadding, 'x');
  bytes->insert(bytes->end(), lines.begin(), lines.end());
  bytes->insert(bytes->end(), kJsonPadding, '\n');
  return ReadInput(bytes, false, &layout);
}

TEST(GraphRows, AreTheGraphOfTheirJson) {
  std::vector<char> bytes;
  const Result<JsonInput> rows = Read(kNumbers, kLines, kLineCount, &bytes);
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  std::vector<char> json(kJson.begin(), kJson.end());
  const Result<JsonInput> expected = ReadInput(&json);
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  EXPECT_EQ(GraphHash(*rows->program), GraphHash(*expected->program));
}

// The same with those names left out that a row's place tells.
TEST(GraphRows, MayTellNamesByPlace) {
  constexpr double kArgBefore = 1024, kSpecsInOrder = 2048;
  std::vector<double> numbers = kNumbers;
  numbers[9] += kSpecsInOrder;
  numbers[12] += kArgBefore;
  numbers[17] += kArgBefore;
  const std::string lines = "x\nr\nw\nx\nx\nrelu\naten::relu.out\nr\noutput\nr";
  std::vector<char> bytes, json(kJson.begin(), kJson.end());
  const Result<JsonInput> rows = Read(numbers, lines, 10, &bytes);
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  EXPECT_EQ(GraphHash(*rows->program), GraphHash(*ReadInput(&json)->program));
  // There is no node before the first, and no tensor behind the last.
  numbers[9] += kArgBefore;
  numbers[10] = 1;
  EXPECT_FALSE(Read(numbers, lines, 10, &bytes));
  numbers = kNumbers;
  numbers[9] += kSpecsInOrder;
  numbers[11] = 4;
  EXPECT_FALSE(Read(numbers, lines, 10, &bytes));
}

TEST(GraphRows, SayWhereTheyDoNotHoldTogether) {
  std::vector<char> bytes;
  const auto is_refused = [&](const std::vector<double>& numbers, const std::string& lines,
                              size_t count) { return !Read(numbers, lines, count, &bytes); };
  EXPECT_TRUE(is_refused(kNumbers, kLines + "\nz", kLineCount));
  EXPECT_TRUE(is_refused(kNumbers, kLines + "\n", kLineCount));
  EXPECT_TRUE(is_refused(kNumbers, kLines + "\nz", kLineCount + 1));
  EXPECT_TRUE(is_refused(kNumbers, kLines, kLineCount - 1));
  for (size_t size = 0; size < kNumbers.size(); ++size) {
    EXPECT_TRUE(is_refused({kNumbers.begin(), kNumbers.begin() + static_cast<std::ptrdiff_t>(size)},
                           kLines, kLineCount));
  }
  std::vector<double> numbers = kNumbers;
  numbers.push_back(0);
  EXPECT_TRUE(is_refused(numbers, kLines, kLineCount));
}

// Whatever the numbers are: read or refused, never past the end.
TEST(GraphRows, SurviveAnyNumbers) {
  std::mt19937 random(3);
  const double odd[] = {-1, 0.5, 1e300, 9e15, 4294967296.0, 7, 4095, 1000000};
  std::vector<char> bytes;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<double> numbers = kNumbers;
    for (uint32_t changes = random() % 3 + 1; changes > 0; --changes) {
      numbers[random() % numbers.size()] =
          random() % 2 == 0 ? odd[random() % std::size(odd)] : static_cast<double>(random() % 4096);
    }
    refused += Read(numbers, kLines, kLineCount, &bytes) ? 0 : 1;
  }
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace memplan
