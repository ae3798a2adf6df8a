// Whether a plan is right, told by an own reading of the graph: nothing here is
// shared with the planners.
#ifndef MEMPLAN_VERIFIER_H_
#define MEMPLAN_VERIFIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "result.h"
#include "units.h"

namespace memplan {

// One fault, as GRAPH_FORMAT's `errors` have it.
struct Fault {
  std::string check;  // "storage_reuse", "graph_input_output" or "plan"
  std::string code;   // "STORAGE_OVERLAP", …
  std::string message;
  std::string graph;  // path of submodule names joined by "/", empty for the top graph
  std::vector<std::string> tensors;
  std::vector<std::string> nodes;
  Bytes from = 0;  // the bytes in question: [from, to)
  Bytes to = 0;
};

struct Report {
  bool ok = true;
  int64_t reuse_pairs = 0;  // pairs of the top graph that share bytes; -1: null
                            // (the check failed)
  std::vector<Fault> errors;
};

}  // namespace memplan

#endif  // MEMPLAN_VERIFIER_H_
