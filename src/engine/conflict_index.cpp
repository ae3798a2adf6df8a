#include "engine/conflict_index.h"

#include <algorithm>
#include <numeric>

namespace memplan {

ConflictIndex::ConflictIndex(const Packing& packing) : packing_(packing) {
  started_.assign(static_cast<size_t>(packing.slot_count) + 1, 0);
  ended_.assign(static_cast<size_t>(packing.slot_count) + 1, 0);
  std::vector<int32_t> level;
  for (const SlotSpan& hull : packing.hull) {
    ++started_[hull.lo + 1];
    ++ended_[hull.hi];
    level.push_back(hull.hi);
  }
  std::partial_sum(started_.begin(), started_.end(), started_.begin());
  std::partial_sum(ended_.begin(), ended_.end(), ended_.begin());
  do {
    std::vector<int32_t> groups;
    for (size_t first = 0; first < level.size(); first += size_t{1} << kFanLog) {
      const size_t last = std::min(level.size(), first + (size_t{1} << kFanLog));
      groups.push_back(*std::max_element(level.begin() + first, level.begin() + last));
    }
    latest_.push_back(groups);
    level = std::move(groups);
  } while (level.size() > 1);
}

int32_t ConflictIndex::Degree(ItemIndex item) const {
  const SlotSpan& hull = packing_.hull[item];
  return started_[hull.hi] - ended_[hull.lo] - 1;
}

bool ConflictIndex::ShareSlot(ItemIndex a, ItemIndex b) const {
  const auto of_a = packing_.spans(a), of_b = packing_.spans(b);
  auto at_a = of_a.begin();
  auto at_b = of_b.begin();
  while (at_a != of_a.end() && at_b != of_b.end()) {
    if (at_a->lo < at_b->hi && at_b->lo < at_a->hi) return true;
    if (at_a->hi <= at_b->hi) {
      ++at_a;
    } else {
      ++at_b;
    }
  }
  return false;
}

}  // namespace memplan
