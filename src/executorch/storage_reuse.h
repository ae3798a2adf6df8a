// Which tensors share bytes, and whether they may: upstream's verify_storage_reuse.
#ifndef MEMPLAN_EXECUTORCH_STORAGE_REUSE_H_
#define MEMPLAN_EXECUTORCH_STORAGE_REUSE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "units.h"

namespace memplan::executorch {

// A tensor that upstream would collect, in that order.
struct PlacedTensor {
  TensorIndex tensor = kNoTensor;
  TensorIndex inplace_base = kNoTensor;  // 2026: the two may share bytes while both live
  MemId mem_id = kNoPool;                // kNoPool is equal to itself, as None is
  int32_t object = -1;
  Bytes offset = kNoBytes;
  Bytes size = 0;
  Lifetime lifetime;
};

enum class PairFault : uint8_t {
  kNone,
  kObjectDisagree,  // one has an object, the other none
  kNoOffset,        // in one mem_id, and one has no offset
  kNoLifetime,      // bytes shared, and one has no lifetime
  kOverlap,         // bytes shared while both live
  kObjectMismatch,  // bytes shared, in different objects
};

// Upstream's walk over all pairs, first by the first tensor, stops at the first fault. Here the
// pairs that share bytes are counted by sweeps, and only where there is a fault is the pair found.
class StorageReuse {
 public:
  StorageReuse(std::vector<PlacedTensor> tensors, bool may_overlap);

  struct Pair {
    int32_t first = 0;  // places in the tensors given
    int32_t second = 0;
    PairFault fault = PairFault::kNone;
  };
  // O(n log n) where there is none, else O(n log² n).
  std::optional<Pair> FindFirstFault() const;

  // Pairs that share bytes. O(n log n).
  int64_t CountPairs() const;

  // Upstream's checks of one pair, the earlier tensor first.
  PairFault Examine(const PlacedTensor& a, const PlacedTensor& b) const;

 private:
  using Pools = std::map<MemId, std::vector<int32_t>>;  // rows that have bytes, ascending
  bool IsInplacePair(const PlacedTensor& a, const PlacedTensor& b) const;
  std::optional<int32_t> FirstWithoutOffset() const;
  // Pairs of rows from `begin` on with one fault, whether or not they have another too.
  int64_t CountFaults(PairFault fault, int32_t begin) const;
  int64_t CountObjectMismatches(const std::vector<int32_t>& rows) const;
  int64_t CountWithoutLifetime(const std::vector<int32_t>& rows) const;
  int64_t CountOverlaps(const std::vector<int32_t>& rows) const;
  std::optional<int32_t> FirstRowWith(PairFault fault) const;

  std::vector<PlacedTensor> tensors_;
  bool may_overlap_;
  Pools pools_;
  std::vector<std::pair<int32_t, int32_t>> inplace_pairs_;  // that share bytes while both live
};

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_STORAGE_REUSE_H_
