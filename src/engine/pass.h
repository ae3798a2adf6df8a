// One pass over the items in some order, each placed for good.
#ifndef MEMPLAN_ENGINE_PASS_H_
#define MEMPLAN_ENGINE_PASS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/packing.h"
#include "engine/slot_tree.h"

namespace memplan {

enum class Fit : uint8_t { kFirst, kBest };

struct PassResult {
  std::vector<int64_t> offset;       // units, one an item
  std::vector<ItemIndex> left_over;  // those that end above the ceiling, in order
  int64_t steps = 0;
  bool finished = false;  // false: it took more steps than allowed, and offsets are missing
};

// Places pinned items first, then `order`. With a ceiling (bytes, else
// kNoBytes) an item that would end above it is left over and placed after all
// others, with no ceiling. `step_limit` counts occupied runs looked at, steps are those of a
// planner.
PassResult PlaceInOrder(const Packing& packing, const SlotTree& tree,
                        std::span<const ItemIndex> order, Fit fit, Bytes ceiling,
                        int64_t step_limit);

// What a pass over so many items may cost before a planner that is never slow
// (start order with a free list) does its work instead.
int64_t PassStepLimit(const Packing& packing);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_PASS_H_
