#include "squeeze.h"

#include <algorithm>
#include <utility>

#include "engine/orders.h"
#include "engine/pass.h"

namespace memplan {
namespace {

constexpr int64_t kLeastSlice = 10'000;  // steps
constexpr int32_t kPatience = 5;         // failures before the ceiling moves
// Of the way from the bound to the best plan, in 100ths: lower is more to gain, higher is easier.
constexpr int kFractions[] = {50, 80, 95};

}  // namespace

Squeeze::Squeeze(const Packing& packing, const SlotTree& tree, const ConflictIndex& conflicts,
                 const std::vector<int64_t>& highest_load, std::vector<int64_t> offset, Bytes peak,
                 bool uses_passes, uint64_t seed)
    : packing_(packing),
      tree_(tree),
      conflicts_(conflicts),
      highest_load_(highest_load),
      best_(std::move(offset)),
      peak_(peak),
      uses_passes_(uses_passes),
      random_(seed),
      slice_(std::max<int64_t>(kLeastSlice, 2 * packing.count())) {}

int64_t Squeeze::Step(int64_t budget) {
  int64_t used = 0;
  while (!done() && used < budget) {
    if (repair_ == nullptr) {
      used += BeginAttempt();
      continue;
    }
    used += repair_->Step(budget - used);
    if (repair_->state() != Repair::State::kRunning) EndAttempt();
  }
  return used;
}

Bytes Squeeze::ChooseCeiling() {
  const int32_t round = failures_ / kPatience;
  constexpr int32_t kRounds = static_cast<int32_t>(std::size(kFractions));
  int percent = 0;
  if (round < kRounds) {
    percent = kFractions[round];
  } else {
    percent = random_.Below(2) == 0 ? 30 : 0;
    if (failures_ % kPatience == 0) slice_ += slice_ / 2;
  }
  // Whole units of what is left to gain; less than all of it.
  const int64_t gain = (peak_ - packing_.bound + packing_.unit - 1) / packing_.unit;
  const int64_t keep = std::min(gain - 1, gain / 100 * percent + gain % 100 * percent / 100);
  return packing_.bound + keep * packing_.unit;
}

int64_t Squeeze::BeginAttempt() {
  int64_t steps = 1 + packing_.count() / 20;
  RepairSettings settings;
  settings.ceiling = ChooseCeiling();
  constexpr int kTightness[] = {0, 1, 2, 4};
  settings.tightness_halves = kTightness[random_.Below(4)];
  settings.degree_halves = static_cast<int>(random_.Below(3));
  settings.step_limit = slice_;
  const bool cuts = random_.Below(100) < 35 || !uses_passes_;
  std::vector<int64_t> offset =
      cuts ? CutAt(settings.ceiling) : BuildUnder(settings.ceiling, &steps);
  settings.seed = random_.Next();
  repair_ =
      std::make_unique<Repair>(packing_, conflicts_, highest_load_, settings, std::move(offset));
  if (repair_->state() != Repair::State::kRunning) EndAttempt();
  return steps;
}

void Squeeze::EndAttempt() {
  if (repair_->state() == Repair::State::kSolved) {
    best_ = repair_->TakeOffset();
    Bytes peak = packing_.problem.base;
    for (ItemIndex item = 0; item < packing_.count(); ++item) {
      peak = std::max(peak, packing_.EndOf(item, best_[item]));
    }
    peak_ = peak;
    failures_ = 0;
  } else {
    ++failures_;
  }
  repair_.reset();
}

std::vector<int64_t> Squeeze::CutAt(Bytes ceiling) const {
  std::vector<int64_t> offset = best_;
  for (ItemIndex item = 0; item < packing_.count(); ++item) {
    if (packing_.EndOf(item, offset[item]) > ceiling) offset[item] = -1;
  }
  return offset;
}

std::vector<int64_t> Squeeze::BuildUnder(Bytes ceiling, int64_t* steps) {
  const std::vector<ItemIndex> order = RandomOrder();
  PassResult pass =
      PlaceInOrder(packing_, tree_, order, Fit::kFirst, ceiling, PassStepLimit(packing_));
  *steps += pass.steps;
  if (!pass.finished) return CutAt(ceiling);
  for (const ItemIndex item : pass.left_over) pass.offset[item] = -1;
  return std::move(pass.offset);
}

std::vector<ItemIndex> Squeeze::RandomOrder() {
  switch (random_.Below(8)) {
    case 0:
      return OrderByLoadAndLength(packing_);
    case 1:
      return OrderBySize(packing_);
    case 2:
      return OrderBySizeClass(packing_, 512);
    case 3:
      return OrderBySizeClass(packing_, 768);
    default: {
      const auto factor = static_cast<int32_t>(77 + random_.Below(1024));
      return OrderBySizeClass(packing_, factor, static_cast<int32_t>(random_.Below(factor)));
    }
  }
}

}  // namespace memplan
