// Which items an item excludes.
#ifndef MEMPLAN_ENGINE_CONFLICT_INDEX_H_
#define MEMPLAN_ENGINE_CONFLICT_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/packing.h"

namespace memplan {

// Lists the conflicts of one item in time proportional to their number (and a
// logarithm): items are sorted by first slot, so those that start before an
// item's end are a prefix, of which a tree of latest ends skips what is over.
class ConflictIndex {
 public:
  explicit ConflictIndex(const Packing& packing);

  // Calls visit(other) for every item that excludes `item`, each once.
  template <typename Visit>
  void ForEach(ItemIndex item, Visit visit) const;

  // How many there are, gaps counted as life and explicit conflicts left out.
  int32_t Degree(ItemIndex item) const;

 private:
  static constexpr int kFanLog = 4;

  // True where both are live in one slot.
  bool ShareSlot(ItemIndex a, ItemIndex b) const;

  const Packing& packing_;
  std::vector<ItemIndex> started_;  // by slot: items whose first slot is before it
  std::vector<ItemIndex> ended_;    // by slot: items whose end slot is at or before it
  // Latest end of each group of 16 items, of 16 groups, and so on; the top level has one group.
  std::vector<std::vector<int32_t>> latest_;
};

template <typename Visit>
void ConflictIndex::ForEach(ItemIndex item, Visit visit) const {
  const SlotSpan& hull = packing_.hull[item];
  const bool exact = packing_.has_gaps();
  const ItemIndex stop = started_[hull.hi];
  const int top = static_cast<int>(latest_.size()) - 1;
  // Depth first without a stack: `at` is a group of `level`, whose place says what comes next.
  int level = top;
  int64_t at = 0;
  while (at << ((level + 1) * kFanLog) < stop) {
    if (latest_[level][at] > hull.lo) {
      if (level > 0) {
        --level;
        at <<= kFanLog;
        continue;
      }
      const auto first = static_cast<ItemIndex>(at << kFanLog);
      const ItemIndex last = std::min<ItemIndex>(stop, first + (1 << kFanLog));
      for (ItemIndex other = first; other < last; ++other) {
        if (packing_.hull[other].hi <= hull.lo || other == item) continue;
        if (!exact || ShareSlot(item, other)) visit(other);
      }
    }
    ++at;
    while (level < top && (at & ((1 << kFanLog) - 1)) == 0) {
      at >>= kFanLog;
      ++level;
    }
  }
  for (const ItemIndex other : packing_.conflicts_of(item)) {
    if (!ShareSlot(item, other)) visit(other);
  }
}

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_CONFLICT_INDEX_H_
