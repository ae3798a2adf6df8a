// The checks under `sound`, one by one.
#include "verifier.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "verified.h"

namespace memplan {
namespace {

// x → a → b → c, each of 64 bytes; then what the case adds.
std::string Chain(const std::string& more_tensors = "", const std::string& more_keys = "") {
  return R"({"version":1,"tensors":[{"id":"x","nbytes":64},{"id":"a","nbytes":64},)"
         R"({"id":"b","nbytes":64},{"id":"c","nbytes":64})" +
         more_tensors +
         R"(],"nodes":[{"name":"x","op":"placeholder","target":"x","specs":["x"]},
            {"name":"f","op":"call_function","target":"aten::f","args":["x"],"specs":["a"]},
            {"name":"g","op":"call_function","target":"aten::g","args":["f"],"specs":["b"]},
            {"name":"h","op":"call_function","target":"aten::h","args":["g"],"specs":["c"]},
            {"name":"output","op":"output","args":["h"],"specs":["c"]}])" +
         more_keys + "}";
}

const std::vector<std::string> kRight = {Row("x", 1, 0), Row("a", 1, 64), Row("b", 1, 0),
                                         Row("c", 1, 64)};

std::vector<std::string> With(size_t at, const std::string& row) {
  std::vector<std::string> rows = kRight;
  rows[at] = row;
  return rows;
}

TEST(Verifier, PassesARightPlan) {
  const Report report = Verify(Chain(), PlanText(kRight));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.reuse_pairs, 2);
  EXPECT_EQ(report.fault_count, 0);
}

TEST(Verifier, FindsTwoLiveTensorsInTheSameBytes) {
  const Report report = Verify(Chain(), PlanText(With(2, Row("b", 1, 32)), "[0,128]"));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.reuse_pairs, -1);
  // With a at its own node, with c at c's.
  ASSERT_EQ(CodesOf(report), (Codes{"STORAGE_OVERLAP b", "STORAGE_OVERLAP c"}));
  const Fault& fault = report.errors[0];
  EXPECT_EQ(fault.check, "storage_reuse");
  EXPECT_EQ(fault.tensors, (Codes{"b", "a"}));
  EXPECT_EQ(fault.nodes, Codes{"g"});
  EXPECT_EQ(fault.from, 64);
  EXPECT_EQ(fault.to, 96);
  Options allowed;
  allowed.allow_lifetime_and_storage_overlap = true;
  EXPECT_TRUE(Verify(Chain(), PlanText(With(2, Row("b", 1, 32))), allowed).ok);
}

TEST(Verifier, CountsFaultsBeyondThoseItDescribes) {
  std::string tensors, rows;
  for (int i = 0; i < 60; ++i) {
    const std::string id = "t" + std::to_string(i);
    tensors += (i > 0 ? "," : "") + (R"({"id":")" + id + R"(","nbytes":16})");
    rows += (i > 0 ? "," : "") + Row(id, 1, 0);
  }
  std::string specs;
  for (int i = 0; i < 60; ++i) specs += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + "\"";
  const std::string graph =
      R"({"tensors":[)" + tensors +
      R"(],"nodes":[{"name":"n","op":"call_function","target":"aten::f","specs":[)" + specs +
      R"(]},{"name":"o","op":"output","args":["n"]}]})";
  const Report report = Verify(graph, R"({"buffer_sizes":[0,16],"tensors":[)" + rows + "]}");
  EXPECT_EQ(report.errors.size(), kMaxFaults);
  EXPECT_EQ(report.fault_count, 60 * 59 / 2);
}

struct RowCase {
  const char* name;
  std::vector<std::string> rows;
  std::string sizes;
  Codes codes;
};

