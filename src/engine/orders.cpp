#include "engine/orders.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/range_max.h"

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
  std::sort(keyed->begin(), keyed->end());
  std::vector<ItemIndex> order;
  order.reserve(keyed->size());
  for (const Keyed& key : *keyed) order.push_back(key.item);
  return order;
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
  std::vector<Keyed> keyed;
  keyed.reserve(within.size());
  for (size_t place = 0; place < within.size(); ++place) {
    const int32_t log = Log2In256ths(static_cast<uint64_t>(packing.size[within[place]]));
    keyed.push_back({(log + phase) / factor_log, 0, static_cast<ItemIndex>(place)});
  }
  std::vector<ItemIndex> order = Sorted(&keyed);
  for (ItemIndex& item : order) item = within[item];
  return order;
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
  std::vector<Keyed> keyed;
  keyed.reserve(packing.count());
  for (const ItemIndex item : OrderBySize(packing)) {
    const SlotSpan& hull = packing.hull[item];
    keyed.push_back({starts[hull.hi] - ends[hull.lo], 0, item});
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const Keyed& a, const Keyed& b) { return a.first > b.first; });
  std::vector<ItemIndex> order;
  order.reserve(keyed.size());
  for (const Keyed& key : keyed) order.push_back(key.item);
  return order;
}

std::vector<ItemIndex> OrderByStart(const Packing& packing) {
  std::vector<ItemIndex> order(packing.count());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<ItemIndex> OrderByBreadth(const Packing& packing) {
  // An item joins at the fullest of its slots, the first of equals; so it is
  // enough to sort by (breadth of that slot, slot, size).
  std::vector<int32_t> slots(packing.slot_count);
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(),
                   [&](int32_t a, int32_t b) { return packing.load[a] > packing.load[b]; });
  std::vector<int64_t> rank(packing.slot_count);  // negated, so that the largest is the fullest
  for (size_t i = 0; i < slots.size(); ++i) rank[slots[i]] = -static_cast<int64_t>(i);
  const RangeMax best(rank);
  std::vector<Keyed> keyed;
  keyed.reserve(packing.count());
  for (const ItemIndex item : OrderBySize(packing)) {
    int64_t most = INT64_MIN;
    for (const SlotSpan& span : packing.spans(item)) {
      most = std::max(most, best.Max(span.lo, span.hi));
    }
    keyed.push_back({most, 0, item});
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const Keyed& a, const Keyed& b) { return a.first > b.first; });
  std::vector<ItemIndex> order;
  order.reserve(keyed.size());
  for (const Keyed& key : keyed) order.push_back(key.item);
  return order;
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
