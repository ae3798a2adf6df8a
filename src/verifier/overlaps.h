// The storage_reuse check under `sound`.
#ifndef MEMPLAN_VERIFIER_OVERLAPS_H_
#define MEMPLAN_VERIFIER_OVERLAPS_H_

#include "verifier/fault_list.h"
#include "verifier/placed_graph.h"

namespace memplan::verifier {

// Finds every two storages of `graph` and of the graphs below it that can be live at once and share
// bytes:
//
//   * of one graph, where their lifetimes meet;
//   * of a graph and of a submodule (at any depth below) that one of its nodes runs, where the
//     former lives at that node. The results of a cond are there only when the branch has ended, so
//     that a branch can make them in place; until then a branch may use their bytes for anything;
//   * never of two branches of one cond, nor of the condition and body of a while: one is over
//     when the other begins.
void FindOverlaps(const PlacedGraph& graph, const Setting& setting, FaultList* faults);

// How many pairs of items share bytes, whenever they live: O(n log n) whatever the number of pairs.
int64_t CountSharingPairs(const std::vector<LiveItem>& items);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_OVERLAPS_H_
