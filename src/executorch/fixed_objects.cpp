#include "executorch/fixed_objects.h"

#include <algorithm>

namespace memplan::executorch {
namespace {

// Bits first to last, inclusive; none where last < first.
uint64_t Bits(NodeIndex first, NodeIndex last) {
  if (last < first) return 0;
  const uint64_t up_to_last = last >= 63 ? ~uint64_t{0} : (uint64_t{1} << (last + 1)) - 1;
  return up_to_last & (~uint64_t{0} << first);
}

}  // namespace

uint64_t FixedObjects::Touched(const Lifetime& lifetime) const {
  return Bits(lifetime.first / width_, lifetime.last / width_);
}

uint64_t FixedObjects::Covered(const Lifetime& lifetime) const {
  return Bits((lifetime.first + width_ - 1) / width_, (lifetime.last + 1) / width_ - 1);
}

std::optional<FixedObjects::Place> FixedObjects::Pick(Bytes size, const Lifetime& lifetime,
                                                      bool may_overlap) {
  const uint64_t touched = Touched(lifetime);
  std::optional<Place> place;
  if (const int32_t object = FindFree(lifetime, touched); object >= 0) {
    if (size_[object] < size) return std::nullopt;
    place = Place{object, 0};
  } else if (may_overlap) {
    place = FindRoom(size, lifetime, touched);
  }
  if (!place) {
    place = Place{static_cast<int32_t>(size_.size()), 0};
    Append(size, lifetime);
  }
  Occupy(*place, size, lifetime);
  return place;
}

int32_t FixedObjects::FindFree(const Lifetime& lifetime, uint64_t touched) const {
  const auto count = static_cast<int32_t>(size_.size());
  for (int32_t b = 0; b < static_cast<int32_t>(blocks_.size()); ++b) {
    if ((blocks_[b].taken & touched) != 0) continue;
    for (int32_t i = b * kBlock; i < std::min((b + 1) * kBlock, count); ++i) {
      if ((taken_[i] & touched) == 0 && skyline_[i].IsFree(lifetime)) return i;
    }
  }
  return -1;
}

std::optional<FixedObjects::Place> FixedObjects::FindRoom(Bytes size, const Lifetime& lifetime,
                                                          uint64_t touched) const {
  const auto count = static_cast<int32_t>(size_.size());
  // A tensor of 0 bytes still fits above a full object.
  const uint64_t tested = size > 0 ? touched : 0;
  for (int32_t b = 0; b < static_cast<int32_t>(blocks_.size()); ++b) {
    if (blocks_[b].largest <= size || (blocks_[b].full & tested) != 0) continue;
    for (int32_t i = b * kBlock; i < std::min((b + 1) * kBlock, count); ++i) {
      if (size_[i] <= size || (full_[i] & tested) != 0) continue;
      const Bytes limit = size_[i] - size;
      const Bytes highest = skyline_[i].Highest(lifetime, limit);
      if (highest > 0 && highest <= limit) return Place{i, highest};
    }
  }
  return std::nullopt;
}

void FixedObjects::Append(Bytes size, const Lifetime& lifetime) {
  if (size_.size() % kBlock == 0) blocks_.push_back({});
  const uint64_t covered = Covered(lifetime);
  size_.push_back(size);
  taken_.push_back(covered);
  full_.push_back(covered);
  skyline_.emplace_back();
  Block& block = blocks_.back();
  block.taken &= covered;
  block.full &= covered;
  block.largest = std::max(block.largest, size);
}

void FixedObjects::Occupy(const Place& place, Bytes size, const Lifetime& lifetime) {
  const int32_t i = place.object;
  skyline_[i].Raise(lifetime, place.offset + size);
  const uint64_t covered = Covered(lifetime) & ~taken_[i];
  if (covered == 0) return;
  taken_[i] |= covered;
  const int32_t begin = i / kBlock * kBlock;
  const int32_t end = std::min<int32_t>(begin + kBlock, static_cast<int32_t>(size_.size()));
  Block& block = blocks_[i / kBlock];
  block.taken = ~uint64_t{0};
  for (int32_t k = begin; k < end; ++k) block.taken &= taken_[k];
}

}  // namespace memplan::executorch
