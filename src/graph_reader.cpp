#include "graph_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph_builder.h"
#include "graph_rows.h"
#include "interval_reader.h"
#include "json_walker.h"

namespace memplan {
namespace {

constexpr int64_t kMaxInt32 = 0x7fffffff;
// Rows of `pools`: more than any device has, and few enough to go through for each tensor.
constexpr size_t kMaxPools = 256;

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
  uint64_t head = KeyHead(text);
};

constexpr Word<Op> kOps[] = {
    {"call_function", Op::kCallFunction}, {"placeholder", Op::kPlaceholder},
    {"get_attr", Op::kGetAttr},           {"output", Op::kOutput},
    {"call_module", Op::kCallModule},     {"call_method", Op::kCallMethod},
};
constexpr Word<Variant> kVariants[] = {
    {"out", Variant::kOut}, {"functional", Variant::kFunctional}, {"inplace", Variant::kInplace}};
constexpr Word<Dynamism> kDynamisms[] = {{"static", Dynamism::kStatic},
                                         {"dynamic_bound", Dynamism::kDynamicBound},
                                         {"dynamic_unbound", Dynamism::kDynamicUnbound}};

template <typename Enum, size_t kCount>
bool ReadWord(JsonWalker& walker, const Word<Enum> (&words)[kCount], std::string_view text,
              Enum* value) {
  for (const Word<Enum>& word : words) {
    if (!IsWord(word.text, word.head, text)) continue;
    *value = word.value;
    return true;
  }
  std::string message = "expected one of";
  for (const Word<Enum>& word : words) message += " \"" + std::string(word.text) + "\"";
  return walker.Fail(ErrorCode::kInvalidInput, std::move(message));
}

// What the shapes below call.
class Reader final : public IntervalRows {
 public:
  Reader(bool keep_shapes, size_t input_size, GraphRows* rows)
      : keep_shapes_(keep_shapes),
        rows_(rows),
        input_{std::make_unique<Program>(), nullptr},
        names_(&input_.program->names) {
    // About what a row of JSON takes; growing step by step costs more time and memory.
    constexpr size_t kBytesPerName = 96;
    names_->Reserve(rows != nullptr ? rows->name_count() : input_size / kBytesPerName);
    InternTargets(names_);
    UseNames(names_);
  }

  JsonInput Take() {
    if (input_.program != nullptr) names_->Seal();
    return std::move(input_);
  }

  // --- graphs ---
  bool BeginGraph(JsonWalker& walker) {
    if (open_.size() > kMaxSubmoduleDepth) {
      return walker.Fail(ErrorCode::kInvalidInput, "submodules nest deeper than 64");
    }
    const std::string_view key = walker.map_key();
    open_.emplace_back(names_, keep_shapes_);
    if (key.data() != nullptr) graph().name = names_->Intern(key);
    return true;
  }

  bool EndSubmodule(JsonWalker& walker) {
    std::unique_ptr<Graph> done = Close(walker);
    if (done == nullptr) return false;
    graph().submodules.push_back(std::move(done));
    return true;
  }

