#include "plan_writer.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "graph_hash.h"
#include "planner.h"

namespace memplan {
namespace {

using Buffer = rapidjson::StringBuffer;

// RapidJSON's writer, spelled for what is written here: names are views, "none" is null.
class Json {
 public:
  Json() : writer_(buffer_) {}

  void Begin() { writer_.StartObject(); }
  void End() { writer_.EndObject(); }
  void BeginList() { writer_.StartArray(); }
  void EndList() { writer_.EndArray(); }
  void Key(std::string_view key) { writer_.Key(key.data(), Length(key)); }
  void Text(std::string_view text) { writer_.String(text.data(), Length(text)); }
  void Number(int64_t number) { writer_.Int64(number); }
  void Null() { writer_.Null(); }
  void Bool(bool value) { writer_.Bool(value); }
  // `none` stands for "not there" in the core.
  void NumberOrNull(int64_t number, int64_t none) {
    if (number == none) {
      Null();
    } else {
      Number(number);
    }
  }
  void Numbers(const std::vector<Bytes>& numbers) {
    BeginList();
    for (const Bytes number : numbers) Number(number);
    EndList();
  }
  void Texts(const std::vector<std::string>& texts) {
    BeginList();
    for (const std::string& text : texts) Text(text);
    EndList();
  }
  void Entry(std::string_view key, std::string_view text) { Key(key), Text(text); }
  void Entry(std::string_view key, const char* text) { Key(key), Text(text); }
  void Entry(std::string_view key, int64_t number) { Key(key), Number(number); }
  void Entry(std::string_view key, bool value) { Key(key), Bool(value); }

  std::string Take() const { return std::string(buffer_.GetString(), buffer_.GetSize()); }

 private:
  static rapidjson::SizeType Length(std::string_view text) {
    return static_cast<rapidjson::SizeType>(text.size());
  }

  Buffer buffer_;
  rapidjson::Writer<Buffer> writer_;
};

// Of one plan: everything the writers of its parts need.
struct Source {
  const Plan& plan;
  const Program* program;
  const IntervalFile* intervals;
  PlanForm form;
  int64_t* next_graph;  // place of the graph to be written next

