// Runs a graph in the memory that a plan gives it, and beside that with a buffer for each storage.
#ifndef MEMPLAN_TESTS_CORE_GRAPH_MACHINE_H_
#define MEMPLAN_TESTS_CORE_GRAPH_MACHINE_H_

#include <cstdint>
#include <string>

#include "graph.h"
#include "options.h"
#include "plan.h"

namespace memplan {

// FORMAT.md: "A plan is right if, for every way the branches may go and any number of turns, each
// read sees what was last written to that tensor." Operators write numbers that depend on all they
// read, one a cell of 16 bytes, so sizes and offsets are multiples of 16. Runs the graph `runs`
// times, with state kept, branches and turns drawn from `seed`. Gives the first read that saw
// something else, in words; empty where there is none.
//
// Results of conds are moved or copied as options.move_results says.
std::string RunInPlan(const Program& program, const Plan& plan, const Options& options,
                      uint64_t seed, int runs);

}  // namespace memplan

#endif  // MEMPLAN_TESTS_CORE_GRAPH_MACHINE_H_
