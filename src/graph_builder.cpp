#include "graph_builder.h"

#include <algorithm>
#include <bit>

#include "dtype.h"
#include "message.h"

namespace memplan {
namespace {

struct KnownTarget {
  std::string_view name;
  Target kind;
};

constexpr KnownTarget kTargets[] = {
    {"memory.alloc", Target::kAlloc},
    {"memory.view", Target::kView},
    {"memory.free", Target::kFree},
    {"operator.getitem", Target::kGetItem},
    {"cond", Target::kCond},
    {"while", Target::kWhile},
    {"map", Target::kMap},
    {"scan", Target::kScan},
    {"executorch_call_delegate", Target::kDelegate},
};

// More elements than bytes can be counted.
constexpr Bytes kTooMany = kMaxBytes + 1;

std::string Row(const char* list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

template <typename T>
void CloseColumn(std::vector<T>* column, size_t rows, T none) {
  if (!column->empty()) column->resize(rows, none);
}

}  // namespace

void InternTargets(Names* names) {
  for (const KnownTarget& target : kTargets) names->Intern(target.name);
}

Target TargetOf(NameId target) {
  return target < std::size(kTargets) ? kTargets[target].kind : Target::kOperator;
}

GraphBuilder::GraphBuilder(Names* names, bool keep_shapes)
    : names_(names), keep_shapes_(keep_shapes), graph_(std::make_unique<Graph>()) {
  // Room for a small graph, whose columns would else grow four times each.
  constexpr size_t kFew = 16;
  ReserveTensors(kFew);
  ReserveNodes(kFew);
}

void GraphBuilder::ReserveTensors(size_t count) {
  Tensors& tensors = graph_->tensors;
  tensors.id.reserve(count);
  tensors.nbytes.reserve(count);
  tensors.dynamism.reserve(count);
  tensors.is_const.reserve(count);
}

void GraphBuilder::ReserveNodes(size_t count) {
  Nodes& nodes = graph_->nodes;
  // The `first_` columns have one entry more.
  for (auto* column : {&nodes.name, &nodes.target, &nodes.first_spec, &nodes.first_arg}) {
    column->reserve(count + 1);
  }
  for (auto* column : {&nodes.specs, &nodes.args}) column->reserve(count);
  nodes.op.reserve(count);
  nodes.kind.reserve(count);
  nodes.variant.reserve(count);
  nodes.weight_has_gradient.reserve(count);
}

void GraphBuilder::BeginTensor() {
  Tensors& tensors = graph_->tensors;
  tensors.id.push_back(kNoName);
  tensors.nbytes.push_back(0);
  tensors.dynamism.push_back(Dynamism::kStatic);
  tensors.is_const.push_back(0);
  if (keep_shapes_) tensors.first_dim.push_back(static_cast<uint32_t>(tensors.dims.size()));
  dtype_ = {};
  nbytes_ = kNoBytes;
  elements_ = 1;
  has_zero_ = false;
  has_shape_ = false;
}

void GraphBuilder::AddDimension(Bytes size) {
  if (keep_shapes_) graph_->tensors.dims.push_back(size);
  if (size == 0) {
    has_zero_ = true;
  } else {
    // Nearly always that is clear without a division.
    const auto product = static_cast<uint64_t>(elements_) * static_cast<uint64_t>(size);
    const bool is_small = std::bit_width(static_cast<uint64_t>(elements_)) +
                              std::bit_width(static_cast<uint64_t>(size)) <=
                          53;
    elements_ = is_small || elements_ <= kMaxBytes / size ? static_cast<Bytes>(product) : kTooMany;
  }
}

bool GraphBuilder::EndTensor(GraphFault* fault) {
  Bytes& nbytes = graph_->tensors.nbytes.back();
  if (nbytes_ != kNoBytes) {
    nbytes = nbytes_;
    return true;
  }
  if (dtype_.data() == nullptr || !has_shape_) {
    const char* missing = dtype_.data() == nullptr ? "dtype" : "shape";
    *fault = {ErrorCode::kInvalidInput,
              "a tensor needs \"nbytes\", or both \"dtype\" and \"shape\"", missing};
    return false;
  }
  const Bytes element = DtypeSize(dtype_);
  if (element == 0) {
    *fault = {ErrorCode::kInvalidInput,
              "unknown dtype \"" + std::string(dtype_.substr(0, 100)) + "\"; give \"nbytes\" too",
              "dtype"};
    return false;
  }
  if (has_zero_) return true;
  if (elements_ > kMaxBytes / element) {
    *fault = {ErrorCode::kTooLarge, "the tensor has more than 2^53 - 1 bytes", "shape"};
    return false;
  }
  nbytes = elements_ * element;
  return true;
}

void GraphBuilder::BeginNode() {
  Nodes& nodes = graph_->nodes;
  nodes.name.push_back(kNoName);
  nodes.target.push_back(kNoName);
  nodes.op.push_back(Op::kCallFunction);
  nodes.kind.push_back(Target::kOperator);
  nodes.variant.push_back(Variant::kFunctional);
  nodes.weight_has_gradient.push_back(0);
  nodes.first_spec.push_back(static_cast<uint32_t>(nodes.specs.size()));
  nodes.first_arg.push_back(static_cast<uint32_t>(nodes.args.size()));
  flow_.submodules.clear();
  flow_.carried = ControlFlow::kUnset;
  flow_.mapped = ControlFlow::kUnset;
}

void GraphBuilder::SetBackend(NameId backend) {
  Nodes& nodes = graph_->nodes;
  nodes.backend_id.resize(nodes.name.size(), kNoName);
  nodes.backend_id.back() = backend;
}

bool GraphBuilder::EndNode(GraphFault* fault) {
  Nodes& nodes = graph_->nodes;
  Target& kind = nodes.kind.back();
  if (nodes.op.back() == Op::kCallFunction) kind = TargetOf(nodes.target.back());
  const bool runs_submodules = kind == Target::kCond || kind == Target::kWhile ||
                               kind == Target::kMap || kind == Target::kScan;
  if (!flow_.submodules.empty() && !runs_submodules) {
    *fault = {ErrorCode::kInvalidInput, "only cond, while, map and scan nodes have submodules",
              "submodules"};
    return false;
  }
  if (runs_submodules) {
    flow_.node = nodes.size() - 1;
    graph_->control_flow.push_back(flow_);
  }
  return true;
}

void GraphBuilder::CloseRareColumns() {
  Tensors& tensors = graph_->tensors;
  const size_t rows = tensors.id.size();
  CloseColumn(&tensors.mem_id, rows, kNoPool);
  CloseColumn(&tensors.inplace_base, rows, kNoTensor);
  CloseColumn(&tensors.storage_base, rows, kNoTensor);
  CloseColumn(&tensors.storage_base_offset, rows, Bytes{0});
  CloseColumn(&tensors.cost, rows, int64_t{kNoBytes});
  CloseColumn(&tensors.device, rows, kNoName);
  if (keep_shapes_) tensors.first_dim.push_back(static_cast<uint32_t>(tensors.dims.size()));
  Nodes& nodes = graph_->nodes;
  nodes.first_spec.push_back(static_cast<uint32_t>(nodes.specs.size()));
  nodes.first_arg.push_back(static_cast<uint32_t>(nodes.args.size()));
  CloseColumn(&nodes.backend_id, nodes.name.size(), kNoName);
}

std::unique_ptr<Graph> GraphBuilder::Finish(std::vector<int32_t>* place, GraphFault* fault) {
  CloseRareColumns();
  place->resize(names_->size(), -1);
  bool fine = ResolveTensorNames(place, fault);
  for (const NameId id : graph_->tensors.id) (*place)[id] = -1;
  if (fine) {
    fine = ResolveNodeNames(place, fault);
    for (const NameId name : graph_->nodes.name) (*place)[name] = -1;
  }
  if (fine) {
    FollowViews();
    fine = ResolveSubmodules(place, fault);
    for (const auto& submodule : graph_->submodules) (*place)[submodule->name] = -1;
  }
  fine = fine && CheckSignature(place, fault);
  return fine ? std::move(graph_) : nullptr;
}

bool GraphBuilder::ResolveTensorNames(std::vector<int32_t>* place, GraphFault* fault) {
  Tensors& tensors = graph_->tensors;
  for (TensorIndex t = 0; t < tensors.size(); ++t) {
    int32_t& at = (*place)[tensors.id[t]];
    if (at >= 0) {
      *fault = {ErrorCode::kInvalidInput,
                "the id \"" + std::string((*names_)[tensors.id[t]]) + "\" is there twice",
                Row("tensors", t) + ".id"};
      return false;
    }
    at = t;
  }
  Nodes& nodes = graph_->nodes;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    for (uint32_t i = nodes.first_spec[n]; i < nodes.first_spec[n + 1]; ++i) {
      if (nodes.specs[i] == kNoTensor) continue;
      const auto id = static_cast<NameId>(nodes.specs[i]);
      nodes.specs[i] = (*place)[id];
      if (nodes.specs[i] >= 0) continue;
      *fault = {ErrorCode::kInvalidInput,
                "no tensor has the id \"" + std::string((*names_)[id]) + "\"",
                Row("nodes", n) + "." + Row("specs", i - nodes.first_spec[n])};
      return false;
    }
  }
  return ResolveBases("inplace_base", &tensors.inplace_base, *place, fault) &&
         ResolveBases("storage_base", &tensors.storage_base, *place, fault);
}

bool GraphBuilder::ResolveBases(const char* key, std::vector<TensorIndex>* column,
                                const std::vector<int32_t>& place, GraphFault* fault) {
  for (size_t t = 0; t < column->size(); ++t) {
    if ((*column)[t] == kNoTensor) continue;
    const auto id = static_cast<NameId>((*column)[t]);
    (*column)[t] = place[id];
    if ((*column)[t] >= 0) continue;
    *fault = {ErrorCode::kInvalidInput,
              "no tensor has the id \"" + std::string((*names_)[id]) + "\"",
              Row("tensors", t) + "." + key};
    return false;
  }
  return true;
}

bool GraphBuilder::ResolveNodeNames(std::vector<int32_t>* place, GraphFault* fault) {
  Nodes& nodes = graph_->nodes;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    for (uint32_t i = nodes.first_arg[n]; i < nodes.first_arg[n + 1]; ++i) {
      const auto name = static_cast<NameId>(nodes.args[i]);
      nodes.args[i] = (*place)[name];
      if (nodes.args[i] >= 0) continue;
      *fault = {ErrorCode::kInvalidInput,
                "no earlier node has the name \"" + std::string((*names_)[name]) + "\"",
                Row("nodes", n) + "." + Row("args", i - nodes.first_arg[n])};
      return false;
    }
    int32_t& at = (*place)[nodes.name[n]];
    if (at >= 0) {
      *fault = {ErrorCode::kInvalidInput,
                "the name \"" + std::string((*names_)[nodes.name[n]]) + "\" is there twice",
                Row("nodes", n) + ".name"};
      return false;
    }
    at = n;
  }
  return true;
}

