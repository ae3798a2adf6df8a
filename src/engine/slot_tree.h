// Which nodes of a tree over the slots the items of a packing need.
#ifndef MEMPLAN_ENGINE_SLOT_TREE_H_
#define MEMPLAN_ENGINE_SLOT_TREE_H_

#include <cstdint>
#include <vector>

#include "engine/packing.h"

namespace memplan {

// A binary tree over the slots, children of node i at 2 i and 2 i + 1, leaves
// from leaf_count. Any span of slots is the union of few whole nodes, its
// cover. Only nodes in some item's cover are numbered: nobody else asks for
// their lists, and in long narrow problems those are the low levels alone.
class SlotTree {
 public:
  explicit SlotTree(const Packing& packing);

  int32_t numbered_count() const { return numbered_count_; }
  // Whether the node with that number is a single slot: it is above no other.
  bool is_leaf(int32_t number) const { return number >= first_leaf_; }
  // -1 where the node is in no cover.
  int32_t number(uint32_t node) const { return number_[node]; }

  // Calls cover(number) for the nodes of the span's cover and above(number) for
  // their numbered ancestors, each once.
  template <typename Cover, typename Above>
  void Visit(SlotSpan span, Cover cover, Above above) const {
    uint32_t left = 0, right = 0;  // the paths upward from the lowest nodes of either side
    uint32_t lo = leaf_count_ + span.lo, hi = leaf_count_ + span.hi;
    for (; lo < hi; lo >>= 1, hi >>= 1, left >>= 1, right >>= 1) {
      if (left != 0) VisitAbove(left, above);
      if (right != 0 && right != left) VisitAbove(right, above);
      if (lo & 1) {
        cover(number_[lo]);
        if (left == 0) left = lo;
        ++lo;
      }
      if (hi & 1) {
        --hi;
        cover(number_[hi]);
        if (right == 0) right = hi;
      }
    }
    for (; left >= first_numbered_ || right >= first_numbered_; left >>= 1, right >>= 1) {
      if (left != 0) VisitAbove(left, above);
      if (right != 0 && right != left) VisitAbove(right, above);
    }
  }

 private:
  template <typename Above>
  void VisitAbove(uint32_t node, Above above) const {
    if (number_[node] >= 0) above(number_[node]);
  }

  uint32_t leaf_count_ = 1;  // a power of two
  // All nodes before it are in no cover: the levels above the longest lives. At least 1.
  uint32_t first_numbered_ = 1;
  int32_t numbered_count_ = 0;
  int32_t first_leaf_ = 0;  // the number of the first leaf that has one
  std::vector<int32_t> number_;
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_SLOT_TREE_H_
