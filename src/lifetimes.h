// When each storage of a graph is in use, under `sound`.
#ifndef MEMPLAN_LIFETIMES_H_
#define MEMPLAN_LIFETIMES_H_

#include <cstdint>
#include <vector>

#include "graph.h"
#include "storages.h"
#include "units.h"

namespace memplan {

// What a storage is to its graph; bits.
enum StorageRole : uint8_t {
  kRoleInput = 1,    // holds a placeholder's tensor that is neither const nor state
  kRoleOutput = 2,   // holds a tensor that an output node returns
  kRoleState = 4,    // holds a mutable buffer of the signature
  kRoleConst = 8,    // holds a constant: never planned
  kRoleUnbound = 16  // holds a tensor without a bound on its size: never planned
};

struct Lifetimes {
  std::vector<Lifetime> of;  // by storage
  std::vector<NodeIndex>
      written;  // by storage: the first node that can put data there (allocs and views do
                // not; an input is written at 0); kNoNode where nothing names it
  std::vector<uint8_t> roles;  // by storage, of StorageRole
};

// From the first node that names one of a storage's tensors to the last, as spec or through an
// argument. Inputs begin at 0, outputs last to the last node, state lives through the whole graph.
// `signature` is the top graph's; null for submodules, whose own does not count.
Lifetimes FindLifetimes(const Graph& graph, const Storages& storages, const Signature* signature);

// The tensors that a graph returns: what the args of its output nodes yield, or where an output
// node has no args, its specs. Without nulls, in order.
std::vector<TensorIndex> ReturnedTensors(const Graph& graph);

// A placeholder that holds a mutable buffer: one of `inputs_to_buffers` whose buffer is mutated.
struct StateInput {
  NodeIndex placeholder = kNoNode;
  NameId buffer = kNoName;
};
// In the order of nodes.
std::vector<StateInput> FindState(const Graph& graph, const Signature& signature);

}  // namespace memplan

#endif  // MEMPLAN_LIFETIMES_H_
