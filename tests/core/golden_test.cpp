// What ExecuTorch itself answered, run for run: plans, errors and its verifier's verdicts.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "executorch/executorch.h"
#include "executorch/verifier.h"
#include "graph_reader.h"
#include "json_walker.h"

namespace memplan {
namespace {

using Json = rapidjson::Value;

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

class File {
 public:
  explicit File(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    json_.Parse(text.str().c_str());
  }
  bool valid() const { return !json_.HasParseError(); }
  const Json& json() const { return json_; }

 private:
  rapidjson::Document json_;
};

// A graph read by the product's reader, with the bytes its names point into.
class ReadGraph {
 public:
  explicit ReadGraph(const Json& json) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    json.Accept(writer);
    bytes_.assign(text.GetString(), text.GetString() + text.GetSize());
    bytes_.resize(text.GetSize() + kJsonPadding, '\0');
    Result<JsonInput> input = ReadJsonInput({bytes_.data(), text.GetSize()});
    if (input) {
      program_ = std::move(input->program);
    } else {
      message_ = input.error().path + ": " + input.error().message;
    }
  }
  bool valid() const { return program_ != nullptr; }
  const std::string& message() const { return message_; }
  const Program& program() const { return *program_; }

 private:
  std::vector<char> bytes_;
  std::unique_ptr<Program> program_;
  std::string message_;
};

Options OptionsOf(const Json& run, const Json& options) {
  Options result;
  const std::string planner = run["planner"].GetString();
  result.rules = planner == "seed" ? Rules::kExecutorch2024 : Rules::kExecutorch2026;
  result.algorithm = run["algorithm"].GetString();
  const auto flag = [&](const char* name, bool otherwise) {
    return options.HasMember(name) ? options[name].GetBool() : otherwise;
  };
  result.alignment = options["alignment"].GetInt64();
  result.alloc_graph_input = flag("alloc_graph_input", true);
  result.alloc_graph_output = flag("alloc_graph_output", true);
  result.alloc_mutable_buffers = flag("alloc_mutable_buffers", true);
  result.enable_non_cpu_memory_planning = flag("enable_non_cpu_memory_planning", false);
  return result;
}

std::string Text(const Json& json) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  json.Accept(writer);
  return text.GetString();
}

