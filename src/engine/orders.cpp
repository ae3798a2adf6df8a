#include "engine/orders.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/range_max.h"
#include "row_sort.h"

namespace memplan {
namespace {

// What an item is placed by: larger keys first, then the smaller item.
struct Keyed {
  int64_t first;
  int32_t second;
  ItemIndex item;
  bool operator<(const Keyed& other) const {
    if (first != other.first) return first > other.first;
    if (second != other.second) return second > other.second;
    return item < other.item;
  }
};

std::vector<ItemIndex> Sorted(std::vector<Keyed>* keyed) {
  SortRows(keyed);
  std::vector<ItemIndex> order;
  order.reserve(keyed->size());
  for (const Keyed& key : *keyed) order.push_back(key.item);
  return order;
}

// `values` by their keys (at the same place), larger first, else as they were.
std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key,
                                 const std::vector<int32_t>& values) {
  std::vector<Keyed> keyed;
  keyed.reserve(values.size());
  for (size_t place = 0; place < values.size(); ++place) {
    keyed.push_back({key[place], 0, static_cast<int32_t>(place)});
  }
  std::vector<int32_t> sorted = Sorted(&keyed);
  for (int32_t& place : sorted) place = values[place];
  return sorted;
}

}  // namespace

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

std::vector<ItemIndex> OrderBySize(const Packing& packing) {
  std::vector<Keyed> keyed;
  keyed.reserve(packing.count());
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    keyed.push_back({packing.size[item], 0, item});
  }
  return Sorted(&keyed);
}

std::vector<ItemIndex> OrderByLoadAndLength(const Packing& packing) {
  const RangeMax load(packing.load);
  std::vector<Keyed> keyed;
  keyed.reserve(packing.count());
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    Keyed key{0, 0, item};
    for (const SlotSpan& span : packing.spans(item)) {
      key.first = std::max(key.first, load.Max(span.lo, span.hi));
      key.second += span.hi - span.lo;
    }
    keyed.push_back(key);
  }
  return Sorted(&keyed);
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
  std::vector<int32_t> slots(packing.slot_count);
  std::iota(slots.begin(), slots.end(), 0);
  slots = SortedByKey(packing.load, slots);
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
