// How the operands, results and carried values of a control-flow node meet its submodules, under
// `sound`.
#ifndef MEMPLAN_BINDING_H_
#define MEMPLAN_BINDING_H_

#include <string>
#include <vector>

#include "graph.h"
#include "result.h"
#include "units.h"

namespace memplan {

// What a placeholder's tensor of a submodule is.
struct Bound {
  enum Kind : uint8_t {
    kReference,  // the caller's tensor `outer`
    kCarried,  // the carried value: the node's result `outer`, or, where that is kNoTensor, storage
               // of its own
    kSliced,   // its own small tensor, written before each turn
  };
  Kind kind = kReference;
  TensorIndex inner = kNoTensor;  // in the submodule
  TensorIndex outer = kNoTensor;  // in the caller
};

// A result of the node that takes over an output of a branch of `cond`.
struct Handover {
  TensorIndex result = kNoTensor;  // in the caller
  TensorIndex output = kNoTensor;  // in the branch
};

struct BoundSubmodule {
  int32_t submodule = 0;          // in the caller's Graph::submodules
  std::vector<Bound> inputs;      // by placeholder
  std::vector<Handover> outputs;  // of `cond` only: other kinds copy
};

// Binds every submodule of a node, in the order the node names them. BAD_SUBMODULE where counts or
// bytes do not match FORMAT.md, with the node's path, which begins with `path`.
Result<std::vector<BoundSubmodule>> BindSubmodules(const Graph& graph, const Names& names,
                                                   const ControlFlow& flow,
                                                   const std::string& path);

}  // namespace memplan

#endif  // MEMPLAN_BINDING_H_
