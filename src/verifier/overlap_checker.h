// The overlaps of one graph, with itself and with what its nodes run; FindOverlaps goes through
// all.
#ifndef MEMPLAN_VERIFIER_OVERLAP_CHECKER_H_
#define MEMPLAN_VERIFIER_OVERLAP_CHECKER_H_

#include <vector>

#include "verifier/placed_graph.h"

namespace memplan::verifier {

// Two items that are live at once in the same bytes.
struct Overlap {
  ItemIndex item = 0;                        // of the graph that is checked
  const PlacedGraph* other_graph = nullptr;  // that graph, or one below it
  ItemIndex other = 0;
  NodeIndex node = kNoNode;  // of the graph that is checked: where they meet
};

struct Overlaps {
  std::vector<Overlap> rows;  // the first ones found
  int64_t count = 0;          // of all; at least so many where they are very many
};

Overlaps CheckGraph(const PlacedGraph& graph, const Setting& setting);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_OVERLAP_CHECKER_H_
