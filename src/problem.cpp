#include "problem.h"

#include <algorithm>

namespace memplan {
namespace {

// True where some tick is in both, both outside their gaps.
bool LiveTogether(const Problem& problem, BufferIndex a, BufferIndex b) {
  Tick from = std::max(problem.lower[a], problem.lower[b]);
  const Tick to = std::min(problem.upper[a], problem.upper[b]);
  // Skip to the end of whichever gap covers `from`; each turn passes one gap,
  // so this ends.
  while (from < to) {
    Tick next = from;
    for (const BufferIndex one : {a, b}) {
      for (const Gap& gap : problem.gaps_of(one)) {
        if (gap.from <= from && from < gap.to) next = std::max(next, gap.to);
      }
    }
    if (next == from) return true;
    from = next;
  }
  return false;
}

}  // namespace

bool Conflicts(const Problem& problem, BufferIndex a, BufferIndex b) {
  if (a == b || !problem.is_live(a) || !problem.is_live(b)) return false;
  if (LiveTogether(problem, a, b)) return true;
  const std::pair<BufferIndex, BufferIndex> pair{std::min(a, b), std::max(a, b)};
  return std::binary_search(problem.conflicts.begin(), problem.conflicts.end(), pair);
}

Result<MaxLive> ComputeMaxLive(const Problem& problem) {
  struct Change {
    Tick at;
    Bytes by;
  };
  std::vector<Change> changes;
  changes.reserve(2 * problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    changes.push_back({problem.lower[b], problem.size[b]});
    changes.push_back({problem.upper[b], -problem.size[b]});
    for (const Gap& gap : problem.gaps_of(b)) {
      changes.push_back({gap.from, -problem.size[b]});
      changes.push_back({gap.to, problem.size[b]});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.by < b.by;
  });
  Bytes live = problem.base;
  MaxLive result{problem.count() > 0 ? live : 0, changes.empty() ? 0 : changes.front().at};
  for (const Change& change : changes) {
    if (change.by > 0 && !FitsBytes(live, change.by)) {
      return Fail(ErrorCode::kTooLarge,
                  "the buffers live at one step sum to more than 2^53 - 1 bytes");
    }
    live += change.by;
    if (live > result.bytes) result = {live, change.at};
  }
  return result;
}

std::vector<PinCollision> FindPinCollisions(const Problem& problem) {
  std::vector<PinCollision> found;
  if (problem.pin.empty()) return found;
  std::vector<BufferIndex> pinned;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.pin[b] != kNoBytes && problem.is_live(b)) pinned.push_back(b);
  }
  std::sort(pinned.begin(), pinned.end(), [&](BufferIndex a, BufferIndex b) {
    return problem.pin[a] != problem.pin[b] ? problem.pin[a] < problem.pin[b] : a < b;
  });
  // Pairs that share bytes are neighbours in this order up to the end of the
  // lower one's range.
  for (size_t i = 0; i < pinned.size(); ++i) {
    const Bytes end = problem.pin[pinned[i]] + problem.size[pinned[i]];
    for (size_t j = i + 1; j < pinned.size() && problem.pin[pinned[j]] < end; ++j) {
      if (Conflicts(problem, pinned[i], pinned[j])) {
        found.push_back({std::min(pinned[i], pinned[j]), std::max(pinned[i], pinned[j])});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const PinCollision& a, const PinCollision& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  return found;
}

}  // namespace memplan
