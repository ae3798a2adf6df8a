// The same pass in a sequence that stays in one part of memory for longer.
#ifndef MEMPLAN_ENGINE_TIME_BLOCKS_H_
#define MEMPLAN_ENGINE_TIME_BLOCKS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/packing.h"

namespace memplan {

// Where an item goes depends only on earlier items of the order that it excludes. So time is cut
// into blocks, and the items that lie within one block are placed together, as far as no item that
// crosses a border must come between: the same offsets as in the plain order, but a block's part of
// the tree stays in the cache. In long networks that is worth a factor of three to four.
//
// Calls place(rank) for each rank of the order once. A problem with explicit conflicts, or where
// crossing items would ask too many blocks, is one block.
template <typename Place>
void PlaceByBlocks(const Packing& packing, std::span<const ItemIndex> order, Place place);

// The partition behind it.
class TimeBlocks {
 public:
  // The part of the tree is about 200 KB.
  static constexpr int kBlockLog = 11;
  static constexpr int32_t kBlockSlots = 1 << kBlockLog;

  TimeBlocks(const Packing& packing, std::span<const ItemIndex> order);

  // Ranks of the items that cross a border, in order.
  const std::vector<int32_t>& crossing() const { return crossing_; }
  int32_t block_count() const { return static_cast<int32_t>(first_.size()) - 1; }
  // Ranks of the items within a block, in order.
  std::span<const int32_t> inside(int32_t block) const {
    return {inside_.data() + first_[block], first_[block + 1] - first_[block]};
  }
  int32_t BlockOf(int32_t slot) const { return slot >> log_; }

 private:
  // Sets log_ so that the crossing items ask few blocks.
  void Choose(const Packing& packing);

  int log_ = kBlockLog;
  std::vector<int32_t> crossing_;
  std::vector<int32_t> inside_;
  std::vector<uint32_t> first_;  // of each block, into inside_
};

template <typename Place>
void PlaceByBlocks(const Packing& packing, std::span<const ItemIndex> order, Place place) {
  if (packing.slot_count <= TimeBlocks::kBlockSlots) {
    for (int32_t rank = 0; rank < static_cast<int32_t>(order.size()); ++rank) place(rank);
    return;
  }
  const TimeBlocks blocks(packing, order);
  std::vector<uint32_t> next(blocks.block_count(), 0);
  const auto advance = [&](int32_t block, int32_t rank) {
    const std::span<const int32_t> inside = blocks.inside(block);
    uint32_t& at = next[block];
    for (; at < inside.size() && inside[at] < rank; ++at) place(inside[at]);
  };
  for (const int32_t rank : blocks.crossing()) {
    const SlotSpan& hull = packing.hull[order[rank]];
    const int32_t last = blocks.BlockOf(hull.hi - 1);
    for (int32_t block = blocks.BlockOf(hull.lo); block <= last; ++block) advance(block, rank);
    place(rank);
  }
  for (int32_t block = 0; block < blocks.block_count(); ++block) advance(block, INT32_MAX);
}

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_TIME_BLOCKS_H_
