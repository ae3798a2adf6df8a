#include "plan_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph_hash.h"
#include "json_walker.h"
#include "plan_job.h"
#include "plan_writer.h"
#include "random_graph.h"

namespace memplan {
namespace {

// An input with the bytes that its names point into.
struct Input {
  explicit Input(const std::string& text) : bytes(text.begin(), text.end()) {
    Result<JsonInput> read = ReadInput(&bytes);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    if (read) json = std::move(*read);
  }
  std::vector<char> bytes;
  JsonInput json;
};

Result<PlanFile> Read(const std::string& text, const Program& program) {
  std::vector<char> bytes(text.begin(), text.end());
  bytes.resize(text.size() + kJsonPadding, '\0');
  return ReadPlan({bytes.data(), text.size()}, program);
}

constexpr char kGraph[] = R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":16}],"nodes":[
    {"name":"n","op":"call_function","target":"f","specs":["a"]},
    {"name":"o","op":"output","args":["n"]}],
    "submodules":{"sub":{"tensors":[{"id":"c","nbytes":16}],"nodes":[]}}})";

TEST(PlanReader, ReadsWhatIsThereInAnyOrder) {
  const Input input(kGraph);
  const Result<PlanFile> file = Read(
      R"({"submodules":{"sub":{"tensors":[{"mem_offset":32,"id":"c","mem_id":2}],"buffer_sizes":null}},
          "tensors":[{"id":"b","mem_id":1,"mem_offset":16,"lifetime":[0,1],"allocated_memory":16,
          "mem_obj_id":3},{"id":"a","mem_id":null,"mem_offset":null,"lifetime":null}],
          "frees":[{"after":"n","tensor":"a"}],"buffer_sizes":[0,32,48],"graph_hash":"ff",
          "rules":"executorch-2026","options":{"anything":[1.5]},"algorithm":"mine"})",
      *input.json.program);
  ASSERT_TRUE(file) << file.error().path << file.error().message;
  const GraphPlan& top = file->plan.top;
  EXPECT_EQ(top.mem_id, (std::vector<MemId>{kNoPool, 1}));
  EXPECT_EQ(top.mem_offset, (std::vector<Bytes>{kNoBytes, 16}));
  EXPECT_EQ(top.allocated, (std::vector<Bytes>{kNoBytes, 16}));
  EXPECT_EQ(top.mem_obj_id, (std::vector<int32_t>{-1, 3}));
  EXPECT_EQ(top.lifetime[1], (Lifetime{0, 1}));
  EXPECT_FALSE(top.lifetime[0].exists());
  EXPECT_EQ(top.buffer_sizes, (std::vector<Bytes>{0, 32, 48}));
  ASSERT_EQ(top.frees.size(), 1u);
  EXPECT_EQ(top.frees[0].tensor, 0);
  EXPECT_EQ(top.submodules[0].mem_offset, std::vector<Bytes>{32});
  EXPECT_FALSE(top.submodules[0].has_buffer_sizes);
  EXPECT_EQ(file->graph_hash, "ff");
  EXPECT_TRUE(file->has_rules);
  EXPECT_EQ(file->plan.options.rules, Rules::kExecutorch2026);
}

struct Wrong {
  const char* text;
  ErrorCode code;
  const char* path;
};

