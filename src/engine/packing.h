// A problem made ready for placing: time squeezed to slots, bytes to units.
#ifndef MEMPLAN_ENGINE_PACKING_H_
#define MEMPLAN_ENGINE_PACKING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "placement.h"
#include "problem.h"

namespace memplan {

// Slots [lo, hi).
struct SlotSpan {
  int32_t lo = 0;
  int32_t hi = 0;
};

// The place of a live buffer in its packing.
using ItemIndex = int32_t;

// The live buffers of a problem, in the order (first slot, end slot, tie order
// of the problem), so that items that exclude each other lie together in
// memory and the smaller index is the tie rule of every planner.
//
// A slot is a moment at which a set of live buffers is as large as it gets:
// time is cut only where a start follows an end. Two buffers are live together
// in the problem exactly where they share a slot. A unit is the largest number
// of bytes that every size (rounded up to the least alignment, which loses
// nothing, since offsets are multiples of it), pin and the base is a multiple
// of.
//
// Read only once made; what planners know of each other is this and no more.
struct Packing {
  explicit Packing(const Problem& of);

  ItemIndex count() const { return static_cast<ItemIndex>(buffer.size()); }
  // The slots an item is live in: one span, or one more than it has gaps.
  std::span<const SlotSpan> spans(ItemIndex item) const {
    if (first_span.empty()) return {hull.data() + item, 1};
    return {span_list.data() + first_span[item], first_span[item + 1] - first_span[item]};
  }
  bool has_gaps() const { return !first_span.empty(); }
  int64_t alignment_of(ItemIndex item) const { return alignment.empty() ? 1 : alignment[item]; }
  int64_t pin_of(ItemIndex item) const { return pin.empty() ? -1 : pin[item]; }
  std::span<const ItemIndex> conflicts_of(ItemIndex item) const {
    if (first_conflict.empty()) return {};
    return {conflict.data() + first_conflict[item],
            first_conflict[item + 1] - first_conflict[item]};
  }
  // The end in bytes of an item at `offset` units; less than the end of its
  // last unit where its size was rounded up.
  Bytes EndOf(ItemIndex item, int64_t offset) const {
    return padded ? offset * unit + problem.size[buffer[item]] : (offset + size[item]) * unit;
  }
  // Items by offset in units to a placement of the problem, with its peak;
  // items at -1 stay unplaced. Buffers that are never live lie at their pin,
  // else at 0.
  Placement ToPlacement(std::span<const int64_t> offset) const;

  const Problem& problem;
  int32_t slot_count = 0;
  Bytes unit = 1;       // bytes
  int64_t floor = 0;    // units below it are taken
  bool padded = false;  // some size was rounded up
  Bytes bound = 0;      // bytes: no plan is smaller. The fullest slot, alignment counted

  std::vector<BufferIndex> buffer;   // which buffer of the problem an item is
  std::vector<SlotSpan> hull;        // from its first slot to the end of its last
  std::vector<int64_t> size;         // units
  std::vector<uint32_t> first_span;  // empty where no item has gaps that matter
  std::vector<SlotSpan> span_list;
  std::vector<int64_t> alignment;        // units; empty where all are 1
  std::vector<int64_t> pin;              // units; empty, or one an item, -1 where free
  std::vector<uint32_t> first_conflict;  // empty where there are none
  std::vector<ItemIndex> conflict;       // both ways
  std::vector<int64_t> load;             // units live in each slot
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_PACKING_H_
