#include "verifier/storage_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memplan::verifier {

TensorIndex StorageMap::Find(TensorIndex tensor, Bytes* from_root) const {
  Bytes distance = 0;
  while (parent_[tensor] >= 0) {
    if (!from_parent_.empty()) distance += from_parent_[tensor];
    tensor = parent_[tensor];
  }
  *from_root = distance;
  return tensor;
}

bool StorageMap::Join(TensorIndex tensor, TensorIndex base, Bytes offset) {
  if (parent_.empty()) parent_.resize(count_, kAlone);
  Bytes tensor_at, base_at;
  TensorIndex child = Find(tensor, &tensor_at);
  TensorIndex root = Find(base, &base_at);
  // How far after `root` the other root begins.
  Bytes distance = base_at + offset - tensor_at;
  if (child == root) return distance == 0;
  if (distance > kMaxBytes || distance < -kMaxBytes) return false;
  if (parent_[child] < parent_[root]) {
    std::swap(child, root);
    distance = -distance;
  }
  parent_[root] += parent_[child];
  parent_[child] = root;
  if (distance != 0) {
    if (from_parent_.empty()) from_parent_.resize(parent_.size(), 0);
    from_parent_[child] = distance;
  }
  return true;
}

void StorageMap::Settle(std::vector<TensorIndex>* storage, std::vector<Bytes>* offset) {
  storage->resize(count_);
  if (parent_.empty()) {
    std::iota(storage->begin(), storage->end(), 0);
    return;
  }
  const auto count = static_cast<TensorIndex>(parent_.size());
  if (!from_parent_.empty()) offset->resize(parent_.size());
  // First by root, with the root's first member kept in `first`.
  std::vector<TensorIndex> first(parent_.size(), kNoTensor);
  for (TensorIndex t = 0; t < count; ++t) {
    Bytes distance;
    const TensorIndex root = Find(t, &distance);
    (*storage)[t] = root;
    if (!offset->empty()) (*offset)[t] = distance;
    TensorIndex& best = first[root];
    if (best == kNoTensor || (!offset->empty() && distance < (*offset)[best])) best = t;
  }
  std::vector<Bytes> start;
  if (!offset->empty()) {
    start.resize(parent_.size());
    for (TensorIndex t = 0; t < count; ++t) start[t] = (*offset)[first[(*storage)[t]]];
  }
  for (TensorIndex t = 0; t < count; ++t) {
    (*storage)[t] = first[(*storage)[t]];
    if (!start.empty()) (*offset)[t] -= start[t];
  }
}

}  // namespace memplan::verifier