  bool EndMethod(JsonWalker& walker) {
    std::unique_ptr<Graph> done = Close(walker);
    if (done == nullptr) return false;
    Program& program = *input_.program;
    if (!done->pools.empty() && !program.methods.empty() && !program.pools().empty() &&
        done->pools != program.pools()) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         "methods share their pools, and another one names others", "pools");
    }
    program.methods.push_back(std::move(done));
    return true;
  }

  bool EndRoot(JsonWalker& walker) {
    const int forms = int{has_graph_} + int{has_methods_} + int{seen()};
    if (forms != 1) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         "expected exactly one of \"tensors\" and \"nodes\" (a graph), \"methods\" "
                         "(several graphs), or \"buffers\" (intervals)",
                         forms == 0 ? "tensors" : "");
    }
    if (has_graph_) {
      if (!has_tensors_ || !has_nodes_) {
        return walker.Fail(ErrorCode::kInvalidInput, "missing: a graph has tensors and nodes",
                           has_tensors_ ? "nodes" : "tensors");
      }
      input_.program->graph = Close(walker);
      return input_.program->graph != nullptr;
    }
    if (has_methods_) {
      if (input_.program->methods.empty()) {
        return walker.Fail(ErrorCode::kInvalidInput, "there is no method in it", "methods");
      }
      return true;
    }
    input_.intervals = FinishRows(walker);
    input_.program = nullptr;
    return input_.intervals != nullptr;
  }

  bool SawTensors(JsonWalker& walker) {
    has_tensors_ = has_graph_ = true;
    return rows_ == nullptr || rows_->ReadTensors(&builder(), names_) || BadRows(walker);
  }
  bool SawNodes(JsonWalker& walker) {
    has_nodes_ = has_graph_ = true;
    return rows_ == nullptr || (rows_->ReadNodes(&builder(), names_) && rows_->at_end()) ||
           BadRows(walker);
  }
  bool SawMethods(JsonWalker&) { return has_methods_ = true; }
  bool Version(JsonWalker& walker, const JsonScalar& value) {
    return value.number == 1 || walker.Fail(ErrorCode::kInvalidInput, "only version 1 is known");
  }
  bool GraphName(JsonWalker&, const JsonScalar& value) {
    if (graph().name == kNoName) graph().name = names_->Intern(value.text);
    return true;
  }
  bool SharedBuffers(JsonWalker&, const JsonScalar& value) {
    input_.program->shared_buffers = value.flag;
    return true;
  }
  bool ToOutVarFailure(JsonWalker&, const JsonScalar& value) {
    graph().encounter_to_out_var_failure = value.flag;
    return true;
  }
  bool InputSize(JsonWalker& walker, const JsonScalar& value) {
    graph().input_mem_buffer_sizes.push_back(value.number);
    return graph().input_mem_buffer_sizes.size() <= kMaxMemId + 1 ||
           walker.Fail(ErrorCode::kInvalidInput, "pools are numbered up to 65536");
  }

  // --- signature ---
  bool BeginSignature(JsonWalker&) { return graph().signature.exists = true; }
  bool InputToBuffer(JsonWalker& walker, const JsonScalar& value) {
    graph().signature.inputs_to_buffers.push_back(
        {names_->Intern(walker.map_key()), names_->Intern(value.text)});
    return true;
  }
  bool BufferToMutate(JsonWalker& walker, const JsonScalar& value) {
    graph().signature.buffers_to_mutate.push_back(
        {names_->Intern(walker.map_key()), names_->Intern(value.text)});
    return true;
  }

  // --- pools ---
  bool BeginPool(JsonWalker& walker) {
    graph().pools.emplace_back();
    return graph().pools.size() <= kMaxPools ||
           walker.Fail(ErrorCode::kInvalidInput,
                       "\"pools\" has more than 256 rows; tensors need none for their mem_id");
  }
  bool PoolMemId(JsonWalker&, const JsonScalar& value) {
    graph().pools.back().mem_id = static_cast<MemId>(value.number);
    return true;
  }
  bool PoolName(JsonWalker&, const JsonScalar& value) {
    graph().pools.back().name = value.text;
    return true;
  }
  bool PoolCapacity(JsonWalker&, const JsonScalar& value) {
    graph().pools.back().capacity = value.number;
    return true;
  }
  bool PoolAlignment(JsonWalker& walker, const JsonScalar& value) {
    graph().pools.back().alignment = value.number;
    return IsAlignment(walker, value.number);
  }
  bool EndPool(JsonWalker& walker) {
    const std::vector<Pool>& pools = graph().pools;
    for (size_t i = 0; i + 1 < pools.size(); ++i) {
      if (pools[i].mem_id != pools.back().mem_id) continue;
      return walker.Fail(ErrorCode::kInvalidInput, "another pool has this mem_id", "mem_id");
    }
    return pools.back().mem_id >= 1 ||
           walker.Fail(ErrorCode::kInvalidInput, "pools count from 1", "mem_id");
  }

  // --- tensors ---
  bool BeginTensor(JsonWalker&) {
    builder().BeginTensor();
    return true;
  }
  bool EndTensor(JsonWalker& walker) {
    GraphFault fault;
    return builder().EndTensor(&fault) || Fail(walker, fault);
  }
  bool TensorId(JsonWalker&, const JsonScalar& value) {
    builder().SetTensorId(names_->Intern(value.text));
    return true;
  }
  bool Dtype(JsonWalker&, const JsonScalar& value) {
    builder().SetDtype(value.text);
    return true;
  }
  bool BeginShape(JsonWalker&) {
    builder().BeginShape();
    return true;
  }
  bool Dimension(JsonWalker&, const JsonScalar& value) {
    builder().AddDimension(value.number);
    return true;
  }
  bool Nbytes(JsonWalker&, const JsonScalar& value) {
    builder().SetNbytes(value.number);
    return true;
  }
  bool Const(JsonWalker&, const JsonScalar& value) {
    graph().tensors.is_const.back() = value.flag ? 1 : 0;
    return true;
  }
  bool TensorDynamism(JsonWalker& walker, const JsonScalar& value) {
    return ReadWord(walker, kDynamisms, value.text, &graph().tensors.dynamism.back());
  }
  bool TensorMemId(JsonWalker&, const JsonScalar& value) {
    builder().SetRare(&graph().tensors.mem_id, static_cast<MemId>(value.number), kNoPool);
    return true;
  }
  bool InplaceBase(JsonWalker&, const JsonScalar& value) {
    const auto base = static_cast<TensorIndex>(names_->Intern(value.text));
    builder().SetRare(&graph().tensors.inplace_base, base, kNoTensor);
    return true;
  }
  bool StorageBase(JsonWalker&, const JsonScalar& value) {
    const auto base = static_cast<TensorIndex>(names_->Intern(value.text));
    builder().SetRare(&graph().tensors.storage_base, base, kNoTensor);
    return true;
  }
  bool StorageBaseOffset(JsonWalker&, const JsonScalar& value) {
    builder().SetRare(&graph().tensors.storage_base_offset, value.number, Bytes{0});
    return true;
  }
  bool Cost(JsonWalker&, const JsonScalar& value) {
    builder().SetRare(&graph().tensors.cost, value.number, int64_t{kNoBytes});
    return true;
  }
  bool Device(JsonWalker&, const JsonScalar& value) {
    builder().SetRare(&graph().tensors.device, names_->Intern(value.text), kNoName);
    return true;
  }

  // --- nodes ---
  bool BeginNode(JsonWalker&) {
    builder().BeginNode();
    return true;
  }
  bool EndNode(JsonWalker& walker) {
    GraphFault fault;
    return builder().EndNode(&fault) || Fail(walker, fault);
  }
  bool NodeName(JsonWalker&, const JsonScalar& value) {
    graph().nodes.name.back() = names_->Intern(value.text);
    return true;
  }
  bool NodeOp(JsonWalker& walker, const JsonScalar& value) {
    return ReadWord(walker, kOps, value.text, &graph().nodes.op.back());
  }
  bool NodeTarget(JsonWalker&, const JsonScalar& value) {
    target_ = names_->Intern(value.text, target_);
    graph().nodes.target.back() = target_;
    return true;
  }
  bool NodeVariant(JsonWalker& walker, const JsonScalar& value) {
    return ReadWord(walker, kVariants, value.text, &graph().nodes.variant.back());
  }
  bool WeightHasGradient(JsonWalker&, const JsonScalar& value) {
    graph().nodes.weight_has_gradient.back() = value.flag ? 1 : 0;
    return true;
  }
  bool Backend(JsonWalker&, const JsonScalar& value) {
    builder().SetBackend(names_->Intern(value.text));
    return true;
  }
  bool Arg(JsonWalker&, const JsonScalar& value) {
    // Most nodes read what the one before them made.
    const std::vector<NameId>& names = graph().nodes.name;
    const NameId before = names.size() > 1 ? names[names.size() - 2] : kNoName;
    builder().AddArg(names_->Intern(value.text, before));
    return true;
  }
  bool Spec(JsonWalker&, const JsonScalar& value) {
    if (value.kind == kJsonNull) {
      builder().AddSpec(kNoName);
      return true;
    }
    // Tensors tend to be listed in the order in which nodes make them.
    spec_ = names_->Intern(value.text, spec_ + 1);
    builder().AddSpec(spec_);
    return true;
  }
  bool NodeSubmodule(JsonWalker&, const JsonScalar& value) {
    builder().AddSubmodule(names_->Intern(value.text));
    return true;
  }
  bool Carried(JsonWalker&, const JsonScalar& value) {
    builder().flow().carried = static_cast<int32_t>(value.number);
    return true;
  }
  bool Mapped(JsonWalker&, const JsonScalar& value) {
    builder().flow().mapped = static_cast<int32_t>(value.number);
    return true;
  }

  // --- scratch ---
  bool BeginScratch(JsonWalker&) {
    graph().scratch.push_back({.node = graph().nodes.size() - 1});
    return true;
  }
  bool ScratchNbytes(JsonWalker&, const JsonScalar& value) {
    graph().scratch.back().nbytes = value.number;
    return true;
  }
  bool ScratchAlignment(JsonWalker& walker, const JsonScalar& value) {
    graph().scratch.back().alignment = value.number;
    return IsAlignment(walker, value.number);
  }
  bool ScratchMemId(JsonWalker& walker, const JsonScalar& value) {
    graph().scratch.back().mem_id = static_cast<MemId>(value.number);
    return value.number >= 1 || walker.Fail(ErrorCode::kInvalidInput, "pools count from 1");
  }

 private:
  GraphBuilder& builder() { return open_.back(); }
  Graph& graph() { return open_.back().graph(); }

  static bool Fail(JsonWalker& walker, const GraphFault& fault) {
    return walker.Fail(fault.code, fault.message, fault.path);
  }

  static bool BadRows(JsonWalker& walker) {
    return walker.Fail(ErrorCode::kInternal, "the rows do not hold together");
  }

  static bool IsAlignment(JsonWalker& walker, Bytes value) {
    if (value >= 1 && (value & (value - 1)) == 0) return true;
    return walker.Fail(ErrorCode::kInvalidInput, "an alignment is a power of two");
  }

  std::unique_ptr<Graph> Close(JsonWalker& walker) {
    GraphFault fault;
    std::unique_ptr<Graph> done = builder().Finish(&place_, &fault);
    if (done == nullptr) {
      Fail(walker, fault);
      return nullptr;
    }
    open_.pop_back();
    return done;
  }

  bool keep_shapes_;
  GraphRows* rows_;
  JsonInput input_;
  Names* names_;
  std::vector<GraphBuilder> open_;  // the graph being read and those around it
  std::vector<int32_t> place_;      // by name id, for GraphBuilder::Finish
  NameId spec_ = kNoName;           // the last one met
  NameId target_ = kNoName;         // likewise
  bool has_graph_ = false;
  bool has_tensors_ = false;
  bool has_nodes_ = false;
  bool has_methods_ = false;
};