TEST(PlanReader, NamesThePathOfWhatIsWrong) {
  const Wrong cases[] = {
      {R"([])", ErrorCode::kInvalidInput, ""},
      {R"({"tensors":[])", ErrorCode::kInvalidJson, "line 1, column 14"},
      {R"({"tensors":[]})", ErrorCode::kInvalidInput, "buffer_sizes"},
      {R"({"buffer_sizes":[0]})", ErrorCode::kInvalidInput, "tensors"},
      {R"({"buffer_sizes":null,"tensors":[]})", ErrorCode::kInvalidInput, "buffer_sizes"},
      {R"({"buffer_sizes":[0,-1],"tensors":[]})", ErrorCode::kInvalidInput, "buffer_sizes[1]"},
      {R"({"buffer_sizes":[0],"tensors":{}})", ErrorCode::kInvalidInput, "tensors"},
      {R"({"buffer_sizes":[0],"tensors":[{}]})", ErrorCode::kInvalidInput, "tensors[0].id"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"z"}]})", ErrorCode::kInvalidInput, "tensors[0].id"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"a"},{"id":"a"}]})", ErrorCode::kInvalidInput,
       "tensors[1].id"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"a","mem_offset":-16}]})", ErrorCode::kInvalidInput,
       "tensors[0].mem_offset"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"a","mem_offset":0.5}]})", ErrorCode::kInvalidInput,
       "tensors[0].mem_offset"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"a","mem_offset":9007199254740992}]})",
       ErrorCode::kTooLarge, "tensors[0].mem_offset"},
      {R"({"buffer_sizes":[0],"tensors":[{"id":"a","lifetime":[1,2,3]}]})",
       ErrorCode::kInvalidInput, "tensors[0].lifetime[2]"},
      {R"({"buffer_sizes":[0],"tensors":[],"submodules":{"other":{"tensors":[]}}})",
       ErrorCode::kInvalidInput, "submodules.other"},
      {R"({"buffer_sizes":[0],"tensors":[],"submodules":{"sub":{"tensors":[{"id":"a"}]}}})",
       ErrorCode::kInvalidInput, "submodules.sub.tensors[0].id"},
      {R"({"buffer_sizes":[0],"tensors":[],"methods":{}})", ErrorCode::kInvalidInput, "methods"},
      {R"({"buffer_sizes":[0],"tensors":[],"frees":[{"after":"z","tensor":"a"}]})",
       ErrorCode::kInvalidInput, "frees[0].after"},
      {R"({"buffer_sizes":[0],"tensors":[],"frees":[{"after":"n","tensor":"z"}]})",
       ErrorCode::kInvalidInput, "frees[0].tensor"},
  };
  const Input input(kGraph);
  for (const Wrong& c : cases) {
    const Result<PlanFile> file = Read(c.text, *input.json.program);
    ASSERT_FALSE(file) << c.text;
    EXPECT_EQ(file.error().code, c.code) << c.text << ": " << file.error().message;
    EXPECT_EQ(file.error().path, c.path) << c.text << ": " << file.error().message;
  }
}

TEST(PlanReader, ReadsBackWhatIsWritten) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::string json = RandomGraphJson(seed, {});
    Options options;
    options.algorithm = "greedy";
    options.move_results = false;
    auto job = PlanJob::Start({json.begin(), json.end()}, options);
    ASSERT_TRUE(job) << job.error().message;
    const Result<Plan> plan = (*job)->Finish();
    ASSERT_TRUE(plan);
    const std::string text = WritePlanJson(*plan, (*job)->program(), nullptr);
    Result<PlanFile> file = Read(text, *(*job)->program());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->graph_hash, HashText(GraphHash(*(*job)->program())));
    // Written again with what a plan file leaves to its reader, it is the same text.
    Plan again = *plan;
    again.top = file->plan.top;
    EXPECT_EQ(WritePlanJson(again, (*job)->program(), nullptr), text);
  }
}

// --- graph_hash.h ---

uint64_t HashOf(const std::string& json) {
  const Input input(json);
  return input.json.program != nullptr ? GraphHash(*input.json.program)
                                       : IntervalHash(*input.json.intervals);
}

TEST(GraphHash, DoesNotMindLayoutNorOrder) {
  const uint64_t hash = HashOf(kGraph);
  EXPECT_EQ(hash, HashOf(R"({"submodules":{"sub":{"nodes":[],"tensors":[{"nbytes":16,"id":"c"}]}},
      "name":"other","nodes":[{"specs":["a"],"op":"call_function","target":"f","name":"n",
      "source":"model.py:1"},{"args":["n"],"op":"output","name":"o"}],
      "tensors":[{"id":"b","nbytes":16},{"id":"a","dtype":"float32","shape":[2,2]}]})"));
}