TEST(Verifier, FindsWhatIsWrongWithATensorByItself) {
  const std::vector<RowCase> cases = {
      {"missing", {kRight[0], kRight[1], kRight[3]}, "[0,128]", {"TENSOR_MISSING b"}},
      {"no pool", With(2, R"({"id":"b","mem_offset":0})"), "[0,128]", {"PLACE_INCOMPLETE b"}},
      {"no offset", With(2, R"({"id":"b","mem_id":1})"), "[0,128]", {"PLACE_INCOMPLETE b"}},
      {"pool 0", With(2, Row("b", 0, 0)), "[0,128]", {"NO_SUCH_POOL b"}},
      {"pool 2", With(2, Row("b", 2, 0)), "[0,128]", {"NO_SUCH_POOL b"}},
      {"unaligned", With(2, Row("b", 1, 136)), "[0,256]", {"MISALIGNED b"}},
      {"past the end", With(2, Row("b", 1, 128)), "[0,128]", {"PAST_END b"}},
      {"short buffer", kRight, "[0,112]", {"PAST_END a", "PAST_END c"}},
      {"too small",
       With(2, Row("b", 1, 0, R"(,"allocated_memory":48)")),
       "[0,128]",
       {"TOO_SMALL b"}},
      {"no input", {kRight[1], kRight[2], kRight[3]}, "[0,128]", {"INPUT_NOT_PLANNED x"}},
      {"no output", {kRight[0], kRight[1], kRight[2]}, "[0,128]", {"OUTPUT_NOT_PLANNED c"}},
  };
  for (const RowCase& c : cases) {
    EXPECT_EQ(CodesOf(Verify(Chain(), PlanText(c.rows, c.sizes))), c.codes) << c.name;
  }
}

TEST(Verifier, KnowsWhoOwnsInputsAndOutputs) {
  Options options;
  options.alloc_graph_input = false;
  options.alloc_graph_output = false;
  const Report report = Verify(Chain(), PlanText(kRight), options);
  EXPECT_EQ(CodesOf(report), (Codes{"INPUT_PLANNED x", "OUTPUT_PLANNED c"}));
  EXPECT_EQ(report.errors[0].check, "graph_input_output");
  EXPECT_TRUE(Verify(Chain(), PlanText({kRight[1], kRight[2]}), options).ok);
}

TEST(Verifier, KnowsPoolsReservedBytesAndCapacity) {
  const std::string pools =
      R"(,"pools":[{"mem_id":1,"alignment":32,"capacity":96}],"input_mem_buffer_sizes":[0,32])";
  const Report report = Verify(Chain("", pools), PlanText(With(2, Row("b", 1, 16))));
  EXPECT_EQ(CodesOf(report), (Codes{"STORAGE_OVERLAP b", "STORAGE_OVERLAP c", "BELOW_RESERVED x",
                                    "MISALIGNED b", "BELOW_RESERVED b", "OVER_CAPACITY"}));
  Options options;
  options.capacity = {128};
  EXPECT_TRUE(Verify(Chain(), PlanText(kRight), options).ok);
  options.capacity = {127};
  EXPECT_EQ(CodesOf(Verify(Chain(), PlanText(kRight), options)), Codes{"OVER_CAPACITY"});
  const std::string chosen = R"({"tensors":[{"id":"t","nbytes":16,"mem_id":2}],"nodes":[
      {"name":"n","op":"call_function","target":"aten::f","specs":["t"]},
      {"name":"o","op":"output","args":["n"]}]})";
  EXPECT_EQ(CodesOf(Verify(chosen, PlanText({Row("t", 1, 0)}, "[0,16,16]"))),
            Codes{"WRONG_POOL t"});
}