void GraphBuilder::FollowViews() {
  Nodes& nodes = graph_->nodes;
  if (std::find(nodes.kind.begin(), nodes.kind.end(), Target::kView) == nodes.kind.end()) return;
  nodes.source.reserve(nodes.name.size());
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const std::span<const NodeIndex> args = nodes.args_of(n);
    // Args are earlier nodes, so theirs are known.
    nodes.source.push_back(nodes.kind[n] == Target::kView && !args.empty() ? nodes.source[args[0]]
                                                                           : n);
  }
}

bool GraphBuilder::ResolveSubmodules(std::vector<int32_t>* place, GraphFault* fault) {
  for (size_t i = 0; i < graph_->submodules.size(); ++i) {
    const NameId name = graph_->submodules[i]->name;
    int32_t& at = (*place)[name];
    if (at >= 0) {
      *fault = {ErrorCode::kInvalidInput,
                "the submodule \"" + std::string((*names_)[name]) + "\" is there twice",
                "submodules"};
      return false;
    }
    at = static_cast<int32_t>(i);
  }
  for (ControlFlow& flow : graph_->control_flow) {
    for (size_t i = 0; i < flow.submodules.size(); ++i) {
      const auto name = static_cast<NameId>(flow.submodules[i]);
      flow.submodules[i] = (*place)[name];
      if (flow.submodules[i] >= 0) continue;
      *fault = {ErrorCode::kInvalidInput,
                "no submodule has the name \"" + std::string((*names_)[name]) + "\"",
                Row("nodes", static_cast<size_t>(flow.node)) + "." + Row("submodules", i)};
      return false;
    }
  }
  return true;
}

