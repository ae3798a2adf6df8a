#include "repair.h"

#include <algorithm>
#include <bit>

#include "engine/radix_sort.h"

namespace memplan {
namespace {

constexpr int kIndexBits = 20;  // of a sort key: the place in the list
constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;
constexpr uint16_t kMostHardness = 4095;
constexpr int64_t kMostWeight = int64_t{1} << 30;

int64_t SquareRoot(int64_t value) {
  int64_t root = 0;
  for (int64_t bit = int64_t{1} << 30; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return root;
}

// value^(halves / 2), both in 256ths.
int64_t PowerIn256ths(int64_t value, int halves) {
  int64_t power = 256;
  for (; halves >= 2; halves -= 2) power = power * value >> 8;
  if (halves == 1) power = power * SquareRoot(value << 8) >> 8;
  return power;
}

int64_t AlignDown(int64_t offset, int64_t alignment) { return offset & ~(alignment - 1); }

}  // namespace

Repair::Repair(const Packing& packing, const ConflictIndex& conflicts,
               const std::vector<int64_t>& highest_load, const RepairSettings& settings,
               std::vector<int64_t> offset)
    : packing_(packing),
      conflicts_(conflicts),
      settings_(settings),
      offset_(std::move(offset)),
      random_(settings.seed) {
  SetWeights(highest_load);
  hardness_.assign(packing.count(), 1);
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    if (offset_[item] < 0) AddToPool(item);
  }
  pool_at_first_ = pool_.size();
  if (pool_.empty()) state_ = State::kSolved;
  // Sort keys would not hold it: a problem of terabytes with no common divisor, or of a million
  // buffers.
  const int64_t ceiling = settings_.ceiling / packing_.unit + 1;
  const bool wide =
      (ceiling >> (64 - kIndexBits - 1)) != 0 || packing_.count() > int64_t{kIndexMask};
  if (state_ == State::kRunning && wide) state_ = State::kFailed;
}

void Repair::SetWeights(const std::vector<int64_t>& highest_load) {
  const int64_t ceiling = std::max<int64_t>(1, settings_.ceiling / packing_.unit - packing_.floor);
  int64_t largest = 1;
  weight_.reserve(packing_.count());
  for (ItemIndex item = 0; item < packing_.count(); ++item) {
    // A slot with no slack at all counts 512 times an empty one.
    const int64_t slack = std::max<int64_t>(1, ceiling - highest_load[item] + ceiling / 512);
    const int64_t ratio = (ceiling << 8) / slack;
    const int64_t tightness = PowerIn256ths(ratio, settings_.tightness_halves);
    const int64_t degree =
        PowerIn256ths(int64_t{conflicts_.Degree(item) + 1} << 8, settings_.degree_halves);
    const int64_t weight = (std::min(tightness, kMostWeight) * degree) >> 12;
    weight_.push_back(static_cast<uint32_t>(std::clamp<int64_t>(weight, 1, kMostWeight)));
    largest = std::max(largest, packing_.size[item]);
  }
  size_shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(largest))) - 40);
}

void Repair::AddToPool(ItemIndex item) {
  const int64_t size = std::max<int64_t>(1, packing_.size[item] >> size_shift_);
  pool_.emplace(size * (conflicts_.Degree(item) + 1), -item);
}

int64_t Repair::HighestOffset(ItemIndex item) const {
  const Bytes bytes = packing_.EndOf(item, 0);
  if (settings_.ceiling < bytes) return -1;
  return AlignDown((settings_.ceiling - bytes) / packing_.unit, packing_.alignment_of(item));
}

Repair::Cost Repair::CostOf(ItemIndex item) const {
  if (packing_.pin_of(item) >= 0) return {1, 0};
  return {0, int64_t{weight_[item]} * hardness_[item]};
}

int64_t Repair::Step(int64_t budget) {
  int64_t used = 0;
  while (state_ == State::kRunning && used < budget) used += Move();
  return used;
}

int64_t Repair::Move() {
  const ItemIndex item = -pool_.top().second;
  pool_.pop();
  ListConflicts(item);
  SortByOffset();
  int64_t place = SmallestGap(item);
  if (place < 0) {
    hardness_[item] = std::min<uint16_t>(kMostHardness, hardness_[item] + 1);
    place = CheapestPlace(item);
    if (place >= 0) Eject(place, place + packing_.size[item]);
  }
  const int64_t steps = 2 + static_cast<int64_t>(ranges_.size()) / 10;
  ++moves_;
  steps_ += steps;
  offset_[item] = place;
  if (pool_.empty() && place >= 0) {
    state_ = State::kSolved;
  } else if (place < 0 || moves_ >= settings_.move_limit || steps_ >= settings_.step_limit ||
             static_cast<int64_t>(pool_.size()) >
                 static_cast<int64_t>(pool_at_first_) + settings_.growth_limit) {
    state_ = State::kFailed;
  }
  return steps;
}