TEST(Verifier, KeepsConstantsAndUnboundTensorsOutOfThePlan) {
  const std::string graph = R"({"tensors":[{"id":"w","nbytes":16,"const":true},
      {"id":"u","nbytes":16,"dynamism":"dynamic_unbound"},{"id":"t","nbytes":16}],"nodes":[
      {"name":"w","op":"placeholder","target":"w","specs":["w"]},
      {"name":"n","op":"call_function","target":"aten::f","args":["w"],"specs":["u"]},
      {"name":"m","op":"call_function","target":"aten::f","args":["n"],"specs":["t"]},
      {"name":"o","op":"output","args":["m"]}]})";
  EXPECT_TRUE(Verify(graph, PlanText({Row("t", 1, 0)})).ok);
  EXPECT_EQ(CodesOf(Verify(graph, PlanText({Row("t", 1, 0), Row("w", 1, 16), Row("u", 1, 32)}))),
            (Codes{"CONSTANT_PLANNED w", "UNBOUND_PLANNED u"}));
  const auto free_after = [&](const std::string& frees) {
    return CodesOf(Verify(graph, PlanText({Row("t", 1, 0)}, "[0,16]", ",\"frees\":" + frees)));
  };
  EXPECT_EQ(free_after(R"([{"after":"m","tensor":"u"}])"), Codes{});
  EXPECT_EQ(free_after(R"([{"after":"n","tensor":"u"}])"), Codes{"FREED_EARLY u"});
  EXPECT_EQ(free_after(R"([{"after":"m","tensor":"u"},{"after":"o","tensor":"u"}])"),
            Codes{"FREED_TWICE u"});
  EXPECT_EQ(free_after(R"([{"after":"o","tensor":"t"}])"), Codes{"FREED_WRONGLY t"});
}

TEST(Verifier, BelievesAPlanThatSaysSoundByItsLifetimes) {
  const auto plan = [](const std::string& rules, const std::string& lifetime) {
    std::vector<std::string> rows;
    for (const char* row :
         {R"("x","mem_offset":0,"lifetime":[0,1])", R"("a","mem_offset":64,"lifetime":)"}) {
      rows.push_back(std::string(R"({"mem_id":1,"id":)") + row);
    }
    rows[0] += "}";
    rows[1] += lifetime + "}";
    rows.push_back(Row("b", 1, 0, R"(,"lifetime":[2,3])"));
    rows.push_back(Row("c", 1, 64, R"(,"lifetime":[3,4])"));
    return PlanText(rows, "[0,128]", ",\"rules\":\"" + rules + "\"");
  };
  EXPECT_TRUE(Verify(Chain(), plan("sound", "[1,2]")).ok);
  EXPECT_EQ(CodesOf(Verify(Chain(), plan("sound", "[1,1]"))), Codes{"LIFETIME_TOO_SHORT a"});
  EXPECT_EQ(CodesOf(Verify(Chain(), plan("sound", "null"))), Codes{"LIFETIME_TOO_SHORT a"});
  EXPECT_TRUE(Verify(Chain(), plan("executorch-2024", "[1,1]")).ok);
}

TEST(Verifier, TellsAPlanOfAnotherGraph) {
  const std::string hash = R"(,"graph_hash":"0123456789abcdef")";
  EXPECT_EQ(CodesOf(Verify(Chain(), PlanText(kRight, "[0,128]", hash))),
            Codes{"GRAPH_HASH_DIFFERS"});
}

TEST(Verifier, WantsAliasesWhereTheirBaseIs) {
  const std::string graph = R"({"tensors":[{"id":"base","nbytes":64},{"id":"view","nbytes":64},
      {"id":"slice","nbytes":16,"storage_base":"base","storage_base_offset":48},
      {"id":"over","nbytes":64},{"id":"t","nbytes":64}],"nodes":[
      {"name":"n","op":"call_function","target":"aten::f","specs":["base"]},
      {"name":"v","op":"call_function","target":"memory.view","args":["n"],"specs":["view"]},
      {"name":"s","op":"call_function","target":"aten::f","specs":["slice"]},
      {"name":"i","op":"call_function","target":"aten::relu_","args":["v"],"specs":["over"],
       "variant":"inplace"},
      {"name":"m","op":"call_function","target":"aten::f","specs":["t"]},
      {"name":"o","op":"output","args":["m","i"]}]})";
  const auto plan = [](int64_t view, int64_t slice, int64_t over, int64_t t) {
    return PlanText({Row("base", 1, 0), Row("view", 1, view), Row("slice", 1, slice),
                     Row("over", 1, over), Row("t", 1, t)},
                    "[0,256]");
  };
  EXPECT_TRUE(Verify(graph, plan(0, 48, 0, 64)).ok);
  EXPECT_EQ(CodesOf(Verify(graph, plan(64, 0, 128, 192))),
            (Codes{"NOT_WHERE_BASE_IS view", "NOT_WHERE_BASE_IS slice", "NOT_WHERE_BASE_IS over"}));
  // The storage lives as long as the last of its tensors.
  EXPECT_EQ(CodesOf(Verify(graph, plan(0, 48, 0, 48))), Codes{"STORAGE_OVERLAP t"});
}

