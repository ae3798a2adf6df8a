// Which placeholders hold state that the graph writes.
#ifndef MEMPLAN_EXECUTORCH_MUTABLE_BUFFERS_H_
#define MEMPLAN_EXECUTORCH_MUTABLE_BUFFERS_H_

#include <vector>

#include "graph.h"
#include "names.h"
#include "units.h"

namespace memplan::executorch {

// Upstream's _is_mutable_buffer. The outer graph's signature is asked for submodules too, so that
// an input of theirs with the target of an outer buffer counts as one.
class MutableBuffers {
 public:
  // Without a signature nothing is mutable.
  explicit MutableBuffers(const Signature& signature);

  bool Contains(const Graph& graph, NodeIndex n) const;
  bool empty() const { return targets_.empty(); }

 private:
  std::vector<NameId> targets_;  // sorted
};

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_MUTABLE_BUFFERS_H_
