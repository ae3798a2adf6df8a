// What each row of a plan must say, beside overlaps.
#include "verifier/row_checks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "verified.h"

namespace memplan {
namespace {

// XNNPACK may read 64 bytes past what a delegate is handed or hands back.
TEST(RowChecks, WantPaddingBehindWhatADelegateReads) {
  const auto graph = [](const std::string& backend) {
    return R"({"tensors":[{"id":"x","nbytes":64},{"id":"y","nbytes":64}],"nodes":[
      {"name":"x","op":"placeholder","target":"x","specs":["x"]},
      {"name":"d","op":"call_function","target":"executorch_call_delegate","args":["x"],
       "specs":["y"],"backend_id":")" +
           backend + R"("},
      {"name":"output","op":"output","args":["d"],"specs":["y"]}]})";
  };
  const std::vector<std::string> rows = {Row("x", 1, 0), Row("y", 1, 64)};
  for (const char* backend : {"XnnpackBackend", "my_xnnPACK"}) {
    EXPECT_EQ(CodesOf(Verify(graph(backend), PlanText(rows, "[0,128]"))),
              Codes{"PADDING_MISSING y"});
    EXPECT_EQ(CodesOf(Verify(graph(backend), PlanText(rows, "[0,191]"))),
              Codes{"PADDING_MISSING y"});
    EXPECT_TRUE(Verify(graph(backend), PlanText(rows, "[0,192]")).ok);
  }
  EXPECT_TRUE(Verify(graph("CoreMLBackend"), PlanText(rows, "[0,128]")).ok);
}

// A branch takes its operand where the caller has it, or in bytes of its own pool's.
TEST(RowChecks, WantOperandsWhereTheCallerHasThem) {
  const std::string graph = R"({"tensors":[{"id":"p","nbytes":16},{"id":"x","nbytes":64},
      {"id":"r","nbytes":64}],"nodes":[
      {"name":"p","op":"placeholder","target":"p","specs":["p"]},
      {"name":"x","op":"placeholder","target":"x","specs":["x"]},
      {"name":"if","op":"call_function","target":"cond","args":["p","x"],"specs":["r"],
       "submodules":["yes","no"]},
      {"name":"o","op":"output","args":["if"],"specs":["r"]}],"submodules":{)";
  const std::string branch = R"({"tensors":[{"id":"i","nbytes":64},{"id":"q","nbytes":64}],"nodes":[
      {"name":"i","op":"placeholder","target":"i","specs":["i"]},
      {"name":"f","op":"call_function","target":"aten::f","args":["i"],"specs":["q"]},
      {"name":"o","op":"output","args":["f"],"specs":["q"]}]})";
  const std::string input = graph + R"("yes":)" + branch + R"(,"no":)" + branch + "}}";
  const auto plan = [](int64_t yes, int64_t no) {
    const auto inner = [](int64_t at) { return PlanText({Row("i", 1, at), Row("q", 1, 80)}); };
    return PlanText({Row("p", 1, 0), Row("x", 1, 16), Row("r", 1, 80)}, "[0,256]",
                    R"(,"submodules":{"yes":)" + inner(yes) + R"(,"no":)" + inner(no) + "}");
  };
  EXPECT_TRUE(Verify(input, plan(16, 16)).ok);
  const Codes codes = CodesOf(Verify(input, plan(16, 160)));
  EXPECT_EQ(codes, Codes{"NOT_WHERE_OPERAND_IS i"});
}

TEST(RowChecks, TellAGraphThatPutsATensorInTwoPlaces) {
  const auto graph = [](int offset) {
    return R"({"tensors":[{"id":"x","nbytes":64},{"id":"v","nbytes":16,"inplace_base":"x",
        "storage_base":"x","storage_base_offset":)" +
           std::to_string(offset) + R"(}],"nodes":[
        {"name":"x","op":"placeholder","target":"x","specs":["x"]},
        {"name":"v","op":"call_function","target":"aten::f_","args":["x"],"specs":["v"],
         "variant":"inplace"},
        {"name":"o","op":"output","args":["v"],"specs":["v"]}]})";
  };
  const std::string plan = PlanText({Row("x", 1, 0), Row("v", 1, 0)}, "[0,64]");
  EXPECT_TRUE(Verify(graph(0), plan).ok);
  EXPECT_EQ(CodesOf(Verify(graph(16), plan)), Codes{"BASE_CONTRADICTION v"});
}

}  // namespace
}  // namespace memplan