TEST(Verifier, LetsNothingTouchState) {
  const std::string graph = R"({"tensors":[{"id":"s","nbytes":16},{"id":"t","nbytes":16},
      {"id":"u","nbytes":16}],"nodes":[
      {"name":"b","op":"placeholder","target":"b","specs":["s"]},
      {"name":"n","op":"call_function","target":"aten::copy_","args":["b"],"specs":["s"],
       "variant":"inplace"},
      {"name":"m","op":"call_function","target":"aten::f","specs":["t"]},
      {"name":"k","op":"call_function","target":"aten::f","specs":["u"]},
      {"name":"o","op":"output","args":["k"]}]SIGNATURE})";
  const std::string signature =
      R"(,"signature":{"inputs_to_buffers":{"b":"cache"},"buffers_to_mutate":{"n":"cache"}})";
  const auto with = [&](const std::string& text) {
    std::string whole = graph;
    return whole.replace(whole.find("SIGNATURE"), 9, text);
  };
  const std::string plan = PlanText({Row("s", 1, 0), Row("t", 1, 0), Row("u", 1, 16)});
  EXPECT_TRUE(Verify(with(""), plan).ok);
  EXPECT_EQ(CodesOf(Verify(with(signature), plan)), Codes{"STORAGE_OVERLAP t"});
  Options options;
  options.alloc_mutable_buffers = false;
  EXPECT_EQ(CodesOf(Verify(with(signature),
                           PlanText({Row("s", 1, 32), Row("t", 1, 0), Row("u", 1, 16)}), options)),
            Codes{"BUFFER_PLANNED s"});
}

// --- control flow ---

// x is read by the cond and after it; the branches make `made`, of a scratch `temp`.
std::string CondGraph() {
  const std::string branch = R"({"tensors":[{"id":"in","nbytes":64},{"id":"temp","nbytes":64},
      {"id":"made","nbytes":64}],"nodes":[
      {"name":"in","op":"placeholder","target":"in","specs":["in"]},
      {"name":"p","op":"call_function","target":"aten::f","args":["in"],"specs":["temp"]},
      {"name":"q","op":"call_function","target":"aten::f","args":["p"],"specs":["made"]},
      {"name":"o","op":"output","args":["q"]}]})";
  return R"({"tensors":[{"id":"x","nbytes":64},{"id":"r","nbytes":64},{"id":"y","nbytes":64}],
      "nodes":[{"name":"x","op":"placeholder","target":"x","specs":["x"]},
      {"name":"cond","op":"call_function","target":"cond","args":["x","x"],"specs":["r"],
       "submodules":["yes","no"]},
      {"name":"add","op":"call_function","target":"aten::f","args":["x","cond"],"specs":["y"]},
      {"name":"mul","op":"call_function","target":"aten::f","args":["add","cond"],"specs":["x"]},
      {"name":"o","op":"output","args":["mul"]}],"submodules":{"yes":)" +
         branch + R"(,"no":)" + branch + "}}";
}

std::string CondPlan(int64_t temp, int64_t made, int64_t result, int64_t y) {
  const std::string branch = R"({"buffer_sizes":[0,0],"tensors":[)" + Row("temp", 1, temp) + "," +
                             Row("made", 1, made) + "]}";
  std::string text = PlanText({Row("x", 1, 0), Row("r", 1, result), Row("y", 1, y)}, "[0,512]");
  text.pop_back();
  return text + R"(,"submodules":{"yes":)" + branch + R"(,"no":)" + branch + "}}";
}

