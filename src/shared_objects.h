// Shared objects: whole slots that several buffers use one after the other.
#ifndef MEMPLAN_SHARED_OBJECTS_H_
#define MEMPLAN_SHARED_OBJECTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "units.h"

namespace memplan {

struct SharedObjects {
  std::vector<int32_t> object;     // of each buffer, in the order given
  std::vector<Bytes> object_size;  // bytes; the largest tenant, provisional ones included
};

// Picks an object for each buffer in turn, as ExecuTorch did at 91afa6e923
// (exir/memory_planning.py, `pick_shared_obj`): of the objects whose last use
// is before the buffer's first, the one nearest in size; a new one if there is
// none. As upstream, every object that is the nearest so far while looking is
// marked busy and grown, though only the last one is taken.
//
// Buffers of `lifetimes` and `sizes` go together; lifetimes are inclusive at
// both ends. Tenants of one object never overlap, whatever the order of the
// buffers. Sizes may sum past kMaxBytes: the caller checks when it stacks the
// objects.
SharedObjects PickSharedObjects(std::span<const Lifetime> lifetimes, std::span<const Bytes> sizes);

// The offset of each object when they are stacked from `base` up, in order
// (upstream's `materialize_buffer`); one entry more than there are objects, the
// last being the end of all. kNoBytes in the last entry where a sum passes
// kMaxBytes.
std::vector<Bytes> StackSharedObjects(std::span<const Bytes> object_size, Bytes base);

}  // namespace memplan

#endif  // MEMPLAN_SHARED_OBJECTS_H_
