// How many pairs of rectangles in time and bytes overlap, without looking at pairs.
#ifndef MEMPLAN_EXECUTORCH_OVERLAP_COUNT_H_
#define MEMPLAN_EXECUTORCH_OVERLAP_COUNT_H_

#include <cstdint>
#include <vector>

#include "units.h"

namespace memplan::executorch {

struct Extent {
  Bytes from = 0;  // inclusive
  Bytes to = 0;    // exclusive; more than `from`
  Lifetime lifetime;
};

// Pairs that share a byte. O(n log n).
int64_t CountInBytes(const std::vector<Extent>& extents);

// Pairs that share a byte and a node; an extent without lifetime, or whose last node is before its
// first, is in none. O(n log n).
int64_t CountInBytesAndTime(const std::vector<Extent>& extents);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_OVERLAP_COUNT_H_
