#include "interval_csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memplan {
namespace {

Result<IntervalFile> Read(std::string* text) {
  return ReadIntervalCsv({text->data(), text->size()});
}

TEST(IntervalCsv, ReadsColumnsInAnyOrder) {
  std::string text =
      "size,gaps,upper,hint,id,alignment,lower,offset\r\n"
      "4096,,9,7,b0,16,0,\r\n"
      "\n"
      "1, 3-5 7-8 ,12,-1,\"b,\"\"1\",,2,64";
  const Result<IntervalFile> file = Read(&text);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->count(), 2);
  EXPECT_EQ(file->names[file->id[0]], "b0");
  EXPECT_EQ(file->names[file->id[1]], "b,\"1");
  EXPECT_EQ(file->lower, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(file->upper, (std::vector<int64_t>{9, 12}));
  EXPECT_EQ(file->size, (std::vector<Bytes>{4096, 1}));
  EXPECT_EQ(file->alignment, (std::vector<Bytes>{16, 1}));
  EXPECT_EQ(file->offset, (std::vector<Bytes>{kNoBytes, 64}));
  EXPECT_EQ(file->first_gap, (std::vector<uint32_t>{0, 0, 2}));
  ASSERT_EQ(file->gaps.size(), 2u);
  EXPECT_EQ(file->gaps[0].from, 3);
  EXPECT_EQ(file->gaps[0].to, 5);
  EXPECT_EQ(file->gaps[1].from, 7);
  EXPECT_TRUE(file->is_csv);
}

TEST(IntervalCsv, EndIsInclusiveAndSoAreItsGaps) {
  std::string text =
      "\xef\xbb\xbf"
      "buffer_id,start,end,size,gaps\nx,0,8,4,3-4\n";
  const Result<IntervalFile> file = Read(&text);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->upper[0], 9);
  EXPECT_EQ(file->gaps[0].from, 3);
  EXPECT_EQ(file->gaps[0].to, 5);
}

TEST(IntervalCsv, ReadsNoRows) {
  std::string text = "id,lower,upper,size";
  const Result<IntervalFile> file = Read(&text);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->count(), 0);
}

struct BadCase {
  const char* text;
  ErrorCode code;
  const char* path;
  const char* says;
};

class IntervalCsvErrors : public testing::TestWithParam<BadCase> {};

TEST_P(IntervalCsvErrors, SayWhereAndWhat) {
  std::string text = GetParam().text;
  const Result<IntervalFile> file = Read(&text);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(ErrorCodeName(file.error().code), ErrorCodeName(GetParam().code));
  EXPECT_EQ(file.error().path, GetParam().path);
  EXPECT_NE(file.error().message.find(GetParam().says), std::string::npos) << file.error().message;
}

#define HEAD "id,lower,upper,size\n"
#define FULL "id,lower,upper,size,alignment,offset,gaps,mem_id\n"
INSTANTIATE_TEST_SUITE_P(
    All, IntervalCsvErrors,
    testing::Values(
        BadCase{"", ErrorCode::kInvalidJson, "line 1, column 1", "empty"},
        BadCase{"\n \n", ErrorCode::kInvalidJson, "line 1, column 1", "empty"},
        BadCase{"hello world", ErrorCode::kInvalidJson, "line 1, column 1", "CSV"},
        BadCase{"id,lower,upper\n", ErrorCode::kInvalidInput, "line 1, column 1", "\"size\""},
        BadCase{"id,lower,upper,size,start\n", ErrorCode::kInvalidInput, "line 1, column 21",
                "\"start\""},
        BadCase{HEAD "a,0,1,4\nb,0,1\n", ErrorCode::kInvalidInput, "line 3, column 5", "3 fields"},
        BadCase{HEAD "a,0,1,4,\n", ErrorCode::kInvalidInput, "line 2, column 9", "5 fields"},
        BadCase{HEAD "a,0,1,4\n\na,0,1,4\n", ErrorCode::kInvalidInput, "line 4, column 1",
                "there twice"},
        BadCase{HEAD ",0,1,4\n", ErrorCode::kInvalidInput, "line 2, column 1", "empty"},
        BadCase{HEAD "a,x,1,4\n", ErrorCode::kInvalidInput, "line 2, column 3", "lower"},
        BadCase{HEAD "a,0, -1,4\n", ErrorCode::kInvalidInput, "line 2, column 6", "\"-1\""},
        BadCase{HEAD "a,0,1.5,4\n", ErrorCode::kInvalidInput, "line 2, column 5", "upper"},
        BadCase{HEAD "a,0,1,\n", ErrorCode::kInvalidInput, "line 2, column 7", "size"},
        BadCase{HEAD "a,0,1,9007199254740992\n", ErrorCode::kTooLarge, "line 2, column 7", "2^53"},
        BadCase{HEAD "a,0,1,99999999999999999999\n", ErrorCode::kTooLarge, "line 2, column 7",
                "2^53"},
        BadCase{HEAD "a,2,1,4\n", ErrorCode::kInvalidInput, "line 2, column 5", "below"},
        BadCase{HEAD "\"a,0,1,4\n", ErrorCode::kInvalidInput, "line 2, column 1", "quote"},
        BadCase{HEAD "\"a\"b,0,1,4\n", ErrorCode::kInvalidInput, "line 2, column 4", "quote"},
        BadCase{HEAD "\xff,0,1,4\n", ErrorCode::kInvalidJson, "line 2, column 1", "UTF-8"},
        BadCase{FULL "a,0,9,4,3,,,\n", ErrorCode::kInvalidInput, "line 2, column 9", "power"},
        BadCase{FULL "a,0,9,4,0,,,\n", ErrorCode::kInvalidInput, "line 2, column 9", "power"},
        BadCase{FULL "a,0,9,4,,-1,,\n", ErrorCode::kInvalidInput, "line 2, column 10", "offset"},
        BadCase{FULL "a,0,9,4,,,,0\n", ErrorCode::kInvalidInput, "line 2, column 12", "mem_id"},
        BadCase{FULL "a,0,9,4,,,3-5@0:64,\n", ErrorCode::kUnsupported, "line 2, column 11",
                "window"},
        BadCase{FULL "a,0,9,4,,,1-2 3,\n", ErrorCode::kInvalidInput, "line 2, column 15", "3-5"},
        BadCase{FULL "a,0,9,4,,,5-x,\n", ErrorCode::kInvalidInput, "line 2, column 13", "end"},
        BadCase{FULL "a,0,9,4,,,5-4,\n", ErrorCode::kInvalidInput, "line 2, column 11", "ends"},
        BadCase{FULL "a,0,9,4,,,1-4 3-5,\n", ErrorCode::kInvalidInput, "line 2, column 11",
                "overlap"},
        BadCase{FULL "a,0,9,4,,,8-10,\n", ErrorCode::kInvalidInput, "line 2, column 11",
                "within"}));
#undef HEAD
#undef FULL

}  // namespace
}  // namespace memplan
