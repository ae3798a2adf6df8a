#include "engine/free_list.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/orders.h"
#include "row_sort.h"

namespace memplan {
namespace {

class FreeList {
 public:
  explicit FreeList(const Packing& packing) : top_(packing.floor) { ReservePins(packing); }

  int64_t Take(int64_t size, int64_t alignment) {
    // Where that many holes are too short once aligned, one that is long enough wherever it begins
    // will do.
    constexpr int kTries = 32;
    int tries = 0;
    for (auto hole = by_size_.lower_bound({size, 0}); hole != by_size_.end(); ++hole) {
      if (tries++ == kTries) hole = by_size_.lower_bound({size + alignment - 1, 0});
      if (hole == by_size_.end()) break;
      const auto [length, from] = *hole;
      const int64_t offset = AlignUp(from, alignment);
      if (offset + size > from + length) continue;
      Remove(from, length);
      Add(from, offset);
      Add(offset + size, from + length);
      return offset;
    }
    return TakeTop(size, alignment);
  }

  void Give(int64_t from, int64_t to) {
    const auto above = by_address_.lower_bound({from, 0});
    if (above != by_address_.end() && above->first == to) {
      const auto [start, length] = *above;
      to = start + length;
      Remove(start, length);
    }
    const auto at = by_address_.lower_bound({from, 0});
    if (at != by_address_.begin()) {
      const auto [start, length] = *std::prev(at);
      if (start + length == from) {
        from = start;
        Remove(start, length);
      }
    }
    Add(from, to);
  }

 private:
  // What lies between pinned ranges is holes from the start; the top is above them.
  void ReservePins(const Packing& packing) {
    std::vector<std::pair<int64_t, int64_t>> pins;
    for (ItemIndex item = 0; item < packing.count(); ++item) {
      const int64_t pin = packing.pin_of(item);
      if (pin >= 0) pins.emplace_back(pin, pin + packing.size[item]);
    }
    SortRows(&pins);
    for (const auto& [from, to] : pins) {
      Add(top_, from);
      top_ = std::max(top_, to);
    }
  }

  int64_t TakeTop(int64_t size, int64_t alignment) {
    // A hole that touches the top is part of it.
    if (!by_address_.empty()) {
      const auto [from, length] = *by_address_.rbegin();
      if (from + length == top_) {
        Remove(from, length);
        top_ = from;
      }
    }
    const int64_t offset = AlignUp(top_, alignment);
    Add(top_, offset);
    top_ = offset + size;
    return offset;
  }

  void Add(int64_t from, int64_t to) {
    if (from >= to) return;
    by_size_.insert({to - from, from});
    by_address_.insert({from, to - from});
  }
  void Remove(int64_t from, int64_t length) {
    by_size_.erase({length, from});
    by_address_.erase({from, length});
  }

  std::set<std::pair<int64_t, int64_t>> by_size_;     // length, from
  std::set<std::pair<int64_t, int64_t>> by_address_;  // from, length
  int64_t top_;
};

}  // namespace

std::vector<int64_t> PlaceInTime(const Packing& packing, Direction direction) {
  const bool backward = direction == Direction::kBackward;
  const auto first = [&](ItemIndex item) {
    return backward ? packing.slot_count - packing.hull[item].hi : packing.hull[item].lo;
  };
  const auto end = [&](ItemIndex item) {
    return backward ? packing.slot_count - packing.hull[item].lo : packing.hull[item].hi;
  };
  // By slot; of starts then by rank in size, of ends by item.
  const std::vector<ItemIndex> by_size = OrderBySize(packing);
  std::vector<std::pair<int64_t, int64_t>> starts, ends;
  for (ItemIndex i = 0; i < packing.count(); ++i) {
    starts.emplace_back(first(by_size[i]), i);
    ends.emplace_back(end(i), i);
  }
  SortRows(&starts);
  SortRows(&ends);
  FreeList free(packing);
  std::vector<int64_t> offset(packing.count(), -1);
  size_t ended = 0;
  for (const auto& [start, rank] : starts) {
    const ItemIndex item = by_size[rank];
    if (packing.pin_of(item) >= 0) {
      offset[item] = packing.pin[item];
      continue;
    }
    for (; ended < ends.size() && ends[ended].first <= start; ++ended) {
      const auto gone = static_cast<ItemIndex>(ends[ended].second);
      if (packing.pin_of(gone) >= 0 || !packing.conflicts_of(gone).empty()) continue;
      free.Give(offset[gone], offset[gone] + packing.size[gone]);
    }
    offset[item] = free.Take(packing.size[item], packing.alignment_of(item));
  }
  return offset;
}

std::vector<int64_t> PlaceInTimeBothWays(const Packing& packing) {
  std::vector<int64_t> forward = PlaceInTime(packing, Direction::kForward);
  std::vector<int64_t> backward = PlaceInTime(packing, Direction::kBackward);
  const auto peak = [&](const std::vector<int64_t>& offset) {
    Bytes most = 0;
    for (ItemIndex item = 0; item < packing.count(); ++item) {
      most = std::max(most, packing.EndOf(item, offset[item]));
    }
    return most;
  };
  return peak(backward) < peak(forward) ? backward : forward;
}

}  // namespace memplan
