#include "plan_reader.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "json_walker.h"
#include "message.h"
#include "name_index.h"

namespace memplan {
namespace {

constexpr int64_t kMaxInt32 = 0x7fffffff;

// Columns of `rows` entries that say nothing.
GraphPlan EmptyPlan(size_t rows) {
  GraphPlan plan;
  plan.lifetime.resize(rows);
  plan.allocated.resize(rows, kNoBytes);
  plan.mem_id.resize(rows, kNoPool);
  plan.mem_obj_id.resize(rows, -1);
  plan.mem_offset.resize(rows, kNoBytes);
  return plan;
}

// Recursion is as deep as submodules nest, which the graph's reader limits.
GraphPlan EmptyPlan(const Graph& graph) {
  GraphPlan plan = EmptyPlan(graph.tensors.id.size());
  plan.graph = &graph;
  for (const auto& submodule : graph.submodules) plan.submodules.push_back(EmptyPlan(*submodule));
  return plan;
}

std::vector<NameId> NamesOf(const std::vector<std::unique_ptr<Graph>>& graphs) {
  std::vector<NameId> names;
  names.reserve(graphs.size());
  for (const auto& graph : graphs) names.push_back(graph->name);
  return names;
}

// A graph's plan that is being read.
struct OpenPlan {
  // By pointer, since the index refers to the column of names.
  struct Submodules {
    std::vector<NameId> names;
    std::vector<uint8_t> seen;
    std::unique_ptr<NameIndex> index;
  };

  OpenPlan(GraphPlan* plan_read, const Names* names, const std::vector<NameId>* ids,
           const std::vector<std::unique_ptr<Graph>>* graphs)
      : plan(plan_read), tensors(names, ids), seen(ids->size()) {
    if (graphs == nullptr) return;
    submodules = std::make_unique<Submodules>();
    submodules->names = NamesOf(*graphs);
    submodules->seen.resize(graphs->size());
    submodules->index = std::make_unique<NameIndex>(names, &submodules->names);
  }

  GraphPlan* plan;
  NameIndex tensors;
  std::vector<uint8_t> seen;  // rows that the JSON had
  std::unique_ptr<Submodules> submodules;
  std::unique_ptr<NameIndex> nodes;  // made at the first of `frees`
};

// What the shapes below call. Its name differs from other readers': GCC 12 gives instances of
// JsonCall external linkage even where the class is local to a file.
class PlanRows final : public JsonReader {
 public:
  explicit PlanRows(const Program& program) : program_(&program), names_(&program.names) {
    Plan& plan = file_.plan;
    if (program.graph != nullptr) {
      plan.top = EmptyPlan(*program.graph);
      Open(&plan.top);
    } else {
      for (const auto& method : program.methods) plan.methods.push_back(EmptyPlan(*method));
      // Of the root: no tensors of its own, methods in place of submodules.
      open_.emplace_back(&plan.top, names_, &no_ids_, &program.methods);
    }
  }
  explicit PlanRows(const IntervalFile& intervals) : names_(&intervals.names) {
    file_.plan.top = EmptyPlan(intervals.id.size());
    open_.emplace_back(&file_.plan.top, names_, &intervals.id, nullptr);
  }

  PlanFile Take() {
    file_.plan.buffer_sizes = file_.plan.top.buffer_sizes;
    return std::move(file_);
  }

  // --- the root ---
  bool PlanRules(JsonWalker&, const JsonScalar& value) {
    for (const Rules rules : {Rules::kSound, Rules::kExecutorch2024, Rules::kExecutorch2026}) {
      if (value.text != RulesName(rules)) continue;
      file_.plan.options.rules = rules;
      file_.has_rules = true;
    }
    return true;
  }
  bool Hash(JsonWalker&, const JsonScalar& value) {
    file_.graph_hash = value.text;
    return true;
  }
  bool EndRoot(JsonWalker& walker) {
    const bool has_methods = program_ != nullptr && program_->graph == nullptr;
    if (has_methods ? saw_methods_ : saw_tensors_) return true;
    const char* key = has_methods ? "methods" : "tensors";
    return walker.Fail(ErrorCode::kInvalidInput, Message({"\"", key, "\" is missing"}), key);
  }

