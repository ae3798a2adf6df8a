#include "verifier/graph_reading.h"

#include <algorithm>

#include "message.h"
#include "row_sort.h"
#include "verifier/flow_binding.h"
#include "verifier/storage_map.h"

namespace memplan::verifier {
namespace {

// Reads one graph: FillStorages, FillLifetimes, FillFlows, in that order.
class Reader {
 public:
  Reader(const Graph& graph, const Names& names, bool with_writes, const GraphReading* caller)
      : graph_(graph),
        nodes_(graph.nodes),
        names_(names),
        with_writes_(with_writes || !graph.control_flow.empty()),
        sources_(SourcesOf(graph.nodes)) {
    reading_ = std::make_unique<GraphReading>();
    reading_->graph = &graph;
    reading_->caller = caller;
    reading_->submodules.resize(graph.submodules.size());
  }

  Result<std::unique_ptr<GraphReading>> Read() {
    FillStorages();
    FillLifetimes();
    // A submodule's signature does not count.
    if (reading_->caller == nullptr) FillState();
    if (Status status = FillFlows(); !status) return tl::unexpected(status.error());
    return std::move(reading_);
  }

 private:
  std::span<const TensorIndex> Yields(NodeIndex node) const {
    return nodes_.specs_of(sources_[node]);
  }

  // --- storages ---

  void Join(StorageMap* map, TensorIndex tensor, TensorIndex base, Bytes offset) {
    if (!map->Join(tensor, base, offset)) reading_->contradictions.push_back(tensor);
  }

  void FillStorages() {
    const Tensors& tensors = graph_.tensors;
    StorageMap map(tensors.size());
    for (TensorIndex t = 0; t < static_cast<TensorIndex>(tensors.inplace_base.size()); ++t) {
      if (tensors.inplace_base[t] != kNoTensor) Join(&map, t, tensors.inplace_base[t], 0);
    }
    for (TensorIndex t = 0; t < static_cast<TensorIndex>(tensors.storage_base.size()); ++t) {
      const TensorIndex base = tensors.storage_base[t];
      if (base != kNoTensor) Join(&map, t, base, tensors.storage_base_offset_of(t));
    }
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      // A view's own specs, where it has others than what it looks at, are the same bytes one by
      // one; so are an in-place operator's results and its first argument.
      const std::span<const NodeIndex> args = nodes_.args_of(n);
      const bool is_view = nodes_.kind[n] == Target::kView;
      const bool is_inplace =
          nodes_.variant[n] == Variant::kInplace && nodes_.op[n] == Op::kCallFunction;
      if ((is_view || is_inplace) && !args.empty())
        JoinAll(&map, nodes_.specs_of(n), Yields(args[0]));
    }
    map.Settle(&reading_->storage, &reading_->offset);
  }

  void JoinAll(StorageMap* map, std::span<const TensorIndex> tensors,
               std::span<const TensorIndex> bases) {
    for (size_t i = 0; i < std::min(tensors.size(), bases.size()); ++i) {
      if (tensors[i] != kNoTensor && bases[i] != kNoTensor) Join(map, tensors[i], bases[i], 0);
    }
  }

  // --- lifetimes ---

  void Name(TensorIndex tensor, NodeIndex node) {
    reading_->life[reading_->storage[tensor]].Extend(node);
  }

  void Mark(TensorIndex tensor, uint8_t flags) {
    reading_->flags[reading_->storage[tensor]] |= flags;
  }

  void FillLifetimes() {
    const Tensors& tensors = graph_.tensors;
    const size_t count = tensors.id.size();
    reading_->life.resize(count);
    reading_->size.resize(count, 0);
    reading_->flags.resize(count, 0);
    reading_->tensor_flags.resize(count, 0);
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      const TensorIndex s = reading_->storage[t];
      reading_->size[s] = std::max(reading_->size[s], reading_->offset_of(t) + tensors.nbytes[t]);
      if (s != t) reading_->tensor_flags[s] |= kHasOthers;
      if (tensors.is_const[t] != 0) Mark(t, kConstant);
      if (tensors.dynamism[t] == Dynamism::kDynamicUnbound) Mark(t, kUnbound);
    }
    NameTensors();
    for (NodeIndex n = 0; n < nodes_.size(); ++n) NameEnds(n);
    if (with_writes_) FillWritten();
  }

