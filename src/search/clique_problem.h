// Any placement problem, in the form the exact search for mixed alignments,
// pins, gaps and extra conflicts works on: who excludes whom.
#ifndef MEMPLAN_SEARCH_CLIQUE_PROBLEM_H_
#define MEMPLAN_SEARCH_CLIQUE_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "problem.h"
#include "units.h"

namespace memplan {

// Rows of numbers, one after the other.
struct NumberRows {
  std::vector<size_t> first{0};
  std::vector<int32_t> items;

  int32_t count() const { return static_cast<int32_t>(first.size()) - 1; }
  std::span<const int32_t> operator[](int32_t row) const {
    return {items.data() + first[row], items.data() + first[row + 1]};
  }
  void EndRow() { first.push_back(items.size()); }
};

// Only live buffers. Free ones have a number here; pinned ones are obstacles to
// those they conflict with.
struct CliqueProblem {
  struct Obstacle {
    Bytes from = 0;  // inclusive
    Bytes to = 0;    // exclusive
  };

  std::vector<BufferIndex> buffer;  // of each free buffer, ascending: ties by smaller number
  std::vector<Bytes> size;
  std::vector<Bytes> alignment;
  NumberRows neighbours;  // of each free buffer: the free ones it conflicts with, ascending
  NumberRows cliques;     // free buffers that all conflict; each conflict is in one at least
  NumberRows cliques_of;  // of each free buffer
  std::vector<std::vector<Obstacle>> obstacles;         // of each free buffer: merged, by offset
  std::vector<std::vector<Obstacle>> clique_obstacles;  // of each clique: pinned that conflict with
                                                        // all of it; merged, by offset
  std::vector<int32_t> twin_before;  // of each free buffer: the last before it that has the same
                                     // conflicts, size and alignment; -1: none
  Bytes base = 0;
  Bytes pinned_end = 0;  // the highest end of a pinned buffer, at least base

  int32_t count() const { return static_cast<int32_t>(size.size()); }
  // The lowest offset >= `from` where b meets its alignment and no obstacle.
  Bytes NextFit(int32_t b, Bytes from) const;
};

// False where there would be more than `limit` conflicting pairs.
bool MakeCliqueProblem(const Problem& problem, size_t limit, CliqueProblem* result);

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_CLIQUE_PROBLEM_H_