  // --- a graph's plan ---
  bool BeginMethods(JsonWalker& walker) {
    saw_methods_ = true;
    return program_->graph == nullptr ||
           walker.Fail(ErrorCode::kInvalidInput, "the input is one graph, without methods");
  }
  bool BeginMethod(JsonWalker& walker) { return BeginBelow(walker, "method"); }
  bool BeginSubmodule(JsonWalker& walker) {
    // The root of a program with methods has no submodules.
    if (program_->graph == nullptr && open_.size() == 1) {
      return walker.Fail(ErrorCode::kInvalidInput, "the input has methods");
    }
    return BeginBelow(walker, "submodule");
  }
  bool EndBelow(JsonWalker&) {
    open_.pop_back();
    return true;
  }
  bool BeginSizes(JsonWalker&) {
    plan().has_buffer_sizes = true;
    return true;
  }
  bool Size(JsonWalker& walker, const JsonScalar& value) {
    plan().buffer_sizes.push_back(value.number);
    return plan().buffer_sizes.size() <= kMaxMemId + 1 ||
           walker.Fail(ErrorCode::kInvalidInput, "there are more pools than can be");
  }

  // --- a tensor ---
  bool BeginTensors(JsonWalker&) {
    if (open_.size() == 1) saw_tensors_ = true;
    return true;
  }
  bool BeginTensor(JsonWalker&) {
    row_ = {};
    return true;
  }
  bool Id(JsonWalker&, const JsonScalar& value) {
    row_.id = value.text;
    return true;
  }
  bool LifetimeEnd(JsonWalker& walker, const JsonScalar& value) {
    if (row_.ends == 2) return walker.Fail(ErrorCode::kInvalidInput, "a lifetime has two ends");
    row_.lifetime[row_.ends++] =
        value.kind == kJsonNull ? -1 : std::min<int64_t>(value.number, kMaxInt32);
    return true;
  }
  bool Allocated(JsonWalker&, const JsonScalar& value) {
    if (value.kind == kJsonNumber) row_.allocated = value.number;
    return true;
  }
  bool MemoryId(JsonWalker&, const JsonScalar& value) {
    if (value.kind == kJsonNumber) row_.mem_id = static_cast<MemId>(value.number);
    return true;
  }
  bool ObjectId(JsonWalker&, const JsonScalar& value) {
    if (value.kind == kJsonNumber) row_.mem_obj_id = static_cast<int32_t>(value.number);
    return true;
  }
  bool Offset(JsonWalker&, const JsonScalar& value) {
    if (value.kind == kJsonNumber) row_.mem_offset = value.number;
    return true;
  }
  bool EndTensor(JsonWalker& walker) {
    OpenPlan& open = open_.back();
    const int32_t at = open.tensors.Find(row_.id);
    if (at < 0) return Unknown(walker, "tensor", row_.id, "id");
    if (open.seen[at] != 0) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         Message({"the id \"", row_.id, "\" is there twice"}), "id");
    }
    open.seen[at] = 1;
    if (row_.ends == 2 && row_.lifetime[0] >= 0 && row_.lifetime[1] >= 0) {
      plan().lifetime[at] = {static_cast<NodeIndex>(row_.lifetime[0]),
                             static_cast<NodeIndex>(row_.lifetime[1])};
    }
    plan().allocated[at] = row_.allocated;
    plan().mem_id[at] = row_.mem_id;
    plan().mem_obj_id[at] = row_.mem_obj_id;
    plan().mem_offset[at] = row_.mem_offset;
    return true;
  }

