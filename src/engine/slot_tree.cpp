#include "engine/slot_tree.h"

namespace memplan {

SlotTree::SlotTree(const Packing& packing) {
  while (leaf_count_ < static_cast<uint32_t>(packing.slot_count)) leaf_count_ *= 2;
  number_.assign(2 * static_cast<size_t>(leaf_count_), -1);
  constexpr int32_t kNeeded = 0;
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    for (const SlotSpan& span : packing.spans(item)) {
      uint32_t lo = leaf_count_ + span.lo, hi = leaf_count_ + span.hi;
      for (; lo < hi; lo >>= 1, hi >>= 1) {
        if (lo & 1) number_[lo++] = kNeeded;
        if (hi & 1) number_[--hi] = kNeeded;
      }
    }
  }
  const auto size = static_cast<uint32_t>(number_.size());
  while (first_numbered_ < size && number_[first_numbered_] != kNeeded) ++first_numbered_;
  for (uint32_t node = first_numbered_; node < size; ++node) {
    if (node == leaf_count_) first_leaf_ = numbered_count_;
    if (number_[node] == kNeeded) number_[node] = numbered_count_++;
  }
}

}  // namespace memplan
