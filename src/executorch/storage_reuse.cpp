#include "executorch/storage_reuse.h"

#include <algorithm>
#include <tuple>

#include "executorch/overlap_count.h"
#include "row_sort.h"

namespace memplan::executorch {
namespace {

bool ShareBytes(const PlacedTensor& a, const PlacedTensor& b) {
  return a.mem_id == b.mem_id && a.size > 0 && b.size > 0 && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

bool ShareNodes(const Lifetime& a, const Lifetime& b) {
  return a.first <= a.last && b.first <= b.last && a.Overlaps(b);
}

Extent ExtentOf(const PlacedTensor& row) {
  return {row.offset, row.offset + row.size, row.lifetime};
}

}  // namespace

StorageReuse::StorageReuse(std::vector<PlacedTensor> tensors, bool may_overlap)
    : tensors_(std::move(tensors)), may_overlap_(may_overlap) {
  TensorIndex count = 0;
  for (const PlacedTensor& row : tensors_) count = std::max(count, row.tensor + 1);
  std::vector<int32_t> row_of(count, -1);
  for (int32_t i = 0; i < static_cast<int32_t>(tensors_.size()); ++i) {
    const PlacedTensor& row = tensors_[i];
    if (row.offset != kNoBytes && row.size > 0) pools_[row.mem_id].push_back(i);
    if (row_of[row.tensor] < 0) row_of[row.tensor] = i;
  }
  for (int32_t i = 0; i < static_cast<int32_t>(tensors_.size()); ++i) {
    const TensorIndex base = tensors_[i].inplace_base;
    const int32_t at = base >= 0 && base < count ? row_of[base] : -1;
    if (at < 0 || at == i) continue;
    const PlacedTensor& other = tensors_[at];
    // Two that are each other's base are one pair.
    if (other.inplace_base == tensors_[i].tensor && at < i) continue;
    if (ShareBytes(tensors_[i], other) && ShareNodes(tensors_[i].lifetime, other.lifetime)) {
      inplace_pairs_.emplace_back(std::minmax(i, at));
    }
  }
}

PairFault StorageReuse::Examine(const PlacedTensor& a, const PlacedTensor& b) const {
  if ((a.object < 0) != (b.object < 0)) return PairFault::kObjectDisagree;
  if (a.mem_id != b.mem_id) return PairFault::kNone;
  if (a.offset == kNoBytes || b.offset == kNoBytes) return PairFault::kNoOffset;
  if (!ShareBytes(a, b)) return PairFault::kNone;
  if (!may_overlap_) {
    if (!a.lifetime.exists() || !b.lifetime.exists()) return PairFault::kNoLifetime;
    if (ShareNodes(a.lifetime, b.lifetime) && !IsInplacePair(a, b)) return PairFault::kOverlap;
  }
  return a.object != b.object ? PairFault::kObjectMismatch : PairFault::kNone;
}

bool StorageReuse::IsInplacePair(const PlacedTensor& a, const PlacedTensor& b) const {
  return a.inplace_base == b.tensor || b.inplace_base == a.tensor;
}

std::optional<StorageReuse::Pair> StorageReuse::FindFirstFault() const {
  const auto count = static_cast<int32_t>(tensors_.size());
  const auto disagrees = [&](const PlacedTensor& row) {
    return (row.object < 0) != (tensors_[0].object < 0);
  };
  // Where some have objects and some not, the first tensor already meets one unlike itself.
  int32_t first = std::any_of(tensors_.begin(), tensors_.end(), disagrees) ? 0 : count;
  if (first == count) {
    first = FirstWithoutOffset().value_or(count);
    first = std::min(first, FirstRowWith(PairFault::kObjectMismatch).value_or(count));
    if (!may_overlap_) {
      first = std::min(first, FirstRowWith(PairFault::kNoLifetime).value_or(count));
      first = std::min(first, FirstRowWith(PairFault::kOverlap).value_or(count));
    }
  }
  for (int32_t second = first + 1; second < count; ++second) {
    const PairFault fault = Examine(tensors_[first], tensors_[second]);
    if (fault != PairFault::kNone) return Pair{first, second, fault};
  }
  return std::nullopt;
}

int64_t StorageReuse::CountPairs() const {
  int64_t pairs = 0;
  for (const auto& [mem_id, rows] : pools_) {
    std::vector<Extent> extents;
    for (int32_t i : rows) extents.push_back(ExtentOf(tensors_[i]));
    pairs += CountInBytes(extents);
  }
  return pairs;
}

std::optional<int32_t> StorageReuse::FirstWithoutOffset() const {
  struct Pool {
    int32_t first = -1;
    int32_t count = 0;
    bool lacks_offset = false;
  };
  std::map<MemId, Pool> pools;
  for (int32_t i = 0; i < static_cast<int32_t>(tensors_.size()); ++i) {
    Pool& pool = pools[tensors_[i].mem_id];
    if (pool.count++ == 0) pool.first = i;
    pool.lacks_offset |= tensors_[i].offset == kNoBytes;
  }
  // Whichever lacks the offset, the pool's first tensor is paired with it before all others.
  std::optional<int32_t> first;
  for (const auto& [mem_id, pool] : pools) {
    if (pool.count > 1 && pool.lacks_offset)
      first = std::min(first.value_or(pool.first), pool.first);
  }
  return first;
}

// The last row from which on no faulty pair is missing is the first that is part of one.
std::optional<int32_t> StorageReuse::FirstRowWith(PairFault fault) const {
  const int64_t faults = CountFaults(fault, 0);
  if (faults == 0) return std::nullopt;
  int32_t low = 0;
  auto high = static_cast<int32_t>(tensors_.size());
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    (CountFaults(fault, middle) == faults ? low : high) = middle;
  }
  return low;
}

int64_t StorageReuse::CountFaults(PairFault fault, int32_t begin) const {
  int64_t faults = 0;
  for (const auto& [mem_id, all_rows] : pools_) {
    const std::vector<int32_t> rows(std::lower_bound(all_rows.begin(), all_rows.end(), begin),
                                    all_rows.end());
    if (fault == PairFault::kObjectMismatch) faults += CountObjectMismatches(rows);
    if (fault == PairFault::kNoLifetime) faults += CountWithoutLifetime(rows);
    if (fault == PairFault::kOverlap) faults += CountOverlaps(rows);
  }
  if (fault != PairFault::kOverlap) return faults;
  return faults - std::count_if(inplace_pairs_.begin(), inplace_pairs_.end(),
                                [&](const auto& pair) { return pair.first >= begin; });
}

int64_t StorageReuse::CountObjectMismatches(const std::vector<int32_t>& rows) const {
  std::vector<int32_t> by_object = rows;
  SortRows(&by_object, [&](int32_t a, int32_t b) {
    return std::tie(tensors_[a].object, a) < std::tie(tensors_[b].object, b);
  });
  int64_t pairs = 0;
  std::vector<Extent> all;
  std::vector<Extent> same;  // of the object at hand
  for (size_t i = 0; i < by_object.size(); ++i) {
    all.push_back(ExtentOf(tensors_[by_object[i]]));
    same.push_back(all.back());
    if (i + 1 < by_object.size() &&
        tensors_[by_object[i]].object == tensors_[by_object[i + 1]].object) {
      continue;
    }
    pairs -= CountInBytes(same);
    same.clear();
  }
  return pairs + CountInBytes(all);
}

int64_t StorageReuse::CountWithoutLifetime(const std::vector<int32_t>& rows) const {
  std::vector<Extent> all;
  std::vector<Extent> with_lifetime;
  for (int32_t i : rows) {
    all.push_back(ExtentOf(tensors_[i]));
    if (tensors_[i].lifetime.exists()) with_lifetime.push_back(all.back());
  }
  if (all.size() == with_lifetime.size()) return 0;
  return CountInBytes(all) - CountInBytes(with_lifetime);
}

int64_t StorageReuse::CountOverlaps(const std::vector<int32_t>& rows) const {
  std::vector<Extent> extents;
  extents.reserve(rows.size());
  for (int32_t i : rows) extents.push_back(ExtentOf(tensors_[i]));
  return CountInBytesAndTime(extents);
}

}  // namespace memplan::executorch
