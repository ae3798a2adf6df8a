// The shared objects of 2026's greedy in one mem_id.
#ifndef MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_
#define MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "executorch/skyline.h"
#include "units.h"

namespace memplan::executorch {

// Objects keep the size of the tensor they were made for, their founder; several tensors may lie in
// one at a time.
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
  // Looking at every object's skyline for every tensor is quadratic, so there are two short cuts.
  // Nodes are put into buckets, and an object that one tensor takes throughout a bucket is taken
  // for whatever touches the bucket. And objects are put into blocks: a node at which all founders
  // of a block live tells that none of its objects is free there, nor has room.
  static constexpr NodeIndex kBuckets = 1024;
  static constexpr int32_t kBlock = 64;
  using Buckets = std::array<uint64_t, kBuckets / 64>;
  struct Block {
    Lifetime common;  // of all founders; ends before it begins where there is no such node
    Bytes largest = 0;

    bool AllLiveIn(const Lifetime& lifetime) const {
      return common.first <= common.last && common.Overlaps(lifetime);
    }
  };

  int32_t FindFree(const Lifetime& lifetime) const;
  std::optional<Place> FindRoom(Bytes size, const Lifetime& lifetime) const;
  void Append(Bytes size, const Lifetime& lifetime);
  void Occupy(const Place& place, Bytes size, const Lifetime& lifetime);

  NodeIndex width_;  // nodes per bucket
  std::vector<Bytes> size_;
  std::vector<Lifetime> founder_;
  std::vector<Buckets> taken_;
  std::vector<Skyline> skyline_;
  std::vector<Block> blocks_;
};

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_FIXED_OBJECTS_H_
