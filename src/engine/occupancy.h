// What is occupied when: the placement engine of the planners that place one
// buffer after the other.
#ifndef MEMPLAN_ENGINE_OCCUPANCY_H_
#define MEMPLAN_ENGINE_OCCUPANCY_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/packing.h"
#include "engine/run_list.h"
#include "engine/slot_tree.h"

namespace memplan {

// A segment tree over time of merged occupied runs. Each numbered node of the
// slot tree keeps two lists: what is occupied at some slot of the node, and
// what is occupied at every one (by an item whose cover the node is in). The
// runs to respect over a span are the first lists of its cover and the second
// ones of what is above: 2 to 35 short lists, never the items themselves. Dense
// packings have few runs, which is why it is fast; the worst case is linear in
// the items per query, so callers count steps.
//
// Addresses are units. Not for items placed once and moved later: runs merge and
// cannot be taken out.
class Occupancy {
 public:
  Occupancy(const Packing& packing, const SlotTree& tree);

  // Marks the item's range as taken.
  void Put(ItemIndex item, int64_t offset);

  // The lowest free multiple of the item's alignment at or above the packing's
  // floor, kNone where it would be above `highest`.
  static constexpr int64_t kNone = -1;
  int64_t FirstFit(ItemIndex item, int64_t highest);
  // The free place in the smallest gap between occupied ranges that holds the
  // item (the lowest of equals); above everything where no gap does.
  int64_t BestFit(ItemIndex item, int64_t highest);

  // Runs looked at so far.
  int64_t steps() const { return steps_; }

 private:
  // What is left of a list.
  struct Cursor {
    const ByteRun* at;
    const ByteRun* end;
  };
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  // Lists what is in the item's way and what it will be in once placed.
  void Collect(ItemIndex item);
  void MakeRoom(size_t spans);
  void CollectConflicts(ItemIndex item);
  void AddCursor(std::span<const ByteRun> runs);
  // Moves from `offset` up to the first free place; kNone past `highest`. Sets gap_end_.
  int64_t Climb(int64_t offset, int64_t size, int64_t alignment, int64_t highest);

  const Packing& packing_;
  const SlotTree& tree_;
  // Of each node of the tree that has lists: what is occupied at some slot; at every slot.
  RunLists lists_;
  ItemIndex collected_ = -1;
  // Room that is made once: of each as many as its count says matter.
  std::vector<uint32_t> asked_;  // lists that the item must respect
  std::vector<uint32_t> added_;  // lists that it will be in
  std::vector<Cursor> cursors_;
  std::vector<int64_t> next_from_;  // of each cursor's run, kMost at the end of its list
  size_t added_count_ = 0;
  size_t cursor_count_ = 0;
  // Where the free range that begins at the place that Climb found ends; kMost if nothing is above.
  int64_t gap_end_ = kMost;
  std::vector<int64_t> placed_;       // only where there are explicit conflicts
  std::vector<ByteRun> conflicting_;  // of the item in question
  int64_t steps_ = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_OCCUPANCY_H_