TEST(Verifier, LetsBranchesMakeTheResultInPlaceAndShareWithEachOther) {
  const Report report = Verify(CondGraph(), CondPlan(128, 64, 64, 192));
  EXPECT_TRUE(report.ok) << report.errors[0].message;
  // After the node the branch's memory is free.
  EXPECT_TRUE(Verify(CondGraph(), CondPlan(128, 64, 64, 128)).ok);
}

TEST(Verifier, KeepsBranchesApartFromWhatIsLiveAtTheNode) {
  const Report report = Verify(CondGraph(), CondPlan(0, 64, 64, 192));
  ASSERT_EQ(CodesOf(report), (Codes{"STORAGE_OVERLAP x", "STORAGE_OVERLAP x"}));
  EXPECT_EQ(report.errors[0].graph, "");
  EXPECT_EQ(report.errors[0].tensors, (Codes{"x", "yes/temp"}));
  EXPECT_EQ(report.errors[0].nodes, Codes{"cond"});
}

TEST(Verifier, KnowsWhereMovedResultsRest) {
  // Made at 128 and planned at 64: under "move" the result stays at 128, where y comes to lie.
  Options options;
  EXPECT_EQ(CodesOf(Verify(CondGraph(), CondPlan(192, 128, 64, 128), options)),
            Codes{"STORAGE_OVERLAP y"});
  options.move_results = false;
  EXPECT_TRUE(Verify(CondGraph(), CondPlan(192, 128, 64, 128), options).ok);
  // Copied into a place that it overlaps itself.
  EXPECT_EQ(CodesOf(Verify(CondGraph(), CondPlan(192, 96, 64, 256), options)),
            (Codes{"STORAGE_OVERLAP r", "STORAGE_OVERLAP r"}));
}

// As above, made as a slice in the middle of what the branches hold, and read in other branches:
// what is behind it up to the alignment is not its own.
TEST(Verifier, LeavesWhatIsBehindASliceThatABranchHandsOver) {
  const auto branch = [](const std::string& tensors, const std::string& made) {
    return R"({"tensors":[)" + tensors + R"(],"nodes":[{"name":"o","op":"output","specs":[")" +
           made + R"("]}]})";
  };
  const std::string whole = branch(R"({"id":"t","nbytes":3})", "t");
  const std::string slice = branch(
      R"({"id":"b","nbytes":1},{"id":"s","nbytes":3,"storage_base":"b","storage_base_offset":8})",
      "s");
  const std::string reader = R"({"tensors":[{"id":"i","nbytes":3},{"id":"m","nbytes":3}],"nodes":[
      {"name":"i","op":"placeholder","target":"i","specs":["i"]},
      {"name":"o","op":"output","specs":["m"]}]})";
  const std::string graph = R"({"tensors":[{"id":"p","nbytes":1},{"id":"r","nbytes":3},
      {"id":"z","nbytes":3}],"nodes":[
      {"name":"p","op":"placeholder","target":"p","specs":["p"]},
      {"name":"c","op":"call_function","target":"cond","args":["p"],"specs":["r"],
       "submodules":["whole","slice"]},
      {"name":"d","op":"call_function","target":"cond","args":["p","c"],"specs":["z"],
       "submodules":["reader","reader"]}],
      "submodules":{"whole":)" +
                            whole + R"(,"slice":)" + slice + R"(,"reader":)" + reader + "}}";
  const auto with = [&](int64_t slice_at, int64_t made) {
    std::string text = PlanText({Row("p", 1, 0), Row("r", 1, 16), Row("z", 1, made)}, "[0,96]");
    text.pop_back();
    text += R"(,"submodules":{"whole":)" + PlanText({Row("t", 1, 16)}) + R"(,"slice":)" +
            PlanText({Row("b", 1, slice_at), Row("s", 1, slice_at + 8)}) + R"(,"reader":)" +
            PlanText({Row("m", 1, made)}) + "}}";
    return CodesOf(Verify(graph, text));
  };
  EXPECT_EQ(with(32, 48), Codes{});
  EXPECT_EQ(with(32, 64), Codes{});
  // There the slice itself is, from 40 to 43, and r.
  EXPECT_FALSE(with(32, 32).empty());
  EXPECT_FALSE(with(32, 16).empty());
}

