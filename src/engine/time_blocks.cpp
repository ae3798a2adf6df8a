#include "engine/time_blocks.h"

namespace memplan {

TimeBlocks::TimeBlocks(const Packing& packing, std::span<const ItemIndex> order) {
  Choose(packing);
  const int32_t blocks = BlockOf(packing.slot_count) + 1;
  first_.assign(static_cast<size_t>(blocks) + 1, 0);
  for (const ItemIndex item : order) {
    const SlotSpan& hull = packing.hull[item];
    const int32_t block = BlockOf(hull.lo);
    if (block == BlockOf(hull.hi - 1)) ++first_[block + 1];
  }
  for (int32_t block = 0; block < blocks; ++block) first_[block + 1] += first_[block];
  inside_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (int32_t rank = 0; rank < static_cast<int32_t>(order.size()); ++rank) {
    const SlotSpan& hull = packing.hull[order[rank]];
    const int32_t block = BlockOf(hull.lo);
    if (block == BlockOf(hull.hi - 1)) {
      inside_[next[block]++] = rank;
    } else {
      crossing_.push_back(rank);
    }
  }
}

void TimeBlocks::Choose(const Packing& packing) {
  constexpr int kOneBlock = 31;
  if (!packing.first_conflict.empty()) {
    log_ = kOneBlock;
    return;
  }
  int64_t asked = 0;
  for (const SlotSpan& hull : packing.hull) asked += BlockOf(hull.hi - 1) - BlockOf(hull.lo);
  if (asked > packing.count() / 2) log_ = kOneBlock;
}

}  // namespace memplan
