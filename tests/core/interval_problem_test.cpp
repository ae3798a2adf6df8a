#include "interval_problem.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "graph_reader.h"
#include "interval_csv.h"
#include "json_walker.h"
#include "planner.h"

namespace memplan {
namespace {

// The text must outlive the file, whose names are views.
struct Loaded {
  std::vector<char> text;
  IntervalFile file;
};

Loaded LoadCsv(std::string_view csv) {
  Loaded loaded{{csv.begin(), csv.end()}, {}};
  Result<IntervalFile> file = ReadIntervalCsv(loaded.text);
  EXPECT_TRUE(file.has_value()) << file.error().message;
  if (file) loaded.file = std::move(*file);
  return loaded;
}

Loaded LoadJson(std::vector<char> text) {
  Loaded loaded{std::move(text), {}};
  loaded.text.insert(loaded.text.end(), kJsonPadding, '\0');
  const Result<JsonInput> input =
      ReadJsonInput({loaded.text.data(), loaded.text.size() - kJsonPadding});
  EXPECT_TRUE(input.has_value() && input->intervals);
  if (input && input->intervals) loaded.file = std::move(*input->intervals);
  return loaded;
}

Loaded LoadCase(const std::string& name) {
  std::ifstream in(std::string(MEMPLAN_TEST_DATA) + "/cases/" + name + ".json", std::ios::binary);
  return LoadJson({std::istreambuf_iterator<char>(in), {}});
}

TEST(IntervalProblem, SortsRowsIntoTheTieOrderWhateverTheirOrder) {
  const Loaded loaded = LoadCsv(
      "id,lower,upper,size\n"
      "late,500,700,8\nz,100,300,8\na,100,300,8\nlong,100,400,8\nbig,600,700,9\n");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_TRUE(pools.has_value());
  ASSERT_EQ(pools->size(), 1u);
  EXPECT_EQ((*pools)[0].row, (std::vector<int32_t>{4, 2, 1, 3, 0}));
  EXPECT_EQ((*pools)[0].problem.size, (std::vector<Bytes>{9, 8, 8, 8, 8}));
  EXPECT_EQ((*pools)[0].TimeOf((*pools)[0].problem.lower[4]), 500);
}

TEST(IntervalProblem, RanksTimesThatAreFarApart) {
  const Loaded loaded =
      LoadCsv("id,lower,upper,size\na,0,9007199254740991,8\nb,4000000000000,5000000000000,8\n");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_TRUE(pools.has_value());
  const IntervalProblem& pool = (*pools)[0];
  EXPECT_TRUE(Conflicts(pool.problem, 0, 1));
  EXPECT_EQ(pool.TimeOf(pool.problem.lower[1]), 4'000'000'000'000);
  EXPECT_EQ(pool.TimeOf(pool.problem.upper[0]), 9'007'199'254'740'991);
}

TEST(IntervalProblem, TrimsGapsToTheInside) {
  const Loaded loaded =
      LoadCsv("id,lower,upper,size,gaps\na,0,10,8,0-2 4-5 5-6 8-10\nb,0,4,8,0-4\nc,3,5,1,\n");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_TRUE(pools.has_value());
  const Problem& problem = (*pools)[0].problem;
  EXPECT_EQ((*pools)[0].row, (std::vector<int32_t>{1, 0, 2}));
  EXPECT_FALSE(problem.is_live(0));
  EXPECT_EQ(problem.lower[1], 2);
  EXPECT_EQ(problem.upper[1], 8);
  ASSERT_EQ(problem.gaps_of(1).size(), 1u);
  EXPECT_EQ(problem.gaps_of(1)[0].from, 4);
  EXPECT_EQ(problem.gaps_of(1)[0].to, 6);
}

TEST(IntervalProblem, OnePoolPerMemIdWithItsCapacity) {
  const Loaded loaded = LoadCsv("id,lower,upper,size,mem_id\na,0,1,8,3\nb,0,1,8,\nc,0,1,4,3\n");
  const std::vector<Bytes> per_pool = {0, 10, 20};
  const auto pools = MakeIntervalProblems(loaded.file, per_pool, true);
  ASSERT_TRUE(pools.has_value());
  ASSERT_EQ(pools->size(), 2u);
  EXPECT_EQ((*pools)[0].mem_id, 1);
  EXPECT_EQ((*pools)[0].problem.capacity, 10);
  EXPECT_EQ((*pools)[1].mem_id, 3);
  EXPECT_EQ((*pools)[1].problem.capacity, kNoBytes);
  EXPECT_EQ((*pools)[1].row, (std::vector<int32_t>{0, 2}));
}

TEST(IntervalProblem, PinsThatCollideAreNamedWithStepsAndBytes) {
  const Loaded loaded = LoadCase("11-pins-collide");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_FALSE(pools.has_value());
  EXPECT_EQ(pools.error().code, ErrorCode::kPinsCollide);
  const std::string& message = pools.error().message;
  EXPECT_NE(message.find("\"p\" and \"q\""), std::string::npos) << message;
  EXPECT_NE(message.find("bytes 128 to 255"), std::string::npos) << message;
  EXPECT_NE(message.find("steps 2 to 3"), std::string::npos) << message;
  EXPECT_EQ(message.find("\"r\""), std::string::npos) << message;
  EXPECT_EQ(pools.error().path, "buffers[1].offset");
}

TEST(IntervalProblem, PinsThatShareBytesOrTimeAloneDoNotCollide) {
  const Loaded loaded = LoadCsv(
      "id,lower,upper,size,offset,gaps\na,0,4,8,0,1-3\nb,1,3,8,0,\nc,4,5,8,4,\nd,0,4,8,8,\n");
  EXPECT_TRUE(MakeIntervalProblems(loaded.file, {}, false).has_value());
}

TEST(IntervalProblem, AMisalignedPinIsAnError) {
  const Loaded loaded = LoadCsv("id,lower,upper,size,offset,alignment\na,0,4,8,8,16\n");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_FALSE(pools.has_value());
  EXPECT_EQ(pools.error().code, ErrorCode::kInvalidInput);
}

TEST(IntervalProblem, ASumPastTheLargestWholeNumberIsNamed) {
  const Loaded loaded = LoadCase("14-past-2-to-the-53");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_FALSE(pools.has_value());
  EXPECT_EQ(pools.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(pools.error().path, "buffers[1]");
  EXPECT_NE(pools.error().message.find("12009599006321322"), std::string::npos);
  EXPECT_NE(pools.error().message.find("9007199254740991"), std::string::npos);
}

TEST(IntervalProblem, SumsThatWouldWrapAreNamedToo) {
  std::string csv = "id,lower,upper,size\n";
  for (int i = 0; i < 5000; ++i) csv += std::to_string(i) + ",0,1,9007199254740991\n";
  const Loaded loaded = LoadCsv(csv);
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_FALSE(pools.has_value());
  EXPECT_EQ(pools.error().code, ErrorCode::kTooLarge);
}

TEST(IntervalProblem, WhatDoesNotFitIsExplained) {
  const Loaded loaded = LoadCase("08-needs-more-than-it-has");
  const auto pools = MakeIntervalProblems(loaded.file, {}, false);
  ASSERT_TRUE(pools.has_value());
  const IntervalProblem& pool = (*pools)[0];
  for (const PlannerInfo& info : AllPlanners()) {
    const std::unique_ptr<Planner> planner = info.make(pool.problem, {});
    while (!planner->done()) planner->Step(1000);
    EXPECT_EQ(planner->best(), nullptr) << info.name;
    EXPECT_TRUE(planner->infeasible()) << info.name;
  }
  const Error error =
      IntervalCapacityError(loaded.file, pool, {.proven = true, .lower_bound = 212064});
  EXPECT_EQ(error.code, ErrorCode::kDoesNotFit);
  ASSERT_TRUE(error.details);
  EXPECT_EQ(error.details->node, 2);
  EXPECT_EQ(error.details->required, 212064);
  EXPECT_EQ(error.details->available, 191120);
  EXPECT_EQ(error.details->excess, 20944);
  ASSERT_EQ(error.details->culprits.size(), 3u);
  EXPECT_EQ(error.details->culprits[0].id, "c1");
  EXPECT_EQ(error.details->culprits[1].id, "c2");
  EXPECT_EQ(error.details->culprits[2].id, "c1_keep");
  EXPECT_EQ(error.details->live.size(), 3u);
  for (const char* part : {"step 2", "212064", "191120", "20944", "\"c1\""}) {
    EXPECT_NE(error.message.find(part), std::string::npos) << part << " in " << error.message;
  }
}

TEST(IntervalProblem, NotFoundAndProvenDiffer) {
  // Case 07 needs 80 bytes where 64 are live.
  const Loaded loaded = LoadCase("07-bound-cannot-be-reached");
  const std::vector<Bytes> capacity = {70};
  const auto pools = MakeIntervalProblems(loaded.file, capacity, false);
  ASSERT_TRUE(pools.has_value());
  const Error open = IntervalCapacityError(loaded.file, (*pools)[0],
                                           {.proven = false, .lower_bound = 64, .smallest = 96});
  EXPECT_EQ(open.code, ErrorCode::kNotFoundInTime);
  EXPECT_EQ(open.details->required, 96);
  const Error proven = IntervalCapacityError(loaded.file, (*pools)[0],
                                             {.proven = true, .lower_bound = 80, .smallest = 96});
  EXPECT_EQ(proven.code, ErrorCode::kDoesNotFit);
  EXPECT_EQ(proven.details->required, 80);
  EXPECT_EQ(proven.details->excess, 10);
}

}  // namespace
}  // namespace memplan
