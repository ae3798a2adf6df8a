#include "executorch/mutable_buffers.h"

#include <algorithm>

namespace memplan::executorch {

MutableBuffers::MutableBuffers(const Signature& signature) {
  if (!signature.exists) return;
  std::vector<NameId> mutated;
  for (const NamePair& pair : signature.buffers_to_mutate) mutated.push_back(pair.value);
  std::sort(mutated.begin(), mutated.end());
  for (const NamePair& pair : signature.inputs_to_buffers) {
    if (std::binary_search(mutated.begin(), mutated.end(), pair.value)) {
      targets_.push_back(pair.key);
    }
  }
  std::sort(targets_.begin(), targets_.end());
}

bool MutableBuffers::Contains(const Graph& graph, NodeIndex n) const {
  return !targets_.empty() && graph.nodes.op[n] == Op::kPlaceholder &&
         std::binary_search(targets_.begin(), targets_.end(), graph.nodes.target[n]);
}

}  // namespace memplan::executorch
