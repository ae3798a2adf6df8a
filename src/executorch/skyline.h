// How high a shared object is filled at each node.
#ifndef MEMPLAN_EXECUTORCH_SKYLINE_H_
#define MEMPLAN_EXECUTORCH_SKYLINE_H_

#include <map>

#include "units.h"

namespace memplan::executorch {

// The highest end of what lies in an object, per node. A query looks at what overlaps it in time
// only: O(log n) and the spans met.
class Skyline {
 public:
  // True where nothing lies there at any node of `lifetime`; a tensor of 0 bytes is something too.
  bool IsFree(const Lifetime& lifetime) const;

  // The highest end in bytes over `lifetime`, or the first end met that is over `limit`.
  Bytes Highest(const Lifetime& lifetime, Bytes limit) const;

  // From now on `height` is the highest end over `lifetime`; it must not be below what was.
  void Raise(const Lifetime& lifetime, Bytes height);

 private:
  struct Span {
    NodeIndex last = 0;  // inclusive
    Bytes height = 0;
  };
  using Spans = std::map<NodeIndex, Span>;  // by first node; disjoint
  Spans::const_iterator FirstEndingFrom(NodeIndex node) const;

  Spans spans_;
};

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_SKYLINE_H_
