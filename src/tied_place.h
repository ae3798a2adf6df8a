// Results of several calls of one submodule that lie at one place.
//
// A submodule has one placement, so an output that its calls hand to different results can be
// written straight into all of them only where those lie at one place, which they can where no two
// are ever live at once.
#ifndef MEMPLAN_TIED_PLACE_H_
#define MEMPLAN_TIED_PLACE_H_

#include <cstdint>
#include <vector>

#include "nesting.h"

namespace memplan {

// Ties the results in place.others, storages of the g-th graph: one becomes the leader, the others
// kPlaced at it. The place is joined with those that share a result with it. False, and nothing is
// changed, where not all can be one.
bool Tie(TiedPlace place, int32_t g, std::vector<GraphNest>* graphs);

// True for a result, of the nest's g-th graph, that has its place together with others.
bool IsAtTiedPlace(const GraphNest& graph, int32_t g, StorageIndex s);

// The storage that s, of the nest's g-th graph, is tied to; s itself where it is not.
StorageIndex LeaderOf(const GraphNest& graph, int32_t g, StorageIndex s);

// True for a storage that lies in another graph than its own, the nest's g-th.
bool IsPlacedBeyond(const GraphNest& graph, int32_t g, StorageIndex s);

// The pool that s of `graph` asks for, or the storage where it is placed; kNoPool where none does.
MemId FinalPool(const std::vector<GraphNest>& graphs, const GraphNest& graph, StorageIndex s);

// True for an output of a submodule, `callee`, that has a tied place in its caller, the nest's g-th
// graph.
bool IsTied(const GraphNest& caller, int32_t g, const GraphNest& callee, StorageRef output);

}  // namespace memplan

#endif  // MEMPLAN_TIED_PLACE_H_