  // --- frees ---
  bool BeginFree(JsonWalker&) {
    freed_ = {};
    return true;
  }
  bool FreeAfter(JsonWalker&, const JsonScalar& value) {
    freed_.first = value.text;
    return true;
  }
  bool FreedTensor(JsonWalker&, const JsonScalar& value) {
    freed_.second = value.text;
    return true;
  }
  bool EndFree(JsonWalker& walker) {
    OpenPlan& open = open_.back();
    // The root of a program with methods.
    if (plan().graph == nullptr) return Unknown(walker, "node", freed_.first, "after");
    if (open.nodes == nullptr) {
      open.nodes = std::make_unique<NameIndex>(names_, &plan().graph->nodes.name);
    }
    const int32_t node = open.nodes->Find(freed_.first);
    if (node < 0) return Unknown(walker, "node", freed_.first, "after");
    const int32_t tensor = open.tensors.Find(freed_.second);
    if (tensor < 0) return Unknown(walker, "tensor", freed_.second, "tensor");
    plan().frees.push_back({node, tensor});
    return true;
  }

 private:
  struct Row {
    std::string_view id;
    int ends = 0;
    int64_t lifetime[2] = {-1, -1};
    Bytes allocated = kNoBytes;
    MemId mem_id = kNoPool;
    int32_t mem_obj_id = -1;
    Bytes mem_offset = kNoBytes;
  };

  GraphPlan& plan() { return *open_.back().plan; }

  void Open(GraphPlan* plan_read) {
    open_.emplace_back(plan_read, names_, &plan_read->graph->tensors.id,
                       &plan_read->graph->submodules);
  }

  // The plan of a submodule, or of a method of the root.
  bool BeginBelow(JsonWalker& walker, const char* what) {
    OpenPlan::Submodules& below = *open_.back().submodules;
    const std::string_view name = walker.map_key();
    const int32_t at = below.index->Find(name);
    if (at < 0) return Unknown(walker, what, name, {});
    if (below.seen[at] != 0) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         Message({"the name \"", name, "\" is there twice"}));
    }
    below.seen[at] = 1;
    const bool is_method = plan().graph == nullptr;
    Open(is_method ? &file_.plan.methods[at] : &plan().submodules[at]);
    return true;
  }

  static bool Unknown(JsonWalker& walker, const char* what, std::string_view name,
                      std::string_view below) {
    return walker.Fail(ErrorCode::kInvalidInput,
                       Message({"the input has no ", what, " \"", name.substr(0, 200), "\""}),
                       below);
  }

  PlanFile file_;
  const Program* program_ = nullptr;  // null for an interval problem
  const Names* names_;
  const std::vector<NameId> no_ids_;
  std::vector<OpenPlan> open_;
  Row row_;
  std::pair<std::string_view, std::string_view> freed_;
  bool saw_tensors_ = false;
  bool saw_methods_ = false;
};

template <auto Method>
constexpr JsonSetter kSet = &JsonCall<Method>::Call;
template <auto Method>
constexpr JsonHook kHook = &JsonCall<Method>::Call;

// --- the shapes, innermost first ---

constexpr uint8_t kNumberOrNull = kJsonNumber | kJsonNull;

constexpr JsonField kEnd[] = {{.accepts = kNumberOrNull, .set = kSet<&PlanRows::LifetimeEnd>}};
constexpr JsonShape kLifetime{.fields = kEnd, .is_list = true};
constexpr JsonField kTensorFields[] = {
    {.key = "id", .accepts = kJsonText, .set = kSet<&PlanRows::Id>, .required = true},
    {.key = "lifetime", .accepts = kJsonArray | kJsonNull, .inside = &kLifetime},
    {.key = "allocated_memory", .accepts = kNumberOrNull, .set = kSet<&PlanRows::Allocated>},
    {.key = "mem_id", .accepts = kNumberOrNull, .set = kSet<&PlanRows::MemoryId>, .max = kMaxMemId},
    {.key = "mem_obj_id",
     .accepts = kNumberOrNull,
     .set = kSet<&PlanRows::ObjectId>,
     .max = kMaxInt32},
    {.key = "mem_offset", .accepts = kNumberOrNull, .set = kSet<&PlanRows::Offset>},
};
constexpr JsonShape kTensor{.fields = kTensorFields,
                            .begin = kHook<&PlanRows::BeginTensor>,
                            .end = kHook<&PlanRows::EndTensor>};
constexpr JsonField kTensorItem[] = {{.accepts = kJsonObject, .inside = &kTensor}};
constexpr JsonShape kTensors{
    .fields = kTensorItem, .is_list = true, .begin = kHook<&PlanRows::BeginTensors>};

