// The units everything else is measured in.
#ifndef MEMPLAN_UNITS_H_
#define MEMPLAN_UNITS_H_

#include <cstdint>

namespace memplan {

// A size or offset in bytes, 0 to kMaxBytes. Sums stay in that range too:
// whoever adds must check (FitsBytes), since JavaScript holds larger whole
// numbers only approximately.
using Bytes = int64_t;
inline constexpr Bytes kMaxBytes = (int64_t{1} << 53) - 1;
inline constexpr Bytes kNoBytes = -1;  // "none": not planned, not pinned, no capacity

// The place of a node in its graph; the unit of time in a graph's plan.
using NodeIndex = int32_t;
inline constexpr NodeIndex kNoNode = -1;

// The place of a tensor in its graph's `tensors`.
using TensorIndex = int32_t;
inline constexpr TensorIndex kNoTensor = -1;

// The number of a memory pool, from 1. kNoPool: not chosen (in a graph), not
// planned (in a plan).
using MemId = int32_t;
inline constexpr MemId kNoPool = -1;
inline constexpr MemId kMaxMemId = 1 << 16;

// First and last node that refer to a tensor, inclusive at both ends. first <
// 0: nothing refers to it.
struct Lifetime {
  NodeIndex first = kNoNode;
  NodeIndex last = kNoNode;

  bool exists() const { return first >= 0; }
  void Extend(NodeIndex node) {
    if (first < 0 || node < first) first = node;
    if (node > last) last = node;
  }
  bool Overlaps(const Lifetime& other) const {
    return exists() && other.exists() && first <= other.last && other.first <= last;
  }
  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

// True where `a + b` is still a size. Both must be sizes already.
inline bool FitsBytes(Bytes a, Bytes b) { return a <= kMaxBytes - b; }

// `value` rounded up to a multiple of `alignment` (a power of two, at least 1).
// The result can be over kMaxBytes by less than `alignment`, which the caller
// must check.
inline Bytes AlignUp(Bytes value, Bytes alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace memplan

#endif  // MEMPLAN_UNITS_H_
