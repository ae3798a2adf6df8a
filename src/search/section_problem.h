// A placement problem without pins, gaps, extra conflicts or mixed alignments,
// in the form the exact search works on: whole units instead of bytes, maximal
// live sets ("sections") instead of ticks.
#ifndef MEMPLAN_SEARCH_SECTION_PROBLEM_H_
#define MEMPLAN_SEARCH_SECTION_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "problem.h"
#include "units.h"

namespace memplan {

// Buffers are numbered by (lo, -hi, -size, index in the problem), so those that
// start in a range of sections have consecutive numbers.
struct SectionProblem {
  std::vector<BufferIndex> buffer;  // the problem's index of each buffer
  std::vector<int32_t> lo;          // first section, inclusive
  std::vector<int32_t> hi;          // last section, exclusive; lo < hi
  std::vector<int64_t> size;        // units, rounded up; at least 1
  std::vector<Bytes> bytes;         // the exact size: <= size * unit
  std::vector<int32_t> first;       // sections + 1: the first buffer with lo >= s
  int32_t sections = 0;
  Bytes unit = 1;       // offsets are base + k * unit, which loses no optimum
  Bytes base = 0;       // the problem's base, rounded up to the alignment
  bool padded = false;  // some bytes < size * unit

  int32_t count() const { return static_cast<int32_t>(size.size()); }
  // The highest end, in units, at which buffer b still ends within `target`
  // bytes; below size[b] where it fits nowhere.
  int64_t EndLimit(int32_t b, Bytes target) const;
};

// True where the exact search over sections answers the problem exactly:
// intervals only, and offsets that are all multiples of one alignment.
bool HasSectionForm(const Problem& problem);

// Every tick's live set lies in a section's, and no section's in another's, so
// two buffers share a section just where they conflict. Only for problems with
// HasSectionForm.
SectionProblem MakeSectionProblem(const Problem& problem);

// The same problem with time running backwards.
SectionProblem MirrorInTime(const SectionProblem& problem);

// The highest sum of sizes over a section, and what is lost to rounding
// subtracted where that is sound; in bytes, base included. No plan is smaller.
Bytes SectionBound(const SectionProblem& problem);

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_SECTION_PROBLEM_H_