template <auto Method>
constexpr JsonSetter kSet = &JsonCall<Method>::Call;
template <auto Method>
constexpr JsonHook kHook = &JsonCall<Method>::Call;

// --- the shapes, innermost first ---

constexpr JsonField kDimension[] = {{.accepts = kJsonNumber, .set = kSet<&Reader::Dimension>}};
constexpr JsonShape kDimensions{
    .fields = kDimension, .is_list = true, .begin = kHook<&Reader::BeginShape>};

constexpr JsonField kTensorFields[] = {
    {.key = "id", .accepts = kJsonText, .set = kSet<&Reader::TensorId>, .required = true},
    {.key = "dtype", .accepts = kJsonText, .set = kSet<&Reader::Dtype>},
    {.key = "shape", .accepts = kJsonArray, .inside = &kDimensions},
    {.key = "nbytes", .accepts = kJsonNumber, .set = kSet<&Reader::Nbytes>},
    {.key = "const", .accepts = kJsonBool, .set = kSet<&Reader::Const>},
    {.key = "dynamism", .accepts = kJsonText, .set = kSet<&Reader::TensorDynamism>},
    {.key = "mem_id", .accepts = kJsonNumber, .set = kSet<&Reader::TensorMemId>, .max = kMaxMemId},
    {.key = "inplace_base", .accepts = kJsonText, .set = kSet<&Reader::InplaceBase>},
    {.key = "storage_base", .accepts = kJsonText, .set = kSet<&Reader::StorageBase>},
    {.key = "storage_base_offset", .accepts = kJsonNumber, .set = kSet<&Reader::StorageBaseOffset>},
    {.key = "cost", .accepts = kJsonNumber, .set = kSet<&Reader::Cost>},
    {.key = "device", .accepts = kJsonText, .set = kSet<&Reader::Device>},
};
constexpr JsonShape kTensor{.fields = kTensorFields,
                            .begin = kHook<&Reader::BeginTensor>,
                            .end = kHook<&Reader::EndTensor>};
