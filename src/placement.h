// Where each buffer of a problem lies, and how good that is.
#ifndef MEMPLAN_PLACEMENT_H_
#define MEMPLAN_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "problem.h"
#include "units.h"

namespace memplan {

struct Placement {
  std::vector<Bytes> offset;    // one a buffer, kNoBytes where not placed (a
                                // buffer that is never live, or of size 0, is
                                // placed too: at 0 if nothing says otherwise)
  std::vector<int32_t> object;  // shared object of each buffer; empty for
                                // planners without shared objects
  Bytes peak = 0;               // highest end, at least the problem's base; 0 where there
                                // are no buffers

  bool complete() const;  // every buffer has an offset
};

// Sets peak from the offsets. Sizes and offsets must be whole (kMaxBytes is
// checked by the caller).
void MeasurePeak(const Problem& problem, Placement* placement);

// The independent check of any placement: every buffer placed, aligned, at its
// pin, at or above the base, end at most `peak`, no two conflicting buffers
// share a byte. Written apart from all planners; a sweep in O(n log n) plus the
// explicit conflicts. Empty where all is well, else one fault per pair or
// buffer (at most `limit`).
struct PlacementFault {
  enum class Kind : uint8_t { kUnplaced, kMisaligned, kOffPin, kBelowBase, kPastPeak, kOverlap };
  Kind kind = Kind::kOverlap;
  BufferIndex first = 0;
  BufferIndex second = -1;  // of an overlap
};
std::vector<PlacementFault> CheckPlacement(const Problem& problem, const Placement& placement,
                                           size_t limit = 16);

}  // namespace memplan

#endif  // MEMPLAN_PLACEMENT_H_
