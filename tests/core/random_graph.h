// Random graphs with everything the format has, well formed control flow included.
#ifndef MEMPLAN_TESTS_CORE_RANDOM_GRAPH_H_
#define MEMPLAN_TESTS_CORE_RANDOM_GRAPH_H_

#include <cstdint>
#include <string>

namespace memplan {

struct RandomGraphOptions {
  int nodes = 12;        // about so many operators in the top graph, fewer in submodules
  int depth = 2;         // how deep submodules nest
  bool pools = true;     // some tensors choose pool 2
  bool state = true;     // some graphs have a mutable buffer
  bool slices = true;    // storage_base, inplace_base
  bool unbound = false;  // tensors without a bound on their size
  bool shapes = false;   // tensors have shapes, and operators names that may work in place
};

// Graph JSON. The same seed gives the same graph everywhere. Nothing writes in place over what a
// cond may have handed through as its result: whether that changes the result too is not for the
// planner to say.
std::string RandomGraphJson(uint64_t seed, const RandomGraphOptions& options);

}  // namespace memplan

#endif  // MEMPLAN_TESTS_CORE_RANDOM_GRAPH_H_
