// A graph as the verifier understands it under `sound`: storages, when each lives, and how nodes
// bind to the submodules they run. FORMAT.md's "What `sound` means" is the source; nothing here is
// shared with the planning side.
#ifndef MEMPLAN_VERIFIER_GRAPH_READING_H_
#define MEMPLAN_VERIFIER_GRAPH_READING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "options.h"
#include "result.h"
#include "units.h"

namespace memplan::verifier {

// What is known of a storage, as bits: true of it where true of any of its tensors.
enum StorageFlag : uint8_t {
  kYielded = 1,       // a node other than get_attr and output yields it
  kConstant = 2,      // a weight or another constant
  kUnbound = 4,       // a size without a bound
  kInput = 8,         // a placeholder yields it
  kOutput = 16,       // an output node reads it
  kState = 32,        // a mutable buffer of the top graph
  kByReference = 64,  // a placeholder bound to a tensor of the caller
  kOwnInBody = 128,   // a placeholder with bytes of its own, written before each turn
};

// What is known of a tensor, as bits; all but the first of a storage's first tensor only.
enum TensorFlag : uint8_t {
  kNamed = 1,         // a node yields it or reads it
  kHasOthers = 2,     // its storage holds further tensors
  kCarriedApart = 4,  // a placeholder for a value that some node carries beyond its results
};

// One run of a submodule by a node.
struct Call {
  int32_t submodule = 0;  // place in Graph::submodules
  // A placeholder's tensor in the submodule, and the caller's tensor that it is. kNoTensor: a value
  // carried beyond the node's results, which has bytes of its own at the node. By placeholder's
  // storage.
  std::vector<std::pair<TensorIndex, TensorIndex>> by_reference;

  // The caller's tensor that a storage of the submodule lies in; null where it is none of these.
  const std::pair<TensorIndex, TensorIndex>* Binding(TensorIndex storage_in_submodule,
                                                     const std::vector<TensorIndex>& storage) const;
};

// A control-flow node that runs submodules.
struct Flow {
  NodeIndex node = kNoNode;
  Target kind = Target::kOperator;
  std::vector<TensorIndex> results;
  std::vector<Call> calls;
  // The values carried beyond the results: the placeholder in the first call and in the last (the
  // condition and the body of a while; twice the same for a scan).
  std::vector<std::pair<TensorIndex, TensorIndex>> carried_apart;
};

struct StateBuffer {
  TensorIndex storage = kNoTensor;
  NameId buffer = kNoName;
};

struct GraphReading {
  const Graph* graph = nullptr;
  const GraphReading* caller = nullptr;  // null for a top graph
  bool is_method = false;                // of a program with several top graphs

  std::vector<TensorIndex> storage;  // of each tensor: the storage's first tensor, which names it
  std::vector<Bytes> offset;         // of each tensor in its storage; empty where all are 0
  // The rest goes by storage: entries of other tensors than a storage's first mean nothing.
  std::vector<Lifetime> life;  // as named by this graph's own nodes
  std::vector<Bytes> size;     // to the end of the last tensor in it
  std::vector<uint8_t> flags;
  // The first node that can put data into it (allocs, views and getitems do not). Empty where
  // nobody asks: in graphs without control flow that were not read `with_writes`.
  std::vector<NodeIndex> written;
  std::vector<uint8_t> tensor_flags;  // of each tensor, of TensorFlag

  std::vector<TensorIndex> inputs;  // tensors of placeholders that are not const, in order
  // Tensors that the output node reads, in order; where it has no args, its specs.
  std::vector<TensorIndex> outputs;
  std::vector<StateBuffer> state;
  std::vector<Flow> flows;                                // by node
  std::vector<std::unique_ptr<GraphReading>> submodules;  // as in Graph; null where no node runs it
  // Tensors whose base contradicts another statement of the graph: no plan can be right for them.
  std::vector<TensorIndex> contradictions;

  Bytes offset_of(TensorIndex t) const { return offset.empty() ? 0 : offset[t]; }
  bool has(TensorIndex tensor, StorageFlag flag) const {
    return (flags[storage[tensor]] & flag) != 0;
  }
  bool is_named(TensorIndex tensor) const { return (tensor_flags[tensor] & kNamed) != 0; }
  // Whether a tensor that `node` makes is one with others that do not come of it afterwards, so
  // that it cannot be elsewhere than they are.
  bool IsPart(TensorIndex tensor, NodeIndex node) const {
    const TensorIndex s = storage[tensor];
    return offset_of(tensor) != 0 || size[s] != graph->tensors.nbytes[tensor] ||
           ((tensor_flags[s] & kHasOthers) != 0 && life[s].first < node);
  }
};

// Reads a top graph and all submodules that its nodes run. BAD_SUBMODULE where a node and its
// submodules do not match in number or bytes.
Result<std::unique_ptr<GraphReading>> ReadForCheck(const Graph& graph, const Names& names,
                                                   bool with_writes);

// The names of the submodules that lead to a graph, joined by "/"; a method's name comes first.
std::string PathOf(const GraphReading& reading, const Names& names);

// Which node each node's tensors come from: itself, or what a memory.view (of a view …) looks at.
std::vector<NodeIndex> SourcesOf(const Nodes& nodes);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_GRAPH_READING_H_