void Repair::ListConflicts(ItemIndex item) {
  ranges_.clear();
  conflicts_.ForEach(item, [this](ItemIndex other) {
    const int64_t from = offset_[other];
    if (from >= 0) ranges_.push_back({from, from + packing_.size[other], other});
  });
}

void Repair::SortKeys() {
  const int64_t ceiling = settings_.ceiling / packing_.unit + 1;
  SortByBits(&keys_, kIndexBits, kIndexBits + std::bit_width(static_cast<uint64_t>(ceiling)),
             &scratch_);
}

void Repair::SortByOffset() {
  keys_.clear();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    keys_.push_back(static_cast<uint64_t>(ranges_[i].from) << kIndexBits | i);
  }
  SortKeys();
  unsorted_.swap(ranges_);
  ranges_.clear();
  for (const uint64_t key : keys_) ranges_.push_back(unsorted_[key & kIndexMask]);
}

// The offset of the smallest gap that holds the item; -1 where none does.
int64_t Repair::SmallestGap(ItemIndex item) const {
  const int64_t size = packing_.size[item], alignment = packing_.alignment_of(item);
  const int64_t highest = HighestOffset(item);
  int64_t top = packing_.floor, best = -1, best_gap = INT64_MAX;
  const auto consider = [&](int64_t end) {
    const int64_t offset = AlignUp(top, alignment);
    if (offset > highest || offset + size > end || end - top >= best_gap) return;
    best = offset;
    best_gap = end - top;
  };
  for (const Range& range : ranges_) {
    if (range.from - top >= size) consider(range.from);
    top = std::max(top, range.to);
  }
  if (highest >= top) consider(highest + size);
  return best;
}

void Repair::Consider(int64_t offset, const Cost& cost, Choice* choice) {
  if (choice->ties == 0 || cost < choice->cost) {
    *choice = {offset, cost, 1};
  } else if (cost == choice->cost && random_.Below(++choice->ties) == 0) {
    choice->offset = offset;
  }
}

// Where the least must go: at the floor, under the ceiling, on top of a conflict or just below
// one. -1 where something pinned is in the way everywhere.
int64_t Repair::CheapestPlace(ItemIndex item) {
  const int64_t size = packing_.size[item], alignment = packing_.alignment_of(item);
  const int64_t lowest = AlignUp(packing_.floor, alignment), highest = HighestOffset(item);
  if (highest < lowest) return -1;
  costs_.clear();
  keys_.clear();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    costs_.push_back(CostOf(ranges_[i].item));
    keys_.push_back(static_cast<uint64_t>(ranges_[i].to) << kIndexBits | i);
  }
  SortKeys();
  const auto end_of = [this](size_t i) { return static_cast<int64_t>(keys_[i] >> kIndexBits); };

  Choice choice;
  // What overlaps [offset, offset + size) as offset rises: in with its start, out with its end.
  size_t in = 0, out = 0;
  Cost cost;
  const auto slide = [&](int64_t offset) {
    for (; in < ranges_.size() && ranges_[in].from < offset + size; ++in) cost.Add(costs_[in]);
    for (; out < keys_.size() && end_of(out) <= offset; ++out) {
      cost.Remove(costs_[keys_[out] & kIndexMask]);
    }
    Consider(offset, cost, &choice);
  };
  const auto restart = [&] {
    in = out = 0;
    cost = {};
  };
  slide(lowest);
  for (size_t i = 0; i < keys_.size(); ++i) {
    const int64_t offset = AlignUp(end_of(i), alignment);
    if (offset > highest) break;
    if (i + 1 < keys_.size() && end_of(i + 1) == end_of(i)) continue;
    slide(offset);
  }
  slide(highest);
  restart();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const int64_t offset = AlignDown(ranges_[i].from - size, alignment);
    if (offset < lowest || offset > highest) continue;
    if (i > 0 && ranges_[i - 1].from == ranges_[i].from) continue;
    slide(offset);
  }
  return choice.cost.pinned > 0 ? -1 : choice.offset;
}

void Repair::Eject(int64_t from, int64_t to) {
  for (const Range& range : ranges_) {
    if (range.from >= to) break;
    if (range.to <= from) continue;
    offset_[range.item] = -1;
    AddToPool(range.item);
  }
}

}  // namespace memplan
