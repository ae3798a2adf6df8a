// The exact search as a planner, and how others hand it a start.
#ifndef MEMPLAN_PLANNERS_SEARCH_H_
#define MEMPLAN_PLANNERS_SEARCH_H_

#include <memory>

#include "planner.h"

namespace memplan {

// What is known before the search begins.
struct SearchStart {
  const Placement* placement = nullptr;  // complete and valid; copied. Null: none
  Bytes lower_bound = 0;                 // proven by whoever says so
};

// The planner `search`. With a start it does not make a first plan of its own,
// and best() is the start until something smaller is found. `problem` outlives
// the planner.
std::unique_ptr<Planner> MakeSearch(const Problem& problem, const SearchOptions& options,
                                    const SearchStart& start);

}  // namespace memplan

#endif  // MEMPLAN_PLANNERS_SEARCH_H_
