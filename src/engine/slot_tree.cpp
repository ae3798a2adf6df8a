#include "engine/slot_tree.h"

#include <algorithm>
#include <bit>

namespace memplan {

SlotTree::SlotTree(const Packing& packing) {
  const auto leaves = std::bit_ceil(static_cast<uint32_t>(std::max(1, packing.slot_count)));
  list_.assign(2 * static_cast<size_t>(leaves), -1);
  constexpr int32_t kNeeded = 0;
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    for (const SlotSpan& span : packing.spans(item)) {
      int32_t lo = span.lo, hi = span.hi;
      int level = 0;
      for (; lo < hi; lo >>= 1, hi >>= 1, ++level) {
        if (lo & 1) list_[Place(level, lo++)] = kNeeded;
        if (hi & 1) list_[Place(level, --hi)] = kNeeded;
      }
      top_level_ = std::max(top_level_, level - 1);
    }
  }
  for (size_t place = 0; place < list_.size(); ++place) {
    if (list_[place] != kNeeded) continue;
    list_[place] = static_cast<int32_t>(list_count_);
    // Every other place is a leaf's.
    list_count_ += place % 2 == 0 ? 1 : 2;
  }
}

}  // namespace memplan
