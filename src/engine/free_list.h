// Placing in time order with a list of holes: never slow.
#ifndef MEMPLAN_ENGINE_FREE_LIST_H_
#define MEMPLAN_ENGINE_FREE_LIST_H_

#include <cstdint>
#include <vector>

#include "engine/packing.h"

namespace memplan {

enum class Direction : uint8_t { kForward, kBackward };

// Goes through time once, as a run-time allocator would: what ends gives its
// range back, holes that touch become one, what starts takes the smallest hole
// that holds it (the lowest of equals; larger items first at one slot), else
// the top. O(n log n) whatever the problem, which no pass with gap search
// guarantees. Backward goes from the last slot to the first.
//
// Gaps count as life, pinned ranges are never holes, and an item named in a
// conflict keeps its range for ever: safe, and rare enough not to matter.
// Offsets in units, one an item.
std::vector<int64_t> PlaceInTime(const Packing& packing, Direction direction);

// The one with the lower peak, forward where they are equal.
std::vector<int64_t> PlaceInTimeBothWays(const Packing& packing);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_FREE_LIST_H_
