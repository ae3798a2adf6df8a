// Where the results of conds come to rest under `controlFlowResults: "move"`.
#ifndef MEMPLAN_VERIFIER_MOVED_RESULTS_H_
#define MEMPLAN_VERIFIER_MOVED_RESULTS_H_

#include <cstdint>
#include <vector>

#include "verifier/placed_graph.h"

namespace memplan::verifier {

// A storage that begins with a cond's result can start here instead of at its own place.
struct RestingPlace {
  int32_t flow = 0;                // place in GraphReading::flows
  TensorIndex result = kNoTensor;  // storage
  Bytes start = 0;
};

// Fills graph->handed, lengthens graph->life to match, and gives the resting places, for a graph
// whose storages have places and whose submodules are done. A result is moved where it and the
// branch's output have places in one pool, and it is no part of a larger storage; else it is
// copied, and has its own place only.
void FollowMovedResults(PlacedGraph* graph, std::vector<RestingPlace>* resting);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_MOVED_RESULTS_H_
