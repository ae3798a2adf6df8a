#include "executorch/mutable_buffers.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan::executorch {

MutableBuffers::MutableBuffers(const Signature& signature) {
  if (!signature.exists) return;
  std::vector<NameId> mutated;
  for (const NamePair& pair : signature.buffers_to_mutate) mutated.push_back(pair.value);
  SortRows(&mutated);
  for (const NamePair& pair : signature.inputs_to_buffers) {
    if (std::binary_search(mutated.begin(), mutated.end(), pair.value)) {
      targets_.push_back(pair.key);
    }
  }
  SortRows(&targets_);
}

bool MutableBuffers::Contains(const Graph& graph, NodeIndex n) const {
  return !targets_.empty() && graph.nodes.op[n] == Op::kPlaceholder &&
         std::binary_search(targets_.begin(), targets_.end(), graph.nodes.target[n]);
}

}  // namespace memplan::executorch
