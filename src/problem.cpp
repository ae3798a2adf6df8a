#include "problem.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "row_sort.h"

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

// A stretch of a pinned buffer's life begins or ends.
struct PinEvent {
  Tick at = 0;
  bool starts = false;
  BufferIndex buffer = 0;
};

// By time, ends first.
std::vector<PinEvent> PinEvents(const Problem& problem) {
  std::vector<PinEvent> events;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.pin[b] == kNoBytes || !problem.is_live(b)) continue;
    events.push_back({problem.lower[b], true, b});
    for (const Gap& gap : problem.gaps_of(b)) {
      events.push_back({gap.from, false, b});
      events.push_back({gap.to, true, b});
    }
    events.push_back({problem.upper[b], false, b});
  }
  SortRows(&events, [](const PinEvent& a, const PinEvent& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.starts != b.starts ? b.starts : a.buffer < b.buffer;
  });
  return events;
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
  SortRows(&changes, [](const Change& a, const Change& b) {
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

std::vector<PinCollision> FindPinCollisions(const Problem& problem, size_t limit) {
  std::vector<PinCollision> found;
  if (problem.pin.empty()) return found;
  std::map<Bytes, BufferIndex> live;  // by offset; disjoint, since whoever collides stays out
  std::vector<uint8_t> entered(problem.size.size(), 0);
  for (const PinEvent& event : PinEvents(problem)) {
    const BufferIndex b = event.buffer;
    const Bytes from = problem.pin[b], to = from + problem.size[b];
    if (!event.starts) {
      if (entered[b]) live.erase(from);
      entered[b] = 0;
      continue;
    }
    auto at = live.upper_bound(from);
    if (at != live.begin()) {
      const auto below = std::prev(at);
      if (below->first + problem.size[below->second] > from) at = below;
    }
    if (at == live.end() || at->first >= to) {
      live.emplace(from, b);
      entered[b] = 1;
    } else if (found.size() < limit) {
      found.push_back({std::min(b, at->second), std::max(b, at->second)});
    }
  }
  for (const auto& [a, b] : problem.conflicts) {
    if (found.size() >= limit) break;
    if (problem.pin[a] == kNoBytes || problem.pin[b] == kNoBytes) continue;
    const bool share = problem.pin[a] < problem.pin[b] + problem.size[b] &&
                       problem.pin[b] < problem.pin[a] + problem.size[a];
    if (share && Conflicts(problem, a, b)) found.push_back({a, b});
  }
  SortRows(&found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace memplan
