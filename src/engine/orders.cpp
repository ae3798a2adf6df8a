#include "engine/orders.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/radix_sort.h"
#include "engine/range_max.h"

namespace memplan {
std::vector<int64_t> HighestLoads(const Packing& packing) {
  const RangeMax load(packing.load);
  std::vector<int64_t> highest;
  highest.reserve(packing.count());
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    int64_t most = 0;
    for (const SlotSpan& span : packing.spans(item)) {
      most = std::max(most, load.Max(span.lo, span.hi));
    }
    highest.push_back(most);
  }
  return highest;
}

std::vector<ItemIndex> OrderBySize(const Packing& packing) { return SortedByKey(packing.size); }

std::vector<ItemIndex> OrderByLoadAndLength(const Packing& packing) {
  std::vector<int64_t> key;
  key.reserve(packing.size.size());
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    int64_t length = 0;
    for (const SlotSpan& span : packing.spans(item)) length += span.hi - span.lo;
    key.push_back(length);
  }
  const std::vector<ItemIndex> within = SortedByKey(key);
  const std::vector<int64_t> load = HighestLoads(packing);
  for (size_t i = 0; i < within.size(); ++i) key[i] = load[within[i]];
  return SortedByKey(key, within);
}

std::vector<ItemIndex> OrderBySizeClass(const Packing& packing, int32_t factor_log, int32_t phase) {
  const std::vector<ItemIndex> within = OrderByLoadAndLength(packing);
  std::vector<int64_t> key;
  key.reserve(within.size());
  for (const ItemIndex item : within) {
    key.push_back((Log2In256ths(static_cast<uint64_t>(packing.size[item])) + phase) / factor_log);
  }
  return SortedByKey(key, within);
}

std::vector<ItemIndex> OrderByConflicts(const Packing& packing) {
  // Of the starts before an item's end, all but those that ended by its start
  // are conflicts. A gap counts as life here.
  std::vector<int32_t> starts(packing.slot_count + 1, 0), ends(packing.slot_count + 1, 0);
  for (const SlotSpan& hull : packing.hull) {
    ++starts[hull.lo + 1];
    ++ends[hull.hi];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::vector<ItemIndex> within = OrderBySize(packing);
  std::vector<int64_t> key;
  key.reserve(within.size());
  for (const ItemIndex item : within) {
    key.push_back(starts[packing.hull[item].hi] - ends[packing.hull[item].lo]);
  }
  return SortedByKey(key, within);
}

std::vector<ItemIndex> OrderByBreadth(const Packing& packing) {
  // An item joins at the fullest of its slots, the first of equals; so it is
  // enough to sort by (breadth of that slot, slot, size).
  const std::vector<int32_t> slots = SortedByKey(packing.load);
  std::vector<int64_t> rank(packing.slot_count);  // negated, so that the largest is the fullest
  for (size_t i = 0; i < slots.size(); ++i) rank[slots[i]] = -static_cast<int64_t>(i);
  const RangeMax best(rank);
  const std::vector<ItemIndex> within = OrderBySize(packing);
  std::vector<int64_t> key;
  key.reserve(within.size());
  for (const ItemIndex item : within) {
    int64_t most = INT64_MIN;
    for (const SlotSpan& span : packing.spans(item)) {
      most = std::max(most, best.Max(span.lo, span.hi));
    }
    key.push_back(most);
  }
  return SortedByKey(key, within);
}

int32_t Log2In256ths(uint64_t value) {
  const int whole = std::bit_width(value) - 1;
  // The fraction bit by bit: squaring a mantissa in [1, 2) doubles its log.
  uint64_t mantissa = whole <= 31 ? value << (31 - whole) : value >> (whole - 31);
  int32_t log = whole;
  for (int bit = 0; bit < 8; ++bit) {
    mantissa = mantissa * mantissa >> 31;
    log *= 2;
    if (mantissa >> 32) {
      ++log;
      mantissa >>= 1;
    }
  }
  return log;
}

}  // namespace memplan
