// The bytes that a submodule and everything it runs ever touch.
#ifndef MEMPLAN_VERIFIER_FOOTPRINT_H_
#define MEMPLAN_VERIFIER_FOOTPRINT_H_

#include <vector>

#include "units.h"

namespace memplan::verifier {

struct ByteRange {
  MemId pool = 1;
  Bytes from = 0;  // inclusive
  Bytes to = 0;    // exclusive
};

// Sorted by pool and start, without overlaps.
using Footprint = std::vector<ByteRange>;

// Sorts and joins ranges.
Footprint MakeFootprint(std::vector<ByteRange> ranges);

// The first range of `footprint` that shares bytes with `range`; null where none does.
const ByteRange* FindOverlap(const Footprint& footprint, const ByteRange& range);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_FOOTPRINT_H_
