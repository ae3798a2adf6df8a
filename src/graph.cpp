#include "graph.h"

#include <algorithm>

namespace memplan {

const ControlFlow* Graph::control_flow_of(NodeIndex n) const {
  auto at =
      std::lower_bound(control_flow.begin(), control_flow.end(), n,
                       [](const ControlFlow& row, NodeIndex node) { return row.node < node; });
  return at != control_flow.end() && at->node == n ? &*at : nullptr;
}

const std::vector<Pool>& Program::pools() const {
  if (graph != nullptr) return graph->pools;
  for (const auto& method : methods) {
    if (!method->pools.empty()) return method->pools;
  }
  return methods.front()->pools;
}

MemId Program::default_pool() const {
  const std::vector<Pool>& named = pools();
  if (named.empty()) return 1;
  return named.size() == 1 ? named.front().mem_id : kNoPool;
}

std::vector<Bytes> Program::taken() const {
  if (graph != nullptr) return graph->input_mem_buffer_sizes;
  std::vector<Bytes> most;
  for (const auto& method : methods) {
    const std::vector<Bytes>& sizes = method->input_mem_buffer_sizes;
    if (most.size() < sizes.size()) most.resize(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) most[i] = std::max(most[i], sizes[i]);
  }
  return most;
}

}  // namespace memplan
