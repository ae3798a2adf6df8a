// Ranges one above the other, past whatever is pinned.
#ifndef MEMPLAN_ENGINE_STACK_H_
#define MEMPLAN_ENGINE_STACK_H_

#include <utility>
#include <vector>

#include "placement.h"
#include "problem.h"

namespace memplan {

// Hands out ranges from the problem's base up that overlap nothing pinned, at
// any time: for planners that give each range to one owner for ever.
class Stack {
 public:
  explicit Stack(const Problem& problem);

  // The offset of `size` bytes above all that was taken before; kNoBytes where
  // the end would be past kMaxBytes.
  Bytes Take(Bytes size, Bytes alignment);

 private:
  Bytes top_ = 0;
  std::vector<std::pair<Bytes, Bytes>> pinned_;  // [from, to), by from
  size_t next_pin_ = 0;
};

// The live buffers of a problem as a graph's nodes yield them: by start, then
// in tie order.
std::vector<BufferIndex> LiveByStart(const Problem& problem);

// A placement with nothing live placed yet, save what is pinned.
Placement PinnedOnly(const Problem& problem);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_STACK_H_