// A result of which the graph declares a slice rests where the branch made it, like any other.
TEST(Verifier, KnowsWhereMovedResultsWithSlicesRest) {
  const std::string branch = R"({"tensors":[{"id":"m","nbytes":16}],"nodes":[
      {"name":"f","op":"call_function","target":"aten::f","specs":["m"]},
      {"name":"o","op":"output","args":["f"]}]})";
  for (const std::string base : {"storage_base", "inplace_base"}) {
    const std::string graph = R"({"tensors":[{"id":"p","nbytes":1},{"id":"r","nbytes":16},
        {"id":"s","nbytes":4,")" +
                              base + R"(":"r"},{"id":"y","nbytes":16}],"nodes":[
        {"name":"p","op":"placeholder","target":"p","specs":["p"]},
        {"name":"c","op":"call_function","target":"cond","args":["p"],"specs":["r"],
         "submodules":["yes","no"]},
        {"name":"g","op":"call_function","target":"aten::f","specs":["y"]},
        {"name":"h","op":"call_function","target":"aten::f","args":["c"],"specs":["s"]},
        {"name":"o","op":"output","args":["h"]}],
        "submodules":{"yes":)" +
                              branch + R"(,"no":)" + branch + "}}";
    const auto with = [&](int64_t made, int64_t y) {
      std::string text =
          PlanText({Row("p", 1, 0), Row("r", 1, 16), Row("s", 1, 16), Row("y", 1, y)}, "[0,64]");
      text.pop_back();
      const std::string inner = PlanText({Row("m", 1, made)}, "[0,64]");
      return CodesOf(
          Verify(graph, text + R"(,"submodules":{"yes":)" + inner + R"(,"no":)" + inner + "}}"));
    };
    EXPECT_EQ(with(16, 32), Codes{}) << base;
    EXPECT_EQ(with(32, 48), Codes{}) << base;
    EXPECT_EQ(with(32, 32), Codes{"STORAGE_OVERLAP y"}) << base;
  }
}

// Two values that go round beyond the results are two places, in a loop with a condition and
// without.
TEST(Verifier, KeepsWhatIsCarriedBeyondTheResultsApart) {
  const std::string body = R"({"tensors":[{"id":"c","nbytes":16},{"id":"d","nbytes":16},
      {"id":"e","nbytes":16},{"id":"f","nbytes":16}],"nodes":[
      {"name":"c","op":"placeholder","target":"c","specs":["c"]},
      {"name":"d","op":"placeholder","target":"d","specs":["d"]},
      {"name":"e","op":"call_function","target":"aten::f","args":["c"],"specs":["e"]},
      {"name":"f","op":"call_function","target":"aten::f","args":["d"],"specs":["f"]},
      {"name":"o","op":"output","args":["e","f"]}]})";
  const std::string test = R"({"tensors":[{"id":"c","nbytes":16},{"id":"d","nbytes":16},
      {"id":"t","nbytes":1}],"nodes":[
      {"name":"c","op":"placeholder","target":"c","specs":["c"]},
      {"name":"d","op":"placeholder","target":"d","specs":["d"]},
      {"name":"t","op":"call_function","target":"aten::f","args":["c","d"],"specs":["t"]},
      {"name":"o","op":"output","args":["t"]}]})";
  for (const bool is_while : {false, true}) {
    const std::string graph =
        R"({"tensors":[{"id":"x","nbytes":16}],"nodes":[
        {"name":"x","op":"placeholder","target":"x","specs":["x"]},
        {"name":"loop","op":"call_function","target":")" +
        std::string(is_while ? "while" : "scan") + R"(","args":["x","x"],"specs":[],"carried":2,
         "submodules":[)" +
        (is_while ? R"("test",)" : "") + R"("body"]},
        {"name":"o","op":"output","args":["x"]}],"submodules":{)" +
        (is_while ? R"("test":)" + test + "," : "") + R"("body":)" + body + "}}";
    const auto with = [&](int64_t c, int64_t d) {
      std::string text = PlanText({Row("x", 1, 0)}, "[0,128]");
      text.pop_back();
      text += R"(,"submodules":{)";
      if (is_while) {
        text += R"("test":)" +
                PlanText({Row("c", 1, c), Row("d", 1, d), Row("t", 1, 48)}, "[0,128]") + ",";
      }
      text +=
          R"("body":)" +
          PlanText({Row("c", 1, c), Row("d", 1, d), Row("e", 1, 64), Row("f", 1, 80)}, "[0,128]");
      return CodesOf(Verify(graph, text + "}}"));
    };
    EXPECT_EQ(with(16, 32), Codes{}) << is_while;
    EXPECT_FALSE(with(16, 16).empty()) << is_while;
    EXPECT_FALSE(with(32, 32).empty()) << is_while;
  }
}