// The nodes that hold new values may have other names by now; a buffer that is none would lose its
// state.
bool GraphBuilder::CheckSignature(std::vector<int32_t>* place, GraphFault* fault) const {
  const Signature& signature = graph_->signature;
  const Nodes& nodes = graph_->nodes;
  const auto mark_inputs = [&](int32_t mark) {
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      if (nodes.op[n] == Op::kPlaceholder && nodes.target[n] != kNoName) {
        (*place)[nodes.target[n]] = mark;
      }
    }
  };
  const auto mark_buffers = [&](int32_t mark) {
    for (const NamePair& pair : signature.inputs_to_buffers) (*place)[pair.value] = mark;
  };
  const auto check = [&](const std::vector<NamePair>& pairs, NameId NamePair::*name,
                         const char* list, const char* what) {
    for (const NamePair& pair : pairs) {
      if ((*place)[pair.*name] >= 0) continue;
      *fault = {ErrorCode::kInvalidInput, Message({what, " \"", (*names_)[pair.*name], "\""}),
                Message({"signature.", list, ".", (*names_)[pair.key]})};
      return false;
    }
    return true;
  };
  if (!signature.exists) return true;
  mark_inputs(0);
  bool fine = check(signature.inputs_to_buffers, &NamePair::key, "inputs_to_buffers",
                    "no placeholder has the target");
  mark_inputs(-1);
  if (!fine) return false;
  mark_buffers(0);
  fine = check(signature.buffers_to_mutate, &NamePair::value, "buffers_to_mutate",
               "no input is the buffer");
  mark_buffers(-1);
  return fine;
}

}  // namespace memplan