  std::string_view Name(NameId name) const { return program->names[name]; }
  std::string_view TensorId(const Graph* graph, TensorIndex tensor) const {
    return graph ? Name(graph->tensors.id[tensor]) : intervals->names[intervals->id[tensor]];
  }
};

void WriteOptions(const Source& source, Json* json) {
  const Options& options = source.plan.options;
  json->Begin();
  if (source.program) {
    json->Entry("alignment", options.alignment);
    json->Entry("allocGraphInput", options.alloc_graph_input);
    json->Entry("allocGraphOutput", options.alloc_graph_output);
    json->Entry("allocMutableBuffers", options.alloc_mutable_buffers);
    if (options.rules == Rules::kSound) {
      json->Entry("controlFlowResults", options.move_results ? "move" : "copy");
      json->Key("inplace");
      if (options.inplace && !options.inplace_operators.empty()) {
        json->Texts(options.inplace_operators);
      } else {
        json->Bool(options.inplace);
      }
    }
    if (options.enable_non_cpu_memory_planning) {
      json->Entry("enableNonCpuMemoryPlanning", true);
    }
  }
  if (options.seed != 0) json->Entry("seed", static_cast<int64_t>(options.seed));
  if (options.stop_at != kNoBytes) json->Entry("stopAt", options.stop_at);
  if (!options.capacity.empty()) {
    json->Key("capacity");
    if (options.capacity_per_pool) {
      json->Numbers(options.capacity);
    } else {
      json->Number(options.capacity[0]);
    }
  }
  json->End();
}

void WriteGraphTensor(const GraphPlan& graph_plan, size_t t, Json* json) {
  const Lifetime& lifetime = graph_plan.lifetime[t];
  json->Key("lifetime");
  if (lifetime.exists()) {
    json->BeginList();
    json->Number(lifetime.first);
    json->Number(lifetime.last);
    json->EndList();
  } else {
    json->Null();
  }
}

void WriteBufferTimes(const IntervalFile& intervals, size_t t, Json* json) {
  json->Key("lifetime");
  if (intervals.lower[t] < intervals.upper[t]) {
    json->BeginList();
    json->Number(intervals.lower[t]);
    json->Number(intervals.upper[t] - 1);
    json->EndList();
  } else {
    json->Null();
  }
}

void WriteTensors(const Source& source, const GraphPlan& graph_plan, Json* json) {
  const size_t count = graph_plan.mem_offset.size();
  json->Key("tensors");
  if (source.form == PlanForm::kHead) {
    json->Number((*source.next_graph)++);
    return;
  }
  json->BeginList();
  for (size_t t = 0; t < count; ++t) {
    json->Begin();
    json->Entry("id", source.TensorId(graph_plan.graph, static_cast<TensorIndex>(t)));
    if (source.intervals) {
      WriteBufferTimes(*source.intervals, t, json);
    } else {
      WriteGraphTensor(graph_plan, t, json);
    }
    json->Entry("allocated_memory", graph_plan.allocated[t]);
    json->Key("mem_id"), json->NumberOrNull(graph_plan.mem_id[t], kNoPool);
    json->Key("mem_obj_id"), json->NumberOrNull(graph_plan.mem_obj_id[t], -1);
    json->Key("mem_offset"), json->NumberOrNull(graph_plan.mem_offset[t], kNoBytes);
    json->End();
  }
  json->EndList();
}

// The entries that every graph's plan has; recursion is as deep as submodules nest, which the
// reader limits.
void WriteGraphPlan(const Source& source, const GraphPlan& graph_plan, Json* json) {
  const Graph* graph = graph_plan.graph;
  json->Key("buffer_sizes");
  if (graph_plan.has_buffer_sizes) {
    json->Numbers(graph_plan.buffer_sizes);
  } else {
    json->Null();
  }
  if (&graph_plan == &source.plan.top && source.plan.is_sound) {
    json->Key("lower_bound"), json->Numbers(source.plan.lower_bound);
    json->Entry("optimal", source.plan.optimal);
  }
  WriteTensors(source, graph_plan, json);
  json->Key("frees");
  json->BeginList();
  for (const Free& free : graph_plan.frees) {
    json->Begin();
    json->Entry("after", source.Name(graph->nodes.name[free.after]));
    json->Entry("tensor", source.TensorId(graph, free.tensor));
    json->End();
  }
  json->EndList();
  if (graph_plan.submodules.empty()) return;
  json->Key("submodules");
  json->Begin();
  for (const GraphPlan& submodule : graph_plan.submodules) {
    json->Key(source.Name(submodule.graph->name));
    json->Begin();
    WriteGraphPlan(source, submodule, json);
    json->End();
  }
  json->End();
}

void WriteMethods(const Source& source, Json* json) {
  const Plan& plan = source.plan;
  json->Key("buffer_sizes"), json->Numbers(plan.buffer_sizes);
  if (plan.is_sound) {
    json->Key("lower_bound"), json->Numbers(plan.lower_bound);
    json->Entry("optimal", plan.optimal);
  }
  json->Key("methods");
  json->Begin();
  for (const GraphPlan& method : plan.methods) {
    json->Key(source.Name(method.graph->name));
    json->Begin();
    WriteGraphPlan(source, method, json);
    json->End();
  }
  json->End();
}

void WriteOwnershipAndSavings(const Plan& plan, Json* json) {
  if (plan.ownership.exists) {
    json->Key("ownership");
    json->Begin();
    json->Entry("both", plan.ownership.both);
    json->Entry("inputs", plan.ownership.inputs);
    json->Entry("outputs", plan.ownership.outputs);
    json->Entry("neither", plan.ownership.neither);
    json->End();
  }
  if (plan.saved_nesting != kNoBytes || plan.saved_inplace != kNoBytes) {
    json->Key("saved");
    json->Begin();
    if (plan.saved_nesting != kNoBytes) json->Entry("nesting", plan.saved_nesting);
    if (plan.saved_inplace != kNoBytes) json->Entry("inplace", plan.saved_inplace);
    json->End();
  }
}

void WriteInplace(const Source& source, Json* json) {
  if (source.plan.inplace.empty()) return;
  json->Key("inplace");
  json->BeginList();
  for (const InplaceRow& row : source.plan.inplace) {
    json->Begin();
    json->Entry("tensor", source.TensorId(row.graph, row.tensor));
    json->Entry("base", source.TensorId(row.graph, row.base));
    if (row.refused.empty()) {
      json->Entry("bytes", row.bytes);
    } else {
      json->Entry("refused", row.refused);
    }
    json->End();
  }
  json->EndList();
}

void WriteState(const Source& source, Json* json) {
  if (source.plan.state.empty()) return;
  json->Key("state");
  json->BeginList();
  for (const StateRow& row : source.plan.state) {
    json->Begin();
    json->Entry("buffer", source.Name(row.buffer));
    json->Entry("bytes", row.bytes);
    json->Key("mem_id"), json->NumberOrNull(row.mem_id, kNoPool);
    json->Key("mem_offset"), json->NumberOrNull(row.mem_offset, kNoBytes);
    json->End();
  }
  json->EndList();
}

void WriteSpilled(const Source& source, Json* json) {
  if (source.plan.spilled.empty()) return;
  json->Key("spilled");
  json->BeginList();
  for (const SpillRow& row : source.plan.spilled) {
    json->Begin();
    json->Entry("tensor", source.TensorId(row.graph, row.tensor));
    json->Key("from"), json->NumberOrNull(row.from, kNoPool);
    json->Key("to"), json->NumberOrNull(row.to, kNoPool);
    json->Entry("reason", row.reason);
    json->End();
  }
  json->EndList();
}

void WriteResults(const Plan& plan, Json* json) {
  if (plan.results.empty()) return;
  json->Key("results");
  json->BeginList();
  for (const PlannerResult& result : plan.results) {
    json->Begin();
    json->Entry("algorithm", result.algorithm);
    json->Key("total"), json->NumberOrNull(result.peak, kNoBytes);
    json->Entry("steps", result.steps);
    json->End();
  }
  json->EndList();
}

void WriteDevices(const Plan& plan, Json* json) {
  if (plan.buffer_devices.empty()) return;
  json->Key("buffer_devices");
  json->BeginList();
  for (const auto& [mem_id, device] : plan.buffer_devices) {
    json->Begin();
    json->Entry("mem_id", static_cast<int64_t>(mem_id));
    json->Entry("device", device);
    json->End();
  }
  json->EndList();
}

void WriteNamedBytes(std::string_view key, const std::vector<NamedBytes>& rows, Json* json) {
  json->Key(key);
  json->BeginList();
  for (const NamedBytes& row : rows) {
    json->Begin();
    json->Entry("id", row.id);
    json->Entry("bytes", row.bytes);
    json->End();
  }
  json->EndList();
}

void AppendCsvField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

}  // namespace

std::string WritePlanJson(const Plan& plan, const Program* program, const IntervalFile* intervals,
                          PlanForm form) {
  int64_t next_graph = 0;
  const Source source{plan, program, intervals, form, &next_graph};
  Json json;
  json.Begin();
  json.Entry("version", int64_t{1});
  json.Entry("algorithm", plan.algorithm);
  json.Entry("rules", RulesName(plan.options.rules));
  json.Key("options");
  WriteOptions(source, &json);
  json.Entry("graph_hash", HashText(plan.graph_hash));
  if (plan.methods.empty()) {
    WriteGraphPlan(source, plan.top, &json);
  } else {
    WriteMethods(source, &json);
  }
  WriteResults(plan, &json);
  WriteOwnershipAndSavings(plan, &json);
  WriteInplace(source, &json);
  WriteState(source, &json);
  WriteSpilled(source, &json);
  WriteDevices(plan, &json);
  json.End();
  return json.Take();
}

std::string WritePlanCsv(const Plan& plan, const IntervalFile& intervals) {
  std::string csv = "id,lower,upper,size,offset\n";
  for (int32_t row = 0; row < intervals.count(); ++row) {
    AppendCsvField(intervals.names[intervals.id[row]], &csv);
    for (const int64_t number : {intervals.lower[row], intervals.upper[row], intervals.size[row],
                                 plan.top.mem_offset[row]}) {
      csv.push_back(',');
      csv += std::to_string(number);
    }
    csv.push_back('\n');
  }
  return csv;
}

std::string WriteErrorJson(const Error& error) {
  Json json;
  json.Begin();
  json.Entry("code", error.kind.empty() ? ErrorCodeName(error.code) : std::string_view(error.kind));
  json.Entry("message", error.message);
  if (!error.path.empty()) json.Entry("path", error.path);
  if (error.details) {
    const FitDetails& details = *error.details;
    json.Key("details");
    json.Begin();
    json.Entry("mem_id", static_cast<int64_t>(details.mem_id));
    json.Entry("node", details.node);
    json.Entry("required", details.required);
    json.Entry("available", details.available);
    json.Entry("excess", details.excess);
    WriteNamedBytes("live", details.live, &json);
    WriteNamedBytes("culprits", details.culprits, &json);
    json.End();
  }
  json.End();
  return json.Take();
}

std::string WriteReportJson(const Report& report) {
  Json json;
  json.Begin();
  json.Entry("ok", report.ok);
  json.Key("reuse_pairs"), json.NumberOrNull(report.reuse_pairs, -1);
  json.Key("errors");
  json.BeginList();
  for (const Fault& fault : report.errors) {
    json.Begin();
    json.Entry("check", fault.check);
    json.Entry("code", fault.code);
    json.Entry("message", fault.message);
    json.Entry("graph", fault.graph);
    json.Key("tensors"), json.Texts(fault.tensors);
    json.Key("nodes"), json.Texts(fault.nodes);
    json.Key("bytes"), json.Numbers({fault.from, fault.to});
    json.End();
  }
  json.EndList();
  json.End();
  return json.Take();
}

std::string WriteAlgorithmsJson() {
  static constexpr std::pair<Honours, std::string_view> kHonourNames[] = {
      {kHonoursAlignment, "alignment"},
      {kHonoursPins, "pins"},
      {kHonoursGaps, "gaps"},
      {kHonoursConflicts, "conflicts"},
  };
  Json json;
  json.BeginList();
  for (const PlannerInfo& info : AllPlanners()) {
    json.Begin();
    json.Entry("name", info.name);
    json.Entry("summary", info.summary);
    json.Entry("source", info.source);
    json.Key("honours");
    json.BeginList();
    for (const auto& [honour, name] : kHonourNames) {
      if (info.honours & honour) json.Text(name);
    }
    json.EndList();
    json.Entry("shared_objects", info.shared_objects);
    json.Entry("searches", info.searches);
    json.End();
  }
  json.EndList();
  return json.Take();
}

}  // namespace memplan