// A value that goes round and that the node does not yield has bytes of its own, in the body.
TEST(Verifier, ChecksThePlaceOfWhatIsCarriedBeyondTheResults) {
  const std::string graph = R"({"tensors":[{"id":"x","nbytes":64}],"nodes":[
      {"name":"x","op":"placeholder","target":"x","specs":["x"]},
      {"name":"scan","op":"call_function","target":"scan","args":["x"],"specs":[],
       "submodules":["body"],"carried":1,"mapped":0},
      {"name":"o","op":"output","args":["x"]}],
      "input_mem_buffer_sizes":[0,16],
      "submodules":{"body":{"tensors":[{"id":"c","nbytes":64},{"id":"d","nbytes":64}],"nodes":[
      {"name":"c","op":"placeholder","target":"c","specs":["c"]},
      {"name":"f","op":"call_function","target":"aten::f","args":["c"],"specs":["d"]},
      {"name":"o","op":"output","args":["f"]}]}}})";
  const auto with = [&](const std::vector<std::string>& body) {
    std::string text = PlanText({Row("x", 1, 16)}, "[0,208]");
    text.pop_back();
    text += R"(,"submodules":{"body":)" + PlanText(body, "[0,208]") + "}}";
    return CodesOf(Verify(graph, text));
  };
  const std::string d = Row("d", 1, 144);
  EXPECT_EQ(with({Row("c", 1, 80), d}), Codes{});
  EXPECT_EQ(with({d}), Codes{"TENSOR_MISSING c"});
  EXPECT_EQ(with({Row("c", 1, 81), Row("d", 1, 144)}),
            (Codes{"STORAGE_OVERLAP c", "MISALIGNED c"}));
  EXPECT_EQ(with({Row("c", 1, 72), d}), (Codes{"STORAGE_OVERLAP c", "MISALIGNED c"}));
  EXPECT_EQ(with({Row("c", 1, 0), d}), (Codes{"STORAGE_OVERLAP c", "BELOW_RESERVED c"}));
  EXPECT_EQ(with({Row("c", 1, 208), d}), Codes{"PAST_END c"});
}

TEST(Verifier, AnswersBadSubmodule) {
  std::string graph = CondGraph();
  graph.replace(graph.find(R"("args":["x","x"])"), 16, R"("args":["x"])");
  const Result<Report> report = VerifyPlan(CharsOf(graph), CharsOf(CondPlan(128, 64, 64, 192)), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kBadSubmodule);
  EXPECT_EQ(report.error().path, "nodes[1]");
}

// --- several methods ---

