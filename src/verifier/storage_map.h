// Which tensors of a graph are one storage, and where each begins in it.
#ifndef MEMPLAN_VERIFIER_STORAGE_MAP_H_
#define MEMPLAN_VERIFIER_STORAGE_MAP_H_

#include <vector>

#include "graph.h"
#include "units.h"

namespace memplan::verifier {

// Union-find in which every tensor knows its distance in bytes from its parent.
class StorageMap {
 public:
  explicit StorageMap(TensorIndex count) : count_(static_cast<size_t>(count)) {}

  // From now on `tensor` begins `offset` bytes after `base` does. False, and nothing changes, where
  // that contradicts what was said before or leaves the range of sizes.
  bool Join(TensorIndex tensor, TensorIndex base, Bytes offset);

  // Ends the joining. A storage goes by its member that begins first, the earliest of those in the
  // order of `tensors`. `offset` (of each tensor from the start of its storage) stays empty where
  // all are 0.
  void Settle(std::vector<TensorIndex>* storage, std::vector<Bytes>* offset);

 private:
  // A root holds its number of members, negated.
  static constexpr int32_t kAlone = -1;

  // The root of a tensor, and how far after it the tensor begins.
  TensorIndex Find(TensorIndex tensor, Bytes* from_root) const;

  // By size, and without path compression: depth is at most the logarithm of the number of tensors,
  // so distances, each a size, cannot overflow when summed.
  const size_t count_;
  std::vector<int32_t> parent_;     // empty before the first pair
  std::vector<Bytes> from_parent_;  // empty while all are 0
};

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_STORAGE_MAP_H_
