// Whole slots handed from buffer to buffer, never divided: what GPU textures and other objects that
// have no offsets need.
#ifndef MEMPLAN_ENGINE_WHOLE_SLOTS_H_
#define MEMPLAN_ENGINE_WHOLE_SLOTS_H_

#include <vector>

#include "placement.h"
#include "problem.h"

namespace memplan {

// Gives each buffer in turn the first object in which it meets no conflict; an object is as large
// as its largest tenant. Objects are stacked past what is pinned; pinned buffers have an object of
// their own. `order` holds every live buffer once.
//
// An object's number is an address and each buffer one unit large, so that the placement engine
// finds the free ones.
Placement PlaceInObjects(const Problem& problem, const std::vector<BufferIndex>& order);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_WHOLE_SLOTS_H_