TEST(GraphHash, MindsWhatPlanningDependsOn) {
  const char* graphs[] = {
      kGraph,
      // a tensor's size, pool, kind or base
      R"({"tensors":[{"id":"a","nbytes":17},{"id":"b","nbytes":16}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17,"mem_id":2}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17,"const":true}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17,"inplace_base":"a"}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17,"storage_base":"a"}],"nodes":[]})",
      R"({"tensors":[{"id":"a","nbytes":16},{"id":"b","nbytes":17,"storage_base":"a",
          "storage_base_offset":1}],"nodes":[]})",
      // a node's order, args, specs or target
      R"({"tensors":[{"id":"a","nbytes":16}],"nodes":[{"name":"m","op":"call_function","target":"f"},
          {"name":"n","op":"call_function","target":"f","specs":["a"]}]})",
      R"({"tensors":[{"id":"a","nbytes":16}],"nodes":[{"name":"n","op":"call_function","target":"f",
          "specs":["a"]},{"name":"m","op":"call_function","target":"f"}]})",
      R"({"tensors":[{"id":"a","nbytes":16}],"nodes":[{"name":"n","op":"call_function","target":"f",
          "specs":["a"]},{"name":"m","op":"call_function","target":"f","args":["n"]}]})",
      R"({"tensors":[{"id":"a","nbytes":16}],"nodes":[{"name":"n","op":"call_function","target":"f",
          "specs":["a"]},{"name":"m","op":"call_function","target":"g","args":["n"]}]})",
      R"({"tensors":[{"id":"a","nbytes":16}],"nodes":[{"name":"n","op":"call_function","target":"f",
          "specs":["a",null]},{"name":"m","op":"call_function","target":"g","args":["n"]}]})",
      // pools, signature, flags
      R"({"tensors":[],"nodes":[]})",
      R"({"tensors":[],"nodes":[],"pools":[{"mem_id":1},{"mem_id":2}]})",
      R"({"tensors":[],"nodes":[],"pools":[{"mem_id":2},{"mem_id":1}]})",
      R"({"tensors":[],"nodes":[],"input_mem_buffer_sizes":[0,16]})",
      R"({"tensors":[],"nodes":[],"signature":{}})",
      R"({"tensors":[],"nodes":[{"name":"a","op":"placeholder","target":"a"}],
          "signature":{"inputs_to_buffers":{"a":"b"}}})",
      R"({"tensors":[],"nodes":[{"name":"a","op":"placeholder","target":"a"}],
          "signature":{"inputs_to_buffers":{"a":"b"},"buffers_to_mutate":{"a":"b"}}})",
      R"({"tensors":[],"nodes":[],"encounter_to_out_var_failure":true})",
      R"({"tensors":[],"nodes":[],"submodules":{"s":{"tensors":[],"nodes":[]}}})",
      R"({"tensors":[],"nodes":[],"submodules":{"t":{"tensors":[],"nodes":[]}}})",
      R"({"methods":{"s":{"tensors":[],"nodes":[]}}})",
      R"({"methods":{"s":{"tensors":[],"nodes":[]}},"shared_buffers":false})",
      R"({"buffers":[]})",
      R"({"buffers":[],"capacity":16})",
      R"({"buffers":[{"id":"a","lower":0,"upper":1,"size":1},{"id":"b","lower":0,"upper":1,"size":2}]})",
      R"({"buffers":[{"id":"a","lower":0,"upper":1,"size":2},{"id":"b","lower":0,"upper":1,"size":1}]})",
      R"({"buffers":[{"id":"a","lower":0,"upper":1,"size":2},{"id":"b","lower":0,"upper":1,"size":1}],
          "conflicts":[["a","b"]]})",
  };
  std::vector<uint64_t> hashes;
  for (const char* graph : graphs) hashes.push_back(HashOf(graph));
  for (size_t i = 0; i < hashes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(hashes[i], hashes[k]) << graphs[i] << graphs[k];
  }
}

TEST(GraphHash, DoesNotMindTheOrderOfIntervals) {
  EXPECT_EQ(HashOf(R"({"buffers":[{"id":"a","lower":0,"upper":1,"size":1},
                {"id":"b","lower":0,"upper":1,"size":2}],"conflicts":[["a","b"]]})"),
            HashOf(R"({"conflicts":[["b","a"]],"buffers":[{"id":"b","lower":0,"upper":1,"size":2},
                {"id":"a","lower":0,"upper":1,"size":1,"alignment":1,"mem_id":1}]})"));
  EXPECT_EQ(HashText(0x0123456789abcdefu), "0123456789abcdef");
}

}  // namespace
}  // namespace memplan
