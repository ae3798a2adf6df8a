#include "engine/pass.h"

#include <algorithm>

#include "engine/occupancy.h"
#include "engine/time_blocks.h"

namespace memplan {
namespace {

// Addresses of 32 bits halve the memory that queries read; sums of two must fit.
constexpr int64_t kMostNarrow = INT32_MAX;

template <typename Address>
class Pass {
 public:
  Pass(const Packing& packing, const SlotTree& tree, Fit fit, Bytes ceiling, int64_t step_limit)
      : packing_(packing),
        occupancy_(packing, tree),
        fit_(fit),
        ceiling_(ceiling),
        step_limit_(step_limit) {
    result_.offset.assign(packing.count(), -1);
  }

  // False where an item does not fit the address type.
  bool Run(std::span<const ItemIndex> order) {
    if (!PlacePinned()) return false;
    std::vector<int32_t> left_over;  // ranks
    PlaceByBlocks(packing_, order, [&](int32_t rank) {
      const ItemIndex item = order[rank];
      if (packing_.pin_of(item) >= 0 || occupancy_.steps() > step_limit_) return;
      if (!Place(item, Highest(item, ceiling_))) left_over.push_back(rank);
    });
    if (occupancy_.steps() > step_limit_) return true;
    std::sort(left_over.begin(), left_over.end());
    for (const int32_t rank : left_over) result_.left_over.push_back(order[rank]);
    for (const ItemIndex item : result_.left_over) {
      if (!Place(item, Highest(item, kNoBytes))) return false;
    }
    result_.finished = true;
    return true;
  }

  PassResult Take() {
    // About a microsecond each.
    result_.steps = occupancy_.steps() / 128 + packing_.count() / 2 + 1;
    return std::move(result_);
  }

 private:
  static constexpr int64_t kMost = sizeof(Address) == 4 ? kMostNarrow : INT64_MAX / 4;

  // The highest offset that lets the item end at or below the ceiling.
  int64_t Highest(ItemIndex item, Bytes ceiling) const {
    const int64_t most = kMost - packing_.size[item];
    if (ceiling == kNoBytes) return most;
    const Bytes bytes = packing_.padded ? packing_.problem.size[packing_.buffer[item]]
                                        : packing_.size[item] * packing_.unit;
    return ceiling < bytes ? -1 : std::min(most, (ceiling - bytes) / packing_.unit);
  }

  bool PlacePinned() {
    for (ItemIndex item = 0; item < packing_.count(); ++item) {
      const int64_t pin = packing_.pin_of(item);
      if (pin < 0) continue;
      if (pin + packing_.size[item] > kMost) return false;
      occupancy_.Put(item, static_cast<Address>(pin));
      result_.offset[item] = pin;
    }
    return true;
  }

  bool Place(ItemIndex item, int64_t highest) {
    if (highest < 0) return false;
    const Address most = static_cast<Address>(highest);
    const Address offset =
        fit_ == Fit::kFirst ? occupancy_.FirstFit(item, most) : occupancy_.BestFit(item, most);
    if (offset == Occupancy<Address>::kNone) return false;
    occupancy_.Put(item, offset);
    result_.offset[item] = static_cast<int64_t>(offset);
    return true;
  }

  const Packing& packing_;
  Occupancy<Address> occupancy_;
  Fit fit_;
  Bytes ceiling_;
  int64_t step_limit_;
  PassResult result_;
};

}  // namespace

PassResult PlaceInOrder(const Packing& packing, const SlotTree& tree,
                        std::span<const ItemIndex> order, Fit fit, Bytes ceiling,
                        int64_t step_limit) {
  if (packing.bound / packing.unit < kMostNarrow / 2) {
    Pass<uint32_t> pass(packing, tree, fit, ceiling, step_limit);
    if (pass.Run(order)) return pass.Take();
  }
  Pass<int64_t> pass(packing, tree, fit, ceiling, step_limit);
  pass.Run(order);
  return pass.Take();
}

int64_t PassStepLimit(const Packing& packing) {
  return 150'000'000 + int64_t{100} * packing.count();
}

}  // namespace memplan