constexpr JsonField kTensorItem[] = {{.accepts = kJsonObject, .inside = &kTensor}};
constexpr JsonShape kTensors{.fields = kTensorItem, .is_list = true};
constexpr JsonShape kRootTensors{
    .fields = kTensorItem, .is_list = true, .begin = kHook<&Reader::SawTensors>};

constexpr JsonField kArg[] = {{.accepts = kJsonText, .set = kSet<&Reader::Arg>}};
constexpr JsonShape kArgs{.fields = kArg, .is_list = true};
constexpr JsonField kSpec[] = {{.accepts = kJsonText | kJsonNull, .set = kSet<&Reader::Spec>}};
constexpr JsonShape kSpecs{.fields = kSpec, .is_list = true};
constexpr JsonField kNodeSubmodule[] = {
    {.accepts = kJsonText, .set = kSet<&Reader::NodeSubmodule>}};
constexpr JsonShape kNodeSubmodules{.fields = kNodeSubmodule, .is_list = true};

constexpr JsonField kScratchFields[] = {
    {.key = "nbytes",
     .accepts = kJsonNumber,
     .set = kSet<&Reader::ScratchNbytes>,
     .required = true},
    {.key = "alignment", .accepts = kJsonNumber, .set = kSet<&Reader::ScratchAlignment>},
    {.key = "mem_id", .accepts = kJsonNumber, .set = kSet<&Reader::ScratchMemId>, .max = kMaxMemId},
};
constexpr JsonShape kScratch{.fields = kScratchFields, .begin = kHook<&Reader::BeginScratch>};
constexpr JsonField kScratchItem[] = {{.accepts = kJsonObject, .inside = &kScratch}};
constexpr JsonShape kScratchList{.fields = kScratchItem, .is_list = true};