std::string ListText(const std::vector<Bytes>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

std::string OrNull(int64_t value, bool is_null) { return is_null ? "null" : std::to_string(value); }

// One row as the golden file writes it, so that a difference reads well.
std::string TensorText(const GraphPlan& plan, const Names& names, TensorIndex t) {
  const Lifetime& life = plan.lifetime[t];
  const std::string lifetime =
      life.exists() ? "[" + std::to_string(life.first) + "," + std::to_string(life.last) + "]"
                    : "null";
  return "{\"id\":\"" + std::string(names[plan.graph->tensors.id[t]]) +
         "\",\"lifetime\":" + lifetime +
         ",\"allocated_memory\":" + std::to_string(plan.allocated[t]) +
         ",\"mem_id\":" + OrNull(plan.mem_id[t], plan.mem_id[t] == kNoPool) +
         ",\"mem_obj_id\":" + OrNull(plan.mem_obj_id[t], plan.mem_obj_id[t] < 0) +
         ",\"mem_offset\":" + OrNull(plan.mem_offset[t], plan.mem_offset[t] == kNoBytes) + "}";
}

std::string FreesText(const GraphPlan& plan, const Names& names) {
  std::string text = "[";
  for (const Free& row : plan.frees) {
    if (text.size() > 1) text += ",";
    text += "{\"after\":\"" + std::string(names[plan.graph->nodes.name[row.after]]) +
            "\",\"tensor\":\"" + std::string(names[plan.graph->tensors.id[row.tensor]]) + "\"}";
  }
  return text + "]";
}

void ExpectSameGraphPlan(const Json& golden, const GraphPlan& plan, const Names& names) {
  EXPECT_EQ(plan.has_buffer_sizes ? ListText(plan.buffer_sizes) : "null",
            Text(golden["buffer_sizes"]));
  EXPECT_EQ(FreesText(plan, names), Text(golden["frees"]));
  const Json& tensors = golden["tensors"];
  ASSERT_EQ(static_cast<size_t>(tensors.Size()), plan.lifetime.size());
  for (TensorIndex t = 0; t < static_cast<TensorIndex>(tensors.Size()); ++t) {
    EXPECT_EQ(TensorText(plan, names, t), Text(tensors[t]));
    if (testing::Test::HasFailure()) return;  // the first is enough
  }
  ASSERT_EQ(static_cast<size_t>(golden["submodules"].MemberCount()), plan.submodules.size());
  for (const GraphPlan& submodule : plan.submodules) {
    const std::string name(names[submodule.graph->name]);
    SCOPED_TRACE(name);
    ASSERT_TRUE(golden["submodules"].HasMember(name.c_str()));
    ExpectSameGraphPlan(golden["submodules"][name.c_str()], submodule, names);
  }
}

void ExpectSameDevices(const Json& golden, const Plan& plan) {
  std::string text;
  for (const auto& [mem_id, device] : plan.buffer_devices) {
    text += text.empty() ? "[" : ",";
    text += "{\"mem_id\":" + std::to_string(mem_id) + ",\"device\":\"" + device + "\"}";
  }
  if (!text.empty()) text += "]";
  EXPECT_EQ(text, golden.HasMember("buffer_devices") ? Text(golden["buffer_devices"]) : "");
}

// The tensors that upstream's message names ("lhs TensorSpec(t0), rhs TensorSpec(t4)").
std::vector<std::string> NamedTensors(const std::string& message) {
  std::vector<std::string> names;
  const std::string mark = "TensorSpec(";
  for (size_t at = message.find(mark); at != std::string::npos; at = message.find(mark, at)) {
    at += mark.size();
    names.push_back(message.substr(at, message.find(')', at) - at));
  }
  return names;
}

const Fault* FindFault(const Report& report, const std::string& check) {
  for (const Fault& fault : report.errors) {
    if (fault.check == check) return &fault;
  }
  return nullptr;
}

void ExpectSameVerdict(const Json& golden, const Report& report, const std::string& check) {
  const Fault* fault = FindFault(report, check);
  EXPECT_EQ(fault != nullptr ? fault->code : "",
            golden.HasMember("error") ? UpperCase(golden["error"]["kind"].GetString()) : "");
  if (fault == nullptr || !golden.HasMember("error")) return;
  for (const std::string& name : NamedTensors(golden["error"]["message"].GetString())) {
    EXPECT_NE(std::find(fault->tensors.begin(), fault->tensors.end(), name), fault->tensors.end())
        << name << " is in upstream's message: " << golden["error"]["message"].GetString();
  }
}

void ExpectSameVerdicts(const Json& golden, const Program& program, const GraphPlan& plan,
                        Options options) {
  for (bool allow : {false, true}) {
    SCOPED_TRACE(allow ? "allowing overlap" : "not allowing overlap");
    options.allow_lifetime_and_storage_overlap = allow;
    const Report report = VerifyExecutorch(program, plan, options);
    const Json& reuse = golden[allow ? "storage_reuse_allow_overlap" : "storage_reuse"];
    ExpectSameVerdict(reuse, report, "storage_reuse");
    EXPECT_EQ(report.reuse_pairs, reuse.HasMember("pairs") ? reuse["pairs"].GetInt64() : -1);
    ExpectSameVerdict(golden["graph_input_output"], report, "graph_input_output");
    EXPECT_EQ(report.ok, report.errors.empty());
  }
}

void ExpectSameRun(const Json& run, const Program& program) {
  const Options options = OptionsOf(run, run["options"]);
  const Result<Plan> plan = PlanExecutorch(program, options);
  if (run.HasMember("error")) {
    ASSERT_FALSE(plan.has_value()) << "upstream fails: " << run["error"]["message"].GetString();
    EXPECT_EQ(plan.error().kind, UpperCase(run["error"]["kind"].GetString()));
    return;
  }
  ASSERT_TRUE(plan.has_value()) << plan.error().path << ": " << plan.error().message;
  ExpectSameGraphPlan(run["plan"], plan->top, program.names);
  EXPECT_EQ(plan->buffer_sizes, plan->top.buffer_sizes);
  ExpectSameDevices(run["plan"], *plan);
  ExpectSameVerdicts(run["verify"], program, plan->top, options);
}

std::vector<std::filesystem::path> FilesIn(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(MEMPLAN_TEST_DATA) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Compares all runs of one graph; gives their number.
int CompareRuns(const Json& runs, const Json& graph_json) {
  const ReadGraph graph(graph_json);
  EXPECT_TRUE(graph.valid()) << graph.message();
  if (!graph.valid()) return 0;
  for (const Json& run : runs.GetArray()) {
    SCOPED_TRACE(std::string(run["planner"].GetString()) + " " + run["algorithm"].GetString() +
                 " " + Text(run["options"]));
    ExpectSameRun(run, graph.program());
  }
  return static_cast<int>(runs.Size());
}

int CompareFolder(const std::string& folder) {
  int compared = 0;
  for (const std::filesystem::path& path : FilesIn(folder)) {
    SCOPED_TRACE(path.filename().string());
    const File file(path);
    compared += CompareRuns(file.json()["runs"], file.json()["graph"]);
  }
  return compared;
}

// The runs of a real network, whose graph is in the corpus.
int CompareCorpus() {
  int compared = 0;
  for (const std::filesystem::path& path : FilesIn("golden/corpus")) {
    SCOPED_TRACE(path.filename().string());
    const File graph(std::filesystem::path(MEMPLAN_TEST_DATA) / "corpus/graphs" / path.filename());
    compared += CompareRuns(File(path).json(), graph.json());
  }
  return compared;
}

int CompareRandomGraphs() {
  const File file(std::filesystem::path(MEMPLAN_TEST_DATA) / "executorch/random.json");
  int compared = 0;
  int place = 0;
  for (const Json& row : file.json().GetArray()) {
    SCOPED_TRACE("graph " + std::to_string(place++));
    compared += CompareRuns(row["runs"], row["graph"]);
  }
  return compared;
}

TEST(GoldenTest, SeedRunsAreEqual) { EXPECT_EQ(CompareFolder("golden/seed"), 803); }
TEST(GoldenTest, HeadRunsAreEqual) { EXPECT_EQ(CompareFolder("golden/head"), 772); }
TEST(GoldenTest, QuirkRunsAreEqual) { EXPECT_EQ(CompareFolder("golden/quirks"), 77); }
TEST(GoldenTest, CorpusRunsAreEqual) { EXPECT_EQ(CompareCorpus(), 141); }
TEST(GoldenTest, RandomRunsAreEqual) { EXPECT_EQ(CompareRandomGraphs(), 356); }

// A golden plan as it stands, read back into the columns of a plan.
GraphPlan PlanOf(const Json& golden, const Graph& graph) {
  GraphPlan plan;
  plan.graph = &graph;
  for (const Json& row : golden["tensors"].GetArray()) {
    Lifetime lifetime;
    if (!row["lifetime"].IsNull()) {
      lifetime = {row["lifetime"][0].GetInt(), row["lifetime"][1].GetInt()};
    }
    plan.lifetime.push_back(lifetime);
    plan.allocated.push_back(row["allocated_memory"].GetInt64());
    plan.mem_id.push_back(row["mem_id"].IsNull() ? kNoPool : row["mem_id"].GetInt());
    plan.mem_obj_id.push_back(row["mem_obj_id"].IsNull() ? -1 : row["mem_obj_id"].GetInt());
    plan.mem_offset.push_back(row["mem_offset"].IsNull() ? kNoBytes : row["mem_offset"].GetInt64());
  }
  return plan;
}

TEST(GoldenTest, VerdictsOnAlteredPlansAreEqual) {
  int compared = 0;
  for (const std::filesystem::path& path : FilesIn("golden/verifier")) {
    SCOPED_TRACE(path.filename().string());
    const File file(path);
    const ReadGraph graph(file.json()["graph"]);
    ASSERT_TRUE(graph.valid()) << graph.message();
    ExpectSameVerdicts(file.json()["verify"], graph.program(),
                       PlanOf(file.json()["plan"], *graph.program().graph),
                       OptionsOf(file.json(), file.json()["options"]));
    ++compared;
  }
  EXPECT_EQ(compared, 100);
}

}  // namespace
}  // namespace memplan
