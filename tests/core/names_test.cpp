#include "names.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "plan_job.h"
#include "plan_writer.h"

namespace memplan {
namespace {

TEST(Names, AreTheSameOnceCopied) {
  auto text = std::make_unique<std::string>("one three a");
  Names names;
  const std::string_view whole = *text;
  EXPECT_EQ(names.Intern(whole.substr(0, 3)), 0u);
  EXPECT_EQ(names.Intern(whole.substr(4, 5)), 1u);
  EXPECT_EQ(names.Intern(""), 2u);
  EXPECT_EQ(names.Intern("elsewhere"), 3u);
  EXPECT_EQ(names.Intern(whole.substr(10)), 4u);
  const std::vector<char> copies = names.CopyTexts();
  text->assign(text->size(), '?');
  text.reset();
  EXPECT_EQ(names[0], "one");
  EXPECT_EQ(names[1], "three");
  EXPECT_EQ(names[2], "");
  EXPECT_EQ(names[3], "elsewhere");
  EXPECT_EQ(names[4], "a");
  EXPECT_EQ(copies.size(), std::string_view("onethreeelsewherea").size());
}

// Sixteen bytes each; whatever the first eight are, the others bring the hash of names.cpp to one
// value.
std::vector<std::string> CollidingTexts(size_t count) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  std::vector<std::string> texts;
  for (uint64_t first = 0; first < count; ++first) {
    uint64_t hash = ((16 * kFactor) ^ first) * kFactor;
    hash ^= hash >> 32;
    const uint64_t second = hash ^ 1;
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    texts.push_back(std::move(text));
  }
  return texts;
}

// All against all they would take minutes.
TEST(Names, ThatWereMadeToCollideAreFoundAllTheSame) {
  const std::vector<std::string> texts = CollidingTexts(300'000);
  Names names;
  names.Intern("first");
  for (size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(names.Intern(texts[i]), i + 1);
  for (size_t i = 0; i < texts.size(); i += 7) {
    ASSERT_EQ(names.Intern(texts[i]), i + 1);
    ASSERT_EQ(names.Find(texts[i]), i + 1);
    ASSERT_EQ(names[static_cast<NameId>(i + 1)], texts[i]);
  }
  EXPECT_EQ(names.Find("first"), 0u);
  EXPECT_EQ(names.Find("second"), kNoName);
  EXPECT_EQ(names.size(), texts.size() + 1);
}

// Of large inputs nothing but the names is kept: they give what small ones give.
std::string PlanOf(const std::string& text, size_t* kept) {
  std::vector<char> bytes(text.begin(), text.end());
  const Result<JsonInput> input = ReadInput(&bytes);
  if (!input) return input.error().message;
  *kept = bytes.size();
  auto job = PlanJob::Start({text.begin(), text.end()}, {});
  if (!job) return job.error().message;
  const Result<Plan> plan = (*job)->Finish();
  if (!plan) return plan.error().message;
  return WritePlanJson(*plan, (*job)->program(), (*job)->intervals());
}

TEST(Names, OfALargeInputGiveThePlanOfTheSameSmallOne) {
  const std::string begin =
      R"({"tensors":[{"id":"x \u00e9","nbytes":64},{"id":"y","nbytes":32}],"nodes":[)"
      R"({"name":"x","op":"placeholder","specs":["x \u00e9"]},)";
  const std::string end =
      R"({"name":"y","op":"output","args":["x"],"specs":["y"]}],"name":"made"})";
  const std::string csv = "id,lower,upper,size\na,0,3,4\nb,1,2,9\n";
  size_t small = 0, large = 0;
  const std::string plan = PlanOf(begin + end, &small);
  EXPECT_NE(plan.find("x \u00e9"), std::string::npos) << plan;
  EXPECT_EQ(PlanOf(begin + std::string(size_t{1} << 26, ' ') + end, &large), plan);
  EXPECT_LT(large, small);
  EXPECT_EQ(PlanOf(csv + std::string(size_t{1} << 26, '\n'), &large), PlanOf(csv, &small));
  EXPECT_LT(large, small);
}

}  // namespace
}  // namespace memplan
