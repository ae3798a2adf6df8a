// Mutable buffers of programs with several methods.
#ifndef MEMPLAN_VERIFIER_STATE_CHECKS_H_
#define MEMPLAN_VERIFIER_STATE_CHECKS_H_

#include <memory>
#include <vector>

#include "verifier/fault_list.h"
#include "verifier/placed_graph.h"

namespace memplan::verifier {

// A buffer keeps its bytes while other methods run, so nothing of theirs may touch them. Under
// `shared_buffers` buffers of one name are one buffer, and have one place. (Within its own method a
// buffer lives through the whole graph, which FindOverlaps knows.)
void CheckStatePlaces(const std::vector<std::unique_ptr<PlacedGraph>>& methods, const Names& names,
                      FaultList* faults);
void CheckStateAcrossMethods(const std::vector<std::unique_ptr<PlacedGraph>>& methods,
                             bool shared_buffers, const Names& names, FaultList* faults);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_STATE_CHECKS_H_