TEST(Verifier, KeepsStateOfSeveralMethodsInOnePlace) {
  const auto method = [](const std::string& extra) {
    return R"({"tensors":[{"id":"s","nbytes":16},{"id":"t","nbytes":16}],"nodes":[
      {"name":"b","op":"placeholder","target":"b","specs":["s"]},
      {"name":"n","op":"call_function","target":"aten::copy_","args":["b"],"specs":["s"],
       "variant":"inplace"},
      {"name":"m","op":"call_function","target":"aten::f","specs":["t"]},
      {"name":"o","op":"output","args":["m"]}])" +
           extra + "}";
  };
  const std::string signature =
      R"(,"signature":{"inputs_to_buffers":{"b":"cache"},"buffers_to_mutate":{"n":"cache"}})";
  const std::string input = R"({"methods":{"one":)" + method(signature) + R"(,"two":)" +
                            method(signature) + R"(},"shared_buffers":true})";
  const auto plan = [](int64_t state, int64_t t) {
    return R"({"buffer_sizes":[0,64],"methods":{"one":{"tensors":[)" + Row("s", 1, 0) + "," +
           Row("t", 1, 16) + R"(]},"two":{"tensors":[)" + Row("s", 1, state) + "," +
           Row("t", 1, t) + "]}}}";
  };
  EXPECT_TRUE(Verify(input, plan(0, 16)).ok);
  EXPECT_EQ(CodesOf(Verify(input, plan(32, 16))), Codes{"STATE_MOVES one/s"});
  EXPECT_EQ(CodesOf(Verify(input, plan(32, 0))),
            (Codes{"STORAGE_OVERLAP one/s", "STATE_MOVES one/s"}));
}

// --- what ExecuTorch's own planner gives ---

std::string TextOf(const rapidjson::Value& json) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  json.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

std::string FileText(const std::string& name) {
  std::ifstream in(std::string(MEMPLAN_TEST_DATA) + "/golden/quirks/" + name + ".json",
                   std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The plans of 2024 that golden/README.md calls invalid are faults, each with one of these codes.
TEST(Verifier, SeesWhatIsWrongWithUpstreamsPlans) {
  const std::pair<const char*, Codes> cases[] = {
      {"greedy_empty_submodule_resets", {"STORAGE_OVERLAP", "PAST_END"}},
      {"greedy_drops_mem_ids_in_submodule", {"PAST_END", "NO_SUCH_POOL"}},
      {"outer_lacks_a_submodules_mem_id", {"NO_SUCH_POOL", "PAST_END"}},
      {"reads_through_inplace", {"STORAGE_OVERLAP"}},
      {"inplace_result_never_planned", {"TENSOR_MISSING"}},
      {"inplace_result_planned_apart", {"NOT_WHERE_BASE_IS"}},
      {"mutable_buffer_is_reused", {"STORAGE_OVERLAP"}},
      {"unused_input_shared", {"STORAGE_OVERLAP"}},
  };
  for (const auto& [name, codes] : cases) {
    rapidjson::Document file;
    file.Parse(FileText(name).c_str());
    ASSERT_FALSE(file.HasParseError()) << name;
    int checked = 0;
    for (const rapidjson::Value& run : file["runs"].GetArray()) {
      if (std::string(run["planner"].GetString()) != "seed" || !run.HasMember("plan")) continue;
      if (std::string(run["algorithm"].GetString()) != "greedy") continue;
      Options options;
      options.alignment = run["options"]["alignment"].GetInt64();
      const Result<Report> report =
          VerifyPlan(CharsOf(TextOf(file["graph"])), CharsOf(TextOf(run["plan"])), options);
      // Most of the golden control flow does not match its submodules.
      if (!report) {
        EXPECT_EQ(report.error().code, ErrorCode::kBadSubmodule) << name;
        continue;
      }
      ++checked;
      const auto& wanted = codes;  // clang 14 does not capture a structured binding
      EXPECT_TRUE(std::any_of(report->errors.begin(), report->errors.end(), [&](const Fault& f) {
        return std::find(wanted.begin(), wanted.end(), f.code) != wanted.end();
      })) << name;
    }
    const bool has_control_flow = std::string(name).find("submodule") != std::string::npos;
    EXPECT_TRUE(checked > 0 || has_control_flow) << name;
  }
}

}  // namespace
}  // namespace memplan
