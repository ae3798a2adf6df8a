// The orders in which one-pass planners place.
#ifndef MEMPLAN_ENGINE_ORDERS_H_
#define MEMPLAN_ENGINE_ORDERS_H_

#include <cstdint>
#include <vector>

#include "engine/packing.h"

namespace memplan {

// Each order holds all items once; ties go by the smaller item index.

// The fullest slot of each item's spans, in units.
std::vector<int64_t> HighestLoads(const Packing& packing);

// Larger first.
std::vector<ItemIndex> OrderBySize(const Packing& packing);

// Those that live in the fullest slot first; then those that live in more slots.
std::vector<ItemIndex> OrderByLoadAndLength(const Packing& packing);

// Sizes fall into classes, each `factor_log` / 256 powers of two wide and the
// lowest shifted down by `phase` / 256 of one. Larger class first, then as
// OrderByLoadAndLength.
std::vector<ItemIndex> OrderBySizeClass(const Packing& packing, int32_t factor_log,
                                        int32_t phase = 0);

// Those that exclude the most others first (pairs that share no slot but are
// named in conflicts do not count), then larger first.
std::vector<ItemIndex> OrderByConflicts(const Packing& packing);

// Slots by breadth (their load), fullest first; of each slot the items that
// are not in the order yet, larger first.
std::vector<ItemIndex> OrderByBreadth(const Packing& packing);

// floor(256 log2(value)), value > 0; integers throughout, so that it is the
// same everywhere.
int32_t Log2In256ths(uint64_t value);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_ORDERS_H_
