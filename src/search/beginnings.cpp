#include "search/beginnings.h"

#include <algorithm>
#include <utility>

namespace memplan {

void Beginnings::Offer(Beginning beginning) {
  const size_t count = beginning.placed.size();
  if (count == 0 || (full() && best_.back().placed.size() >= count)) return;
  for (const Beginning& other : best_) {
    // Most often the same again.
    if (other.placed.size() == count && other.mirrored == beginning.mirrored) return;
  }
  if (full()) best_.pop_back();
  const auto at = std::find_if(best_.begin(), best_.end(), [count](const Beginning& other) {
    return other.placed.size() < count;
  });
  best_.insert(at, std::move(beginning));
}

Beginning Beginnings::Draw(RandomStream* random) {
  // What so many attempts have not carried on is a dead end.
  constexpr int32_t kMostDrawn = 30;
  const auto at = best_.begin() + random->Below(static_cast<int64_t>(best_.size()));
  ++at->drawn;
  Beginning drawn = *at;
  if (at->drawn == kMostDrawn) best_.erase(at);
  return drawn;
}

}  // namespace memplan
