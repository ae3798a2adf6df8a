// The shared objects of 2026's greedy in one mem_id.
#ifndef MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_
#define MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "executorch/skyline.h"
#include "units.h"

namespace memplan::executorch {

// Objects keep the size of the tensor they were made for; several tensors may lie in one at a time.
class FixedObjects {
 public:
  // Lifetimes given to Pick end before `node_count`.
  explicit FixedObjects(NodeIndex node_count) : width_(node_count / kBuckets + 1) {}

  struct Place {
    int32_t object = 0;
    Bytes offset = 0;  // in the object
  };
  // pick_shared_obj: the first object without anything at a node of `lifetime`, at its start; else,
  // with `may_overlap`, the first where something of more than 0 bytes is there and the room above
  // the highest is enough; else a new object. Nothing where an object without anything is smaller
  // than `size`: upstream asserts that tensors come largest first.
  std::optional<Place> Pick(Bytes size, const Lifetime& lifetime, bool may_overlap);

  const std::vector<Bytes>& sizes() const { return size_; }

 private:
  static constexpr NodeIndex kBuckets = 64;
  static constexpr int32_t kBlock = 64;
  // Nodes in 64 buckets, a bit each. An object that is taken throughout a bucket is taken for
  // whatever touches the bucket; a block of objects that all are is passed over at once.
  uint64_t Touched(const Lifetime& lifetime) const;
  uint64_t Covered(const Lifetime& lifetime) const;

  int32_t FindFree(const Lifetime& lifetime, uint64_t touched) const;
  std::optional<Place> FindRoom(Bytes size, const Lifetime& lifetime, uint64_t touched) const;
  void Append(Bytes size, const Lifetime& lifetime);
  void Occupy(const Place& place, Bytes size, const Lifetime& lifetime);

  struct Block {
    uint64_t taken = ~uint64_t{0};  // in all objects of the block
    uint64_t full = ~uint64_t{0};
    Bytes largest = 0;
  };

  NodeIndex width_;  // nodes per bucket
  std::vector<Bytes> size_;
  std::vector<uint64_t> taken_;  // buckets throughout which one tensor lies in the object
  std::vector<uint64_t> full_;   // likewise the tensor it was made for, which leaves no room
  std::vector<Skyline> skyline_;
  std::vector<Block> blocks_;
};

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_
