// A graph's reading with the places that a plan gives: what lies where, and when.
#ifndef MEMPLAN_VERIFIER_PLACED_GRAPH_H_
#define MEMPLAN_VERIFIER_PLACED_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "options.h"
#include "plan.h"
#include "verifier/footprint.h"
#include "verifier/graph_reading.h"
#include "verifier/live_item.h"

namespace memplan::verifier {

// What holds for all graphs below one top graph.
struct Setting {
  // `own_pools` and `taken` are those of all methods.
  Setting(const Names& names, const Options& options, const std::vector<Bytes>& buffer_sizes,
          std::vector<Pool> own_pools, std::vector<Bytes> taken);

  // The greater of the option's and the pool's.
  Bytes AlignmentOf(MemId pool) const {
    const auto at = static_cast<size_t>(pool);
    return at < alignments.size() ? alignments[at] : options.alignment;
  }

  const Names& names;
  const Options& options;
  const std::vector<Bytes>& buffer_sizes;  // per mem_id
  std::vector<Bytes> reserved;             // input_mem_buffer_sizes
  std::vector<Pool> pools;
  std::vector<Bytes> alignments;  // per mem_id, where pools have any
};

// Under `controlFlowResults: "move"` the result of a cond is what its branch made, wherever that
// lies. So a storage with such a result can be in either of several places, or in another storage
// that a branch handed straight through.
struct HandedThrough {
  TensorIndex result = kNoTensor;  // storage
  TensorIndex source = kNoTensor;  // storage of the same graph that it may be instead
  Bytes shift = 0;  // where the result's storage then starts, from the source's start
};

struct PlacedGraph {
  const GraphReading* reading = nullptr;
  const GraphPlan* plan = nullptr;

  // By storage, like the reading's columns: where it starts, kNoPool where it has no place.
  std::vector<MemId> pool;
  std::vector<Bytes> start;
  // As the reading's, and to the last node that reads a result which may be this storage.
  std::vector<Lifetime> life;
  std::vector<HandedThrough> handed;  // by result

  // Time is the node. First one for each storage with bytes of its own, by storage; then, from
  // `first_carried` on, the values carried beyond a node's results (owner: -1 - place in
  // `carried_apart`); then, from `first_resting` on, the places where a branch leaves a result that
  // is planned elsewhere, by storage.
  std::vector<LiveItem> items;
  size_t first_carried = 0;
  size_t first_resting = 0;
  struct CarriedApart {
    const GraphReading* submodule;
    TensorIndex placeholder;
  };
  std::vector<CarriedApart> carried_apart;
  std::vector<ItemIndex> survivors;  // of a submodule: items live after its last node

  Footprint footprint;  // of a submodule: of `items` and of all below
  std::vector<std::unique_ptr<PlacedGraph>> submodules;  // null where no node runs it

  bool is_resting(ItemIndex item) const { return static_cast<size_t>(item) >= first_resting; }
  // The item of a storage with bytes of its own; null where it has none.
  const LiveItem* OwnItem(TensorIndex storage) const;
  bool is_placed(TensorIndex tensor) const { return pool[reading->storage[tensor]] != kNoPool; }
  // Where a placed tensor begins.
  Bytes address(TensorIndex tensor) const {
    return start[reading->storage[tensor]] + reading->offset_of(tensor);
  }
};

// Places a reading and its submodules.
std::unique_ptr<PlacedGraph> PlaceForCheck(const GraphReading& reading, const GraphPlan& plan,
                                           const Setting& setting);

// The name that reports give an item of `graph`.
std::string_view ItemName(const PlacedGraph& graph, const LiveItem& item, const Names& names);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_PLACED_GRAPH_H_