constexpr JsonField kSize[] = {{.accepts = kJsonNumber, .set = kSet<&PlanRows::Size>}};
constexpr JsonShape kSizes{.fields = kSize, .is_list = true, .begin = kHook<&PlanRows::BeginSizes>};

constexpr JsonField kFreeFields[] = {
    {.key = "after", .accepts = kJsonText, .set = kSet<&PlanRows::FreeAfter>, .required = true},
    {.key = "tensor", .accepts = kJsonText, .set = kSet<&PlanRows::FreedTensor>, .required = true},
};
constexpr JsonShape kFree{
    .fields = kFreeFields, .begin = kHook<&PlanRows::BeginFree>, .end = kHook<&PlanRows::EndFree>};
constexpr JsonField kFreeItem[] = {{.accepts = kJsonObject, .inside = &kFree}};
constexpr JsonShape kFrees{.fields = kFreeItem, .is_list = true};

extern const JsonShape kSubmodules;

const JsonField kGraphFields[] = {
    {.key = "buffer_sizes", .accepts = kJsonArray | kJsonNull, .inside = &kSizes},
    {.key = "tensors", .accepts = kJsonArray, .inside = &kTensors, .required = true},
    {.key = "frees", .accepts = kJsonArray | kJsonNull, .inside = &kFrees},
    {.key = "submodules", .accepts = kJsonObject | kJsonNull, .inside = &kSubmodules},
};
const JsonShape kSubmodule{.fields = kGraphFields,
                           .begin = kHook<&PlanRows::BeginSubmodule>,
                           .end = kHook<&PlanRows::EndBelow>};
const JsonField kSubmoduleItem[] = {{.accepts = kJsonObject, .inside = &kSubmodule}};
const JsonShape kSubmodules{.fields = kSubmoduleItem, .is_map = true};

const JsonShape kMethod{.fields = kGraphFields,
                        .begin = kHook<&PlanRows::BeginMethod>,
                        .end = kHook<&PlanRows::EndBelow>};
const JsonField kMethodItem[] = {{.accepts = kJsonObject, .inside = &kMethod}};
const JsonShape kMethods{
    .fields = kMethodItem, .is_map = true, .begin = kHook<&PlanRows::BeginMethods>};

constexpr JsonField kRulesField{
    .key = "rules", .accepts = kJsonText | kJsonNull, .set = kSet<&PlanRows::PlanRules>};
constexpr JsonField kHashField{
    .key = "graph_hash", .accepts = kJsonText | kJsonNull, .set = kSet<&PlanRows::Hash>};
constexpr JsonField kSizesField{
    .key = "buffer_sizes", .accepts = kJsonArray, .inside = &kSizes, .required = true};
constexpr JsonField kTensorsField{.key = "tensors", .accepts = kJsonArray, .inside = &kTensors};

Result<PlanFile> Walk(std::span<char> json, std::span<const JsonField> fields, PlanRows* reader) {
  const JsonShape root{.fields = fields, .end = kHook<&PlanRows::EndRoot>};
  if (Status walked = WalkJson(json, root, reader); !walked) {
    return tl::unexpected(walked.error());
  }
  return reader->Take();
}

}  // namespace

Result<PlanFile> ReadPlan(std::span<char> json, const Program& program) {
  const JsonField fields[] = {
      kRulesField,
      kHashField,
      kSizesField,
      kTensorsField,
      {.key = "frees", .accepts = kJsonArray | kJsonNull, .inside = &kFrees},
      {.key = "submodules", .accepts = kJsonObject | kJsonNull, .inside = &kSubmodules},
      {.key = "methods", .accepts = kJsonObject, .inside = &kMethods},
  };
  PlanRows reader(program);
  return Walk(json, fields, &reader);
}

Result<PlanFile> ReadIntervalPlan(std::span<char> json, const IntervalFile& intervals) {
  const JsonField fields[] = {kRulesField, kHashField, kSizesField, kTensorsField};
  PlanRows reader(intervals);
  return Walk(json, fields, &reader);
}

}  // namespace memplan
