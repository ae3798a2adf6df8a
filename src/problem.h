// The placement problem of one pool: buffers as intervals in time that want
// offsets.
#ifndef MEMPLAN_PROBLEM_H_
#define MEMPLAN_PROBLEM_H_

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "result.h"
#include "units.h"

namespace memplan {

// The place of a buffer in its problem. The order of buffers is the tie order:
// whoever builds a problem sorts by (larger size, earlier lower, earlier upper,
// id), so a planner that breaks its ties by the smaller index answers the same
// whatever the order of the input's rows.
using BufferIndex = int32_t;

// A moment of a problem: what is live in [lower, upper) is live at lower, lower
// + 1, … upper - 1. Only the order of ticks counts, so builders may renumber
// times.
using Tick = int32_t;

// A time span [from, to) in which a buffer is not live. A buffer's gaps are
// sorted, disjoint, and lie strictly inside its [lower, upper).
struct Gap {
  Tick from = 0;
  Tick to = 0;
};

struct Problem {
  std::vector<Tick> lower;          // inclusive
  std::vector<Tick> upper;          // exclusive; lower == upper: never live
  std::vector<Bytes> size;          // 0: conflicts with nothing. Already rounded up to
                                    // the alignment for graphs
  Bytes uniform_alignment = 1;      // a power of two that every offset is a multiple of
  std::vector<Bytes> alignment;     // empty, or one a buffer, each a power of two
                                    // >= uniform_alignment
  std::vector<Bytes> pin;           // empty, or one a buffer: its offset, kNoBytes where it is free
  std::vector<uint32_t> first_gap;  // empty, or one a buffer and one more: into gaps
  std::vector<Gap> gaps;
  // Pairs that never overlap in bytes, whatever their times; each pair once,
  // smaller index first, sorted.
  std::vector<std::pair<BufferIndex, BufferIndex>> conflicts;
  Bytes capacity = kNoBytes;  // the highest end allowed; kNoBytes where there is none
  Bytes base = 0;             // bytes below it are taken already (input_mem_buffer_sizes)

  BufferIndex count() const { return static_cast<BufferIndex>(size.size()); }
  Bytes alignment_of(BufferIndex b) const {
    return alignment.empty() ? uniform_alignment : alignment[b];
  }
  Bytes pin_of(BufferIndex b) const { return pin.empty() ? kNoBytes : pin[b]; }
  std::span<const Gap> gaps_of(BufferIndex b) const {
    if (first_gap.empty()) return {};
    return {gaps.data() + first_gap[b], gaps.data() + first_gap[b + 1]};
  }
  bool has_gaps() const { return !gaps.empty(); }
  bool is_live(BufferIndex b) const { return lower[b] < upper[b] && size[b] > 0; }
};

// True where two live buffers exclude each other: live at one tick, or named in
// `conflicts`. The latter is a binary search.
bool Conflicts(const Problem& problem, BufferIndex a, BufferIndex b);

// Bytes live at the fullest tick, `base` included: no plan is smaller. Also
// which tick that is.
struct MaxLive {
  Bytes bytes = 0;
  Tick tick = 0;  // the first such tick
};
// TOO_LARGE where a sum passes kMaxBytes.
Result<MaxLive> ComputeMaxLive(const Problem& problem);

// Two pinned buffers that exclude each other and share bytes; the smaller index first.
struct PinCollision {
  BufferIndex first = 0;
  BufferIndex second = 0;
  friend auto operator<=>(const PinCollision&, const PinCollision&) = default;
};
// At least one where there are any, at most `limit`, sorted. A sweep in O(n log n): a buffer that
// collides is named with one other and stays out of further tests.
std::vector<PinCollision> FindPinCollisions(const Problem& problem, size_t limit = 16);

}  // namespace memplan

#endif  // MEMPLAN_PROBLEM_H_