constexpr JsonField kNodeFields[] = {
    {.key = "name", .accepts = kJsonText, .set = kSet<&Reader::NodeName>, .required = true},
    {.key = "op", .accepts = kJsonText, .set = kSet<&Reader::NodeOp>, .required = true},
    {.key = "target", .accepts = kJsonText, .set = kSet<&Reader::NodeTarget>},
    {.key = "args", .accepts = kJsonArray, .inside = &kArgs},
    {.key = "specs", .accepts = kJsonArray, .inside = &kSpecs},
    {.key = "variant", .accepts = kJsonText, .set = kSet<&Reader::NodeVariant>},
    {.key = "weight_has_gradient", .accepts = kJsonBool, .set = kSet<&Reader::WeightHasGradient>},
    {.key = "backend_id", .accepts = kJsonText, .set = kSet<&Reader::Backend>},
    {.key = "submodules", .accepts = kJsonArray, .inside = &kNodeSubmodules},
    {.key = "carried", .accepts = kJsonNumber, .set = kSet<&Reader::Carried>, .max = kMaxInt32},
    {.key = "mapped", .accepts = kJsonNumber, .set = kSet<&Reader::Mapped>, .max = kMaxInt32},
    {.key = "scratch", .accepts = kJsonArray, .inside = &kScratchList},
    {.key = "source", .accepts = kJsonText},
    {.key = "module", .accepts = kJsonText},
};
constexpr JsonShape kNode{
    .fields = kNodeFields, .begin = kHook<&Reader::BeginNode>, .end = kHook<&Reader::EndNode>};
constexpr JsonField kNodeItem[] = {{.accepts = kJsonObject, .inside = &kNode}};
constexpr JsonShape kNodes{.fields = kNodeItem, .is_list = true};
constexpr JsonShape kRootNodes{
    .fields = kNodeItem, .is_list = true, .begin = kHook<&Reader::SawNodes>};

constexpr JsonField kInputToBuffer[] = {
    {.accepts = kJsonText, .set = kSet<&Reader::InputToBuffer>}};
constexpr JsonShape kInputsToBuffers{.fields = kInputToBuffer, .is_map = true};
constexpr JsonField kBufferToMutate[] = {
    {.accepts = kJsonText, .set = kSet<&Reader::BufferToMutate>}};
constexpr JsonShape kBuffersToMutate{.fields = kBufferToMutate, .is_map = true};
constexpr JsonField kSignatureFields[] = {
    {.key = "inputs_to_buffers", .accepts = kJsonObject, .inside = &kInputsToBuffers},
    {.key = "buffers_to_mutate", .accepts = kJsonObject, .inside = &kBuffersToMutate},
};
constexpr JsonShape kSignature{.fields = kSignatureFields, .begin = kHook<&Reader::BeginSignature>};