  void FillWritten() {
    reading_->written.resize(reading_->size.size(), kNoNode);
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      const Target kind = nodes_.kind[n];
      if (kind == Target::kAlloc || kind == Target::kView || kind == Target::kFree ||
          kind == Target::kGetItem || nodes_.op[n] == Op::kOutput) {
        continue;
      }
      for (const TensorIndex t : nodes_.specs_of(n)) {
        if (t == kNoTensor) continue;
        NodeIndex& first = reading_->written[reading_->storage[t]];
        if (first == kNoNode) first = n;
      }
    }
  }

  // What each node yields and reads. Through columns of its own: a byte that is written could be
  // part of anything, so that all else would be looked up again.
  void NameTensors() {
    const TensorIndex* const storage = reading_->storage.data();
    Lifetime* const life = reading_->life.data();
    uint8_t* const flags = reading_->flags.data();
    uint8_t* const tensor_flags = reading_->tensor_flags.data();
    const NodeIndex* const sources = sources_.data();
    const NodeIndex count = nodes_.size();
    const auto name_all = [&](NodeIndex of, NodeIndex node, uint8_t flag) {
      for (const TensorIndex t : nodes_.specs_of(of)) {
        if (t == kNoTensor) continue;
        tensor_flags[t] |= kNamed;
        life[storage[t]].Extend(node);
        flags[storage[t]] |= flag;
      }
    };
    // By the last reader alone: nodes that yield many tensors are read by many.
    std::vector<NodeIndex> last_reader(static_cast<size_t>(count), kNoNode);
    for (NodeIndex node = 0; node < count; ++node) {
      const Op op = nodes_.op[node];
      name_all(node, node, op != Op::kGetAttr && op != Op::kOutput ? kYielded : 0);
      if (sources[node] != node) last_reader[sources[node]] = node;
      for (const NodeIndex arg : nodes_.args_of(node)) last_reader[sources[arg]] = node;
    }
    for (NodeIndex node = 0; node < count; ++node) {
      if (last_reader[node] != kNoNode) name_all(node, last_reader[node], 0);
    }
  }

  // What comes in and what goes out.
  void NameEnds(NodeIndex node) {
    const Op op = nodes_.op[node];
    if (op == Op::kPlaceholder) {
      for (const TensorIndex t : nodes_.specs_of(node)) {
        if (t != kNoTensor) AddInput(t);
      }
    }
    if (op != Op::kOutput) return;
    const std::span<const NodeIndex> args = nodes_.args_of(node);
    if (args.empty()) KeepOutputs(nodes_.specs_of(node));
    for (const NodeIndex arg : args) KeepOutputs(Yields(arg));
  }

  // There before node 0.
  void AddInput(TensorIndex tensor) {
    Mark(tensor, kInput);
    Name(tensor, 0);
    if (graph_.tensors.is_const[tensor] == 0) reading_->inputs.push_back(tensor);
  }

  // They survive the last node.
  void KeepOutputs(std::span<const TensorIndex> tensors) {
    for (const TensorIndex t : tensors) {
      if (t == kNoTensor) continue;
      reading_->outputs.push_back(t);
      Mark(t, kOutput);
      Name(t, nodes_.size() - 1);
    }
  }

  // --- state ---

  void FillState() {
    const Signature& signature = graph_.signature;
    std::vector<NameId> mutated;
    for (const NamePair& pair : signature.buffers_to_mutate) mutated.push_back(pair.value);
    SortRows(&mutated);
    std::vector<std::pair<NameId, NameId>> buffers;  // placeholder target and buffer
    for (const NamePair& pair : signature.inputs_to_buffers) {
      if (std::binary_search(mutated.begin(), mutated.end(), pair.value)) {
        buffers.emplace_back(pair.key, pair.value);
      }
    }
    SortRows(&buffers);
    if (buffers.empty()) return;
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      if (nodes_.op[n] != Op::kPlaceholder) continue;
      const auto at = std::lower_bound(buffers.begin(), buffers.end(),
                                       std::pair<NameId, NameId>(nodes_.target[n], 0));
      if (at == buffers.end() || at->first != nodes_.target[n]) continue;
      for (const TensorIndex t : nodes_.specs_of(n)) {
        if (t == kNoTensor || reading_->has(t, kState)) continue;
        Mark(t, kState);
        Name(t, nodes_.size() - 1);
        reading_->state.push_back({reading_->storage[t], at->second});
      }
    }
  }

  // --- control flow ---

  Status FillFlows() {
    for (const ControlFlow& control : graph_.control_flow) {
      // Without submodules it is an operator like any other.
      if (control.submodules.empty()) continue;
      for (const int32_t place : control.submodules) {
        if (reading_->submodules[place] != nullptr) continue;
        const Graph& submodule = *graph_.submodules[place];
        auto inner = Reader(submodule, names_, with_writes_, reading_.get()).Read();
        if (!inner) {
          Error error = inner.error();
          error.path = Message({"submodules.", names_[submodule.name], ".", error.path});
          return tl::unexpected(std::move(error));
        }
        reading_->submodules[place] = std::move(*inner);
      }
      Result<Flow> flow = BindFlow(reading_.get(), control, sources_, names_);
      if (!flow) return tl::unexpected(flow.error());
      reading_->flows.push_back(std::move(*flow));
    }
    return {};
  }

  const Graph& graph_;
  const Nodes& nodes_;
  const Names& names_;
  const bool with_writes_;
  std::vector<NodeIndex> sources_;
  std::unique_ptr<GraphReading> reading_;
};

}  // namespace

const std::pair<TensorIndex, TensorIndex>* Call::Binding(
    TensorIndex storage_in_submodule, const std::vector<TensorIndex>& storage) const {
  const auto at = std::lower_bound(
      by_reference.begin(), by_reference.end(), storage_in_submodule,
      [&](const auto& pair, TensorIndex wanted) { return storage[pair.first] < wanted; });
  if (at == by_reference.end() || storage[at->first] != storage_in_submodule) return nullptr;
  return &*at;
}

std::vector<NodeIndex> SourcesOf(const Nodes& nodes) {
  std::vector<NodeIndex> sources(nodes.name.size());
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const std::span<const NodeIndex> args = nodes.args_of(n);
    // Args are earlier nodes, so theirs are known.
    sources[n] = nodes.kind[n] == Target::kView && !args.empty() ? sources[args[0]] : n;
  }
  return sources;
}

Result<std::unique_ptr<GraphReading>> ReadForCheck(const Graph& graph, const Names& names,
                                                   bool with_writes) {
  return Reader(graph, names, with_writes, nullptr).Read();
}

std::string PathOf(const GraphReading& reading, const Names& names) {
  std::string path;
  if (reading.caller != nullptr) path = PathOf(*reading.caller, names);
  if (reading.caller == nullptr && !reading.is_method) return path;
  if (!path.empty()) path += '/';
  return path.append(names[reading.graph->name]);
}

}  // namespace memplan::verifier
