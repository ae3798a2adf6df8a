// Which nodes of a tree over the slots the items of a packing need.
#ifndef MEMPLAN_ENGINE_SLOT_TREE_H_
#define MEMPLAN_ENGINE_SLOT_TREE_H_

#include <cstdint>
#include <vector>

#include "engine/packing.h"

namespace memplan {

// A binary tree over the slots: node `at` of a level is all slots that are `at` after a shift by
// the level. Any span of slots is the union of few whole nodes, its cover.
//
// A node that is in some item's cover has lists, whose numbers rise with time: one for what
// concerns some of its slots, and after it, where it is more than a single slot, one for what
// concerns every one. Nobody asks for lists of the other nodes, and in long narrow problems those
// that somebody asks for are of the low levels alone.
class SlotTree {
 public:
  // The most that Visit calls each of the two.
  static constexpr size_t kMostVisited = 64;

  explicit SlotTree(const Packing& packing);

  uint32_t list_count() const { return list_count_; }

  // Calls cover(list, level) for the nodes of the span's cover and above(list) for their ancestors
  // that have lists, each once, with the first list of each.
  template <typename Cover, typename Above>
  void Visit(SlotSpan span, Cover cover, Above above) const {
    int32_t left = -1, right = -1;  // the paths upward from the lowest nodes of either side
    int32_t lo = span.lo, hi = span.hi;
    for (int level = 0; level <= top_level_; ++level) {
      if (left >= 0) VisitAbove(level, left, above);
      if (right >= 0 && right != left) VisitAbove(level, right, above);
      if (lo < hi) {
        if (lo & 1) {
          cover(static_cast<uint32_t>(list_[Place(level, lo)]), level);
          if (left < 0) left = lo;
          ++lo;
        }
        if (hi & 1) {
          --hi;
          cover(static_cast<uint32_t>(list_[Place(level, hi)]), level);
          if (right < 0) right = hi;
        }
      }
      lo >>= 1, hi >>= 1, left >>= 1, right >>= 1;
    }
  }

 private:
  // In order: a node lies between what is before and what is after its middle, so that what is
  // near in time is near in memory.
  static size_t Place(int level, int32_t at) {
    return ((2 * static_cast<size_t>(at) + 1) << level) - 1;
  }

  template <typename Above>
  void VisitAbove(int level, int32_t at, Above above) const {
    const int32_t list = list_[Place(level, at)];
    if (list >= 0) above(static_cast<uint32_t>(list));
  }

  int top_level_ = 0;  // no node above it is in a cover
  uint32_t list_count_ = 0;
  std::vector<int32_t> list_;  // the first of each node; -1 where it has none
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_SLOT_TREE_H_
