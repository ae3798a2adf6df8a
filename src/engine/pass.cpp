#include "engine/pass.h"

#include <algorithm>

#include "engine/occupancy.h"
#include "engine/time_blocks.h"
#include "row_sort.h"

namespace memplan {
namespace {

// Sums of two must fit.
constexpr int64_t kMost = INT64_MAX / 4;

class Pass {
 public:
  Pass(const Packing& packing, const SlotTree& tree, Fit fit, Bytes ceiling, int64_t step_limit)
      : packing_(packing),
        occupancy_(packing, tree),
        fit_(fit),
        ceiling_(ceiling),
        ceiling_units_(ceiling / packing.unit),
        step_limit_(step_limit) {
    result_.offset.assign(packing.count(), -1);
  }

  void Run(std::span<const ItemIndex> order) {
    PlacePinned();
    std::vector<int32_t> left_over;  // ranks
    PlaceByBlocks(packing_, order, [&](int32_t rank) {
      const ItemIndex item = order[rank];
      if (packing_.pin_of(item) >= 0 || occupancy_.steps() > step_limit_) return;
      if (!Place(item, Highest(item, ceiling_))) left_over.push_back(rank);
    });
    if (occupancy_.steps() > step_limit_) return;
    SortRows(&left_over);
    for (const int32_t rank : left_over) result_.left_over.push_back(order[rank]);
    for (const ItemIndex item : result_.left_over) {
      Place(item, Highest(item, kNoBytes));
    }
    result_.finished = true;
  }

  PassResult Take() {
    // About a microsecond each.
    result_.steps = occupancy_.steps() / 128 + packing_.count() / 2 + 1;
    return std::move(result_);
  }

 private:
  // The highest offset that lets the item end at or below the ceiling; negative where none does.
  int64_t Highest(ItemIndex item, Bytes ceiling) const {
    const int64_t most = kMost - packing_.size[item];
    if (ceiling == kNoBytes) return most;
    if (!packing_.padded) return std::min(most, ceiling_units_ - packing_.size[item]);
    const Bytes bytes = packing_.problem.size[packing_.buffer[item]];
    return ceiling < bytes ? -1 : std::min(most, (ceiling - bytes) / packing_.unit);
  }

  void PlacePinned() {
    for (ItemIndex item = 0; item < packing_.count(); ++item) {
      const int64_t pin = packing_.pin_of(item);
      if (pin < 0) continue;
      occupancy_.Put(item, pin);
      result_.offset[item] = pin;
    }
  }

  bool Place(ItemIndex item, int64_t highest) {
    if (highest < 0) return false;
    const int64_t offset = fit_ == Fit::kFirst ? occupancy_.FirstFit(item, highest)
                                               : occupancy_.BestFit(item, highest);
    if (offset == Occupancy::kNone) return false;
    occupancy_.Put(item, offset);
    result_.offset[item] = offset;
    return true;
  }

  const Packing& packing_;
  Occupancy occupancy_;
  Fit fit_;
  Bytes ceiling_;
  int64_t ceiling_units_;  // whole ones
  int64_t step_limit_;
  PassResult result_;
};

}  // namespace

PassResult PlaceInOrder(const Packing& packing, const SlotTree& tree,
                        std::span<const ItemIndex> order, Fit fit, Bytes ceiling,
                        int64_t step_limit) {
  Pass pass(packing, tree, fit, ceiling, step_limit);
  pass.Run(order);
  return pass.Take();
}

int64_t PassStepLimit(const Packing& packing) {
  return 150'000'000 + int64_t{100} * packing.count();
}

}  // namespace memplan