constexpr JsonField kPoolFields[] = {
    {.key = "mem_id",
     .accepts = kJsonNumber,
     .set = kSet<&Reader::PoolMemId>,
     .required = true,
     .max = kMaxMemId},
    {.key = "name", .accepts = kJsonText, .set = kSet<&Reader::PoolName>},
    {.key = "capacity", .accepts = kJsonNumber, .set = kSet<&Reader::PoolCapacity>},
    {.key = "alignment", .accepts = kJsonNumber, .set = kSet<&Reader::PoolAlignment>},
};
constexpr JsonShape kPool{
    .fields = kPoolFields, .begin = kHook<&Reader::BeginPool>, .end = kHook<&Reader::EndPool>};
constexpr JsonField kPoolItem[] = {{.accepts = kJsonObject, .inside = &kPool}};
constexpr JsonShape kPools{.fields = kPoolItem, .is_list = true};
constexpr JsonField kInputSize[] = {{.accepts = kJsonNumber, .set = kSet<&Reader::InputSize>}};
constexpr JsonShape kInputSizes{.fields = kInputSize, .is_list = true};

extern const JsonShape kSubmodules;
extern const JsonShape kMethods;

// A graph's own keys, spelled once: the root, a method and a submodule all have them.
#define MEMPLAN_GRAPH_FIELDS(tensors, nodes, required_rows)                                     \
  {.key = "version", .accepts = kJsonNumber, .set = kSet<&Reader::Version>},                    \
      {.key = "name", .accepts = kJsonText, .set = kSet<&Reader::GraphName>},                   \
      {.key = "tensors",                                                                        \
       .accepts = kJsonArray,                                                                   \
       .inside = &(tensors),                                                                    \
       .required = (required_rows)},                                                            \
      {.key = "nodes", .accepts = kJsonArray, .inside = &(nodes), .required = (required_rows)}, \
      {.key = "submodules", .accepts = kJsonObject, .inside = &kSubmodules},                    \
      {.key = "signature", .accepts = kJsonObject, .inside = &kSignature},                      \
      {.key = "pools", .accepts = kJsonArray, .inside = &kPools},                               \
      {.key = "input_mem_buffer_sizes", .accepts = kJsonArray, .inside = &kInputSizes}, {       \
    .key = "encounter_to_out_var_failure", .accepts = kJsonBool,                                \
    .set = kSet<&Reader::ToOutVarFailure>                                                       \
  }

const JsonField kGraphFields[] = {MEMPLAN_GRAPH_FIELDS(kTensors, kNodes, true)};
const JsonShape kSubmodule{.fields = kGraphFields,
                           .begin = kHook<&Reader::BeginGraph>,
                           .end = kHook<&Reader::EndSubmodule>};
const JsonField kSubmoduleItem[] = {{.accepts = kJsonObject, .inside = &kSubmodule}};
const JsonShape kSubmodules{.fields = kSubmoduleItem, .is_map = true};

const JsonShape kMethod{
    .fields = kGraphFields, .begin = kHook<&Reader::BeginGraph>, .end = kHook<&Reader::EndMethod>};
const JsonField kMethodItem[] = {{.accepts = kJsonObject, .inside = &kMethod}};
const JsonShape kMethods{
    .fields = kMethodItem, .is_map = true, .begin = kHook<&Reader::SawMethods>};

}  // namespace

Result<JsonInput> ReadJsonInput(std::span<char> bytes, bool keep_shapes, GraphRows* rows) {
  Reader reader(keep_shapes, bytes.size(), rows);
  const JsonField fields[] = {
      MEMPLAN_GRAPH_FIELDS(kRootTensors, kRootNodes, false),
      {.key = "methods", .accepts = kJsonObject, .inside = &kMethods},
      {.key = "shared_buffers", .accepts = kJsonBool, .set = kSet<&Reader::SharedBuffers>},
      IntervalRows::kBuffersField,
      IntervalRows::kCapacityField,
      IntervalRows::kConflictsField,
  };
  const JsonShape root{
      .fields = fields, .begin = kHook<&Reader::BeginGraph>, .end = kHook<&Reader::EndRoot>};
  if (Status walked = WalkJson(bytes, root, &reader); !walked) {
    return tl::unexpected(walked.error());
  }
  return reader.Take();
}

#undef MEMPLAN_GRAPH_FIELDS

}  // namespace memplan
