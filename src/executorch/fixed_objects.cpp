#include "executorch/fixed_objects.h"

#include <algorithm>

namespace memplan::executorch {
namespace {

// Calls `visit(word, mask)` for the words that hold bits first to last, both inclusive.
template <typename Visit>
void ForEachWord(NodeIndex first, NodeIndex last, Visit visit) {
  for (NodeIndex word = first / 64; word <= last / 64 && first <= last; ++word) {
    uint64_t mask = ~uint64_t{0};
    if (word == first / 64) mask &= ~uint64_t{0} << (first % 64);
    if (word == last / 64) mask &= ~uint64_t{0} >> (63 - last % 64);
    visit(word, mask);
  }
}

}  // namespace

std::optional<FixedObjects::Place> FixedObjects::Pick(Bytes size, const Lifetime& lifetime,
                                                      bool may_overlap) {
  std::optional<Place> place;
  if (const int32_t object = FindFree(lifetime); object >= 0) {
    if (size_[object] < size) return std::nullopt;
    place = Place{object, 0};
  } else if (may_overlap) {
    place = FindRoom(size, lifetime);
  }
  if (!place) {
    place = Place{static_cast<int32_t>(size_.size()), 0};
    Append(size, lifetime);
  }
  Occupy(*place, size, lifetime);
  return place;
}

int32_t FixedObjects::FindFree(const Lifetime& lifetime) const {
  const auto count = static_cast<int32_t>(size_.size());
  const NodeIndex first = lifetime.first / width_;
  const NodeIndex last = lifetime.last / width_;
  for (int32_t b = 0; b < static_cast<int32_t>(blocks_.size()); ++b) {
    if (blocks_[b].AllLiveIn(lifetime)) continue;
    for (int32_t i = b * kBlock; i < std::min((b + 1) * kBlock, count); ++i) {
      if (founder_[i].Overlaps(lifetime)) continue;
      uint64_t taken = 0;
      ForEachWord(first, last, [&](NodeIndex w, uint64_t mask) { taken |= taken_[i][w] & mask; });
      if (taken == 0 && skyline_[i].IsFree(lifetime)) return i;
    }
  }
  return -1;
}

std::optional<FixedObjects::Place> FixedObjects::FindRoom(Bytes size,
                                                          const Lifetime& lifetime) const {
  const auto count = static_cast<int32_t>(size_.size());
  const bool fits_in_full = size == 0;  // above a founder there is room for nothing else
  for (int32_t b = 0; b < static_cast<int32_t>(blocks_.size()); ++b) {
    if (blocks_[b].largest <= size) continue;
    if (!fits_in_full && blocks_[b].AllLiveIn(lifetime)) continue;
    for (int32_t i = b * kBlock; i < std::min((b + 1) * kBlock, count); ++i) {
      if (size_[i] <= size || (!fits_in_full && founder_[i].Overlaps(lifetime))) continue;
      const Bytes limit = size_[i] - size;
      const Bytes highest = skyline_[i].Highest(lifetime, limit);
      if (highest > 0 && highest <= limit) return Place{i, highest};
    }
  }
  return std::nullopt;
}

void FixedObjects::Append(Bytes size, const Lifetime& lifetime) {
  if (size_.size() % kBlock == 0) blocks_.push_back({lifetime, size});
  size_.push_back(size);
  founder_.push_back(lifetime);
  taken_.emplace_back();
  skyline_.emplace_back();
  Block& block = blocks_.back();
  block.common.first = std::max(block.common.first, lifetime.first);
  block.common.last = std::min(block.common.last, lifetime.last);
  block.largest = std::max(block.largest, size);
}

void FixedObjects::Occupy(const Place& place, Bytes size, const Lifetime& lifetime) {
  skyline_[place.object].Raise(lifetime, place.offset + size);
  // The buckets that the lifetime covers from end to end.
  ForEachWord((lifetime.first + width_ - 1) / width_, (lifetime.last + 1) / width_ - 1,
              [&](NodeIndex w, uint64_t mask) { taken_[place.object][w] |= mask; });
}

}  // namespace memplan::executorch
