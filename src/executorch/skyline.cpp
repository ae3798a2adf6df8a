#include "executorch/skyline.h"

#include <algorithm>

namespace memplan::executorch {

std::vector<Skyline::Span>::const_iterator Skyline::FirstEndingFrom(NodeIndex node) const {
  return std::lower_bound(spans_.begin(), spans_.end(), node,
                          [](const Span& span, NodeIndex at) { return span.last < at; });
}

bool Skyline::IsFree(const Lifetime& lifetime) const {
  const auto at = FirstEndingFrom(lifetime.first);
  return at == spans_.end() || at->first > lifetime.last;
}

Bytes Skyline::Highest(const Lifetime& lifetime, Bytes limit) const {
  Bytes highest = 0;
  for (auto at = FirstEndingFrom(lifetime.first);
       at != spans_.end() && at->first <= lifetime.last && highest <= limit; ++at) {
    highest = std::max(highest, at->height);
  }
  return highest;
}

void Skyline::Raise(const Lifetime& lifetime, Bytes height) {
  const auto begin = FirstEndingFrom(lifetime.first);
  auto end = begin;
  while (end != spans_.end() && end->first <= lifetime.last) ++end;

  // What sticks out of the replaced spans on either side stays as it was.
  std::vector<Span> spans;
  if (begin != end && begin->first < lifetime.first) {
    spans.push_back({begin->first, lifetime.first - 1, begin->height});
  }
  spans.push_back({lifetime.first, lifetime.last, height});
  if (begin != end && (end - 1)->last > lifetime.last) {
    spans.push_back({lifetime.last + 1, (end - 1)->last, (end - 1)->height});
  }
  const auto at = spans_.erase(begin, end);
  spans_.insert(at, spans.begin(), spans.end());
}

}  // namespace memplan::executorch
