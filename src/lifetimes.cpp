#include "lifetimes.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan {
namespace {

// Nodes that name tensors without putting data into them.
bool OnlyNames(const Graph& graph, NodeIndex n) {
  switch (graph.nodes.kind[n]) {
    case Target::kAlloc:
    case Target::kView:
    case Target::kFree:
    case Target::kGetItem:
      return true;
    default:
      return graph.nodes.op[n] == Op::kOutput;
  }
}

class Walk {
 public:
  Walk(const Graph& graph, const Storages& storages, Lifetimes* result)
      : graph_(graph), storages_(storages), result_(*result) {
    const size_t count = static_cast<size_t>(storages.count());
    result_.of.resize(count);
    result_.written.assign(count, kNoNode);
    result_.roles.assign(count, 0);
  }

  // What a node yields is named by itself and by its last reader, not once a reader: nodes that
  // yield many tensors are read by many.
  void Nodes() {
    const memplan::Nodes& nodes = graph_.nodes;
    std::vector<NodeIndex> last_reader(nodes.name.size(), kNoNode);
    const auto read = [&](NodeIndex node, NodeIndex reader) {
      const NodeIndex source = nodes.source_of(node);
      // Through a view constants that are fetched are named too.
      if (source != node && nodes.op[source] == Op::kGetAttr) {
        Name(nodes.specs_of(source), reader, false);
      } else {
        last_reader[source] = reader;
      }
    };
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      if (nodes.kind[n] == Target::kView) {
        // Its own tensor too, where the input gives it one.
        Name(nodes.specs_of(n), n, false);
        read(n, n);
      } else {
        NameSpecs(n, n, !OnlyNames(graph_, n));
      }
      const uint32_t end = nodes.first_arg[n + 1];
      for (uint32_t i = nodes.first_arg[n]; i < end; ++i) read(nodes.args[i], n);
    }
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      if (last_reader[n] != kNoNode) KeepSpecs(n, last_reader[n]);
    }
  }

  void Tensors() {
    const memplan::Tensors& tensors = graph_.tensors;
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      uint8_t& role = result_.roles[storages_.of[t]];
      if (tensors.is_const[t] != 0) role |= kRoleConst;
      if (tensors.dynamism[t] == Dynamism::kDynamicUnbound) role |= kRoleUnbound;
    }
  }

  void Inputs() {
    const memplan::Nodes& nodes = graph_.nodes;
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      if (nodes.op[n] != Op::kPlaceholder) continue;
      for (const TensorIndex t : nodes.specs_of(n)) {
        if (t == kNoTensor) continue;
        const StorageIndex s = storages_.of[t];
        result_.of[s].Extend(0);
        result_.written[s] = 0;
        if (graph_.tensors.is_const[t] == 0) result_.roles[s] |= kRoleInput;
      }
    }
  }

  // A mutated buffer is no input, and one that is returned is a buffer still.
  void State(const Signature& signature) {
    for (const StateInput& state : FindState(graph_, signature)) {
      for (const TensorIndex t : graph_.nodes.specs_of(state.placeholder)) {
        if (t == kNoTensor || graph_.tensors.is_const[t] != 0) continue;
        const StorageIndex s = storages_.of[t];
        result_.of[s].Extend(graph_.nodes.size() - 1);
        result_.roles[s] = static_cast<uint8_t>((result_.roles[s] & ~kRoleInput) | kRoleState);
      }
    }
  }

  void Outputs() {
    for (const TensorIndex t : ReturnedTensors(graph_)) {
      const StorageIndex s = storages_.of[t];
      result_.of[s].Extend(graph_.nodes.size() - 1);
      result_.roles[s] |= kRoleOutput;
    }
  }

 private:
  // Constants that a get_attr fetches are where they are, outside of all pools.
  bool IsLeftOut(NodeIndex node, TensorIndex t) const {
    return t == kNoTensor || (graph_.nodes.op[node] == Op::kGetAttr && graph_.tensors.is_const[t]);
  }

  // The specs of `node`, at n.
  [[gnu::always_inline]] void NameSpecs(NodeIndex node, NodeIndex n, bool writes) {
    const memplan::Nodes& nodes = graph_.nodes;
    const uint32_t end = nodes.first_spec[node + 1];
    for (uint32_t i = nodes.first_spec[node]; i < end; ++i) {
      if (!IsLeftOut(node, nodes.specs[i])) Name(nodes.specs[i], n, writes);
    }
  }

  // The same, up to a node that need not be the last one named so far.
  void KeepSpecs(NodeIndex node, NodeIndex last) {
    for (const TensorIndex t : graph_.nodes.specs_of(node)) {
      if (!IsLeftOut(node, t)) result_.of[storages_.of[t]].Extend(last);
    }
  }

  void Name(std::span<const TensorIndex> tensors, NodeIndex n, bool writes) {
    for (const TensorIndex t : tensors) Name(t, n, writes);
  }

  // Nodes come in order, so a life goes on to n.
  [[gnu::always_inline]] void Name(TensorIndex t, NodeIndex n, bool writes) {
    if (t == kNoTensor) return;
    const StorageIndex s = storages_.of[t];
    Lifetime& life = result_.of[s];
    if (life.first < 0) life.first = n;
    life.last = n;
    if (writes && result_.written[s] == kNoNode) result_.written[s] = n;
  }

  const Graph& graph_;
  const Storages& storages_;
  Lifetimes& result_;
};

}  // namespace

std::vector<StateInput> FindState(const Graph& graph, const Signature& signature) {
  std::vector<NameId> mutated;
  for (const NamePair& pair : signature.buffers_to_mutate) mutated.push_back(pair.value);
  SortRows(&mutated);
  std::vector<NamePair> inputs = signature.inputs_to_buffers;
  const auto by_key = [](const NamePair& a, const NamePair& b) { return a.key < b.key; };
  SortRows(&inputs, by_key);
  std::vector<StateInput> state;
  if (mutated.empty() || inputs.empty()) return state;
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes.op[n] != Op::kPlaceholder || graph.nodes.target[n] == kNoName) continue;
    const NamePair key{graph.nodes.target[n], kNoName};
    const auto input = std::lower_bound(inputs.begin(), inputs.end(), key, by_key);
    if (input == inputs.end() || input->key != key.key) continue;
    if (!std::binary_search(mutated.begin(), mutated.end(), input->value)) continue;
    state.push_back({n, input->value});
  }
  return state;
}

std::vector<TensorIndex> ReturnedTensors(const Graph& graph) {
  std::vector<TensorIndex> returned;
  const Nodes& nodes = graph.nodes;
  const auto add = [&](std::span<const TensorIndex> tensors) {
    for (const TensorIndex t : tensors) {
      if (t != kNoTensor) returned.push_back(t);
    }
  };
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (nodes.op[n] != Op::kOutput) continue;
    if (nodes.args_of(n).empty()) add(nodes.specs_of(n));
    for (const NodeIndex arg : nodes.args_of(n)) add(graph.YieldedBy(arg));
  }
  return returned;
}

Lifetimes FindLifetimes(const Graph& graph, const Storages& storages, const Signature* signature) {
  Lifetimes result;
  Walk walk(graph, storages, &result);
  walk.Nodes();
  walk.Tensors();
  walk.Inputs();
  if (signature != nullptr) walk.State(*signature);
  walk.Outputs();
  return result;
}

}  // namespace memplan
