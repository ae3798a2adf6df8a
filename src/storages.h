// Which tensors of a graph lie in the same bytes, under `sound`.
#ifndef MEMPLAN_STORAGES_H_
#define MEMPLAN_STORAGES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "result.h"
#include "units.h"

namespace memplan {

using StorageIndex = int32_t;
inline constexpr StorageIndex kNoStorage = -1;

// One storage for each set of tensors that share bytes: a view and its base, an in-place result and
// its first argument, a tensor and its `inplace_base` or `storage_base`.
struct Storages {
  std::vector<StorageIndex> of;  // by tensor
  std::vector<Bytes>
      offset;  // by tensor: where it begins in its storage; empty where all begin at 0
  std::vector<TensorIndex> base;  // by storage: the member that the others lie in
  std::vector<Bytes> size;        // by storage: its highest end, not rounded

  StorageIndex count() const { return static_cast<StorageIndex>(base.size()); }
  Bytes offset_of(TensorIndex t) const { return offset.empty() ? 0 : offset[t]; }
};

// `inner` lies in `outer`'s bytes, `offset` bytes after its begin.
struct Placed {
  TensorIndex inner = kNoTensor;
  TensorIndex outer = kNoTensor;
  Bytes offset = 0;
};

// `chosen` are pairs that share bytes beyond what the graph says (in-place by choice). Errors:
// INVALID_INPUT where bases go in a circle or two of them disagree about an offset, TOO_LARGE;
// paths begin with `path`.
Result<Storages> FindStorages(const Graph& graph, const Names& names, const std::string& path,
                              const std::vector<Placed>& chosen);

}  // namespace memplan

#endif  // MEMPLAN_STORAGES_H_
