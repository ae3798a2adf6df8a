#include "executorch/skyline.h"

#include <algorithm>
#include <iterator>

namespace memplan::executorch {

Skyline::Spans::const_iterator Skyline::FirstEndingFrom(NodeIndex node) const {
  const auto after = spans_.upper_bound(node);
  if (after == spans_.begin()) return after;
  const auto before = std::prev(after);
  return before->second.last >= node ? before : after;
}

bool Skyline::IsFree(const Lifetime& lifetime) const {
  const auto at = FirstEndingFrom(lifetime.first);
  return at == spans_.end() || at->first > lifetime.last;
}

Bytes Skyline::Highest(const Lifetime& lifetime, Bytes limit) const {
  Bytes highest = 0;
  for (auto at = FirstEndingFrom(lifetime.first);
       at != spans_.end() && at->first <= lifetime.last && highest <= limit; ++at) {
    highest = std::max(highest, at->second.height);
  }
  return highest;
}

void Skyline::Raise(const Lifetime& lifetime, Bytes height) {
  auto at = FirstEndingFrom(lifetime.first);
  // What sticks out of the replaced spans on either side stays as it was.
  if (at != spans_.end() && at->first < lifetime.first) {
    const Span whole = at->second;
    spans_[at->first].last = lifetime.first - 1;
    at = spans_.emplace_hint(std::next(at), lifetime.first, whole);
  }
  while (at != spans_.end() && at->first <= lifetime.last) {
    const Span whole = at->second;
    at = spans_.erase(at);
    if (whole.last > lifetime.last) spans_.emplace(lifetime.last + 1, whole);
  }
  spans_[lifetime.first] = {lifetime.last, height};
}

}  // namespace memplan::executorch
