#include "problem.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "live_events.h"
#include "row_sort.h"

namespace memplan {
namespace {

// The end of the gap that covers the tick; the tick itself where none does.
Tick EndOfGapAt(std::span<const Gap> gaps, Tick tick) {
  const auto after = std::upper_bound(gaps.begin(), gaps.end(), tick,
                                      [](Tick at, const Gap& gap) { return at < gap.from; });
  return after == gaps.begin() ? tick : std::max(tick, std::prev(after)->to);
}

// True where some tick is in both, both outside their gaps.
bool LiveTogether(const Problem& problem, BufferIndex a, BufferIndex b) {
  Tick from = std::max(problem.lower[a], problem.lower[b]);
  const Tick to = std::min(problem.upper[a], problem.upper[b]);
  // Each turn passes a gap, so this ends.
  while (from < to) {
    const Tick next =
        std::max(EndOfGapAt(problem.gaps_of(a), from), EndOfGapAt(problem.gaps_of(b), from));
    if (next == from) return true;
    from = next;
  }
  return false;
}

// Calls visit(tick, bytes, starts) for each start and end of a stretch of a buffer's life.
template <typename Visit>
void ForEachChange(const Problem& problem, Visit visit) {
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    visit(problem.lower[b], problem.size[b], true);
    visit(problem.upper[b], problem.size[b], false);
    for (const Gap& gap : problem.gaps_of(b)) {
      visit(gap.from, problem.size[b], false);
      visit(gap.to, problem.size[b], true);
    }
  }
}

// Bytes that come to life and that die, by tick.
struct LiveChanges {
  std::vector<Tick> ticks;     // rising
  std::vector<Bytes> starts;   // at most kMaxBytes + 1, which stands for all above
  std::vector<uint64_t> ends;  // modulo 2^64
};

LiveChanges ChangesOf(const Problem& problem) {
  LiveChanges changes;
  int64_t least = INT32_MAX, most = INT32_MIN;
  size_t count = 0;
  ForEachChange(problem, [&](Tick tick, Bytes, bool) {
    least = std::min<int64_t>(least, tick);
    most = std::max<int64_t>(most, tick);
    ++count;
  });
  if (count == 0) return changes;
  // Ticks are dense as a rule and index the columns; where they are not, they are ranked first.
  std::vector<Tick>& ticks = changes.ticks;
  const bool dense = most - least < static_cast<int64_t>(4 * count + 1024);
  if (dense) {
    ticks.resize(static_cast<size_t>(most - least) + 1);
    for (size_t i = 0; i < ticks.size(); ++i) ticks[i] = static_cast<Tick>(least + int64_t(i));
  } else {
    ticks.reserve(count);
    ForEachChange(problem, [&](Tick tick, Bytes, bool) { ticks.push_back(tick); });
    SortRows(&ticks);
    ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  }
  changes.starts.resize(ticks.size());
  changes.ends.resize(ticks.size());
  ForEachChange(problem, [&](Tick tick, Bytes bytes, bool starts) {
    const auto at = dense ? static_cast<size_t>(tick - least)
                          : std::lower_bound(ticks.begin(), ticks.end(), tick) - ticks.begin();
    if (starts) {
      Bytes& sum = changes.starts[at];
      sum = FitsBytes(sum, bytes) ? sum + bytes : kMaxBytes + 1;
    } else {
      changes.ends[at] += static_cast<uint64_t>(bytes);
    }
  });
  return changes;
}

}  // namespace

bool Conflicts(const Problem& problem, BufferIndex a, BufferIndex b) {
  if (a == b || !problem.is_live(a) || !problem.is_live(b)) return false;
  if (LiveTogether(problem, a, b)) return true;
  const std::pair<BufferIndex, BufferIndex> pair{std::min(a, b), std::max(a, b)};
  return std::binary_search(problem.conflicts.begin(), problem.conflicts.end(), pair);
}

Result<MaxLive> ComputeMaxLive(const Problem& problem) {
  const LiveChanges changes = ChangesOf(problem);
  Bytes live = problem.base;
  MaxLive result{problem.count() > 0 ? live : 0, changes.ticks.empty() ? 0 : changes.ticks.front()};
  for (size_t i = 0; i < changes.ticks.size(); ++i) {
    // No sum has wrapped around as long as all before fitted: what ends has been live.
    live -= static_cast<Bytes>(changes.ends[i]);
    if (!FitsBytes(live, changes.starts[i])) {
      return Fail(ErrorCode::kTooLarge,
                  "the buffers live at one step sum to more than 2^53 - 1 bytes");
    }
    live += changes.starts[i];
    if (live > result.bytes) result = {live, changes.ticks[i]};
  }
  return result;
}

std::vector<PinCollision> FindPinCollisions(const Problem& problem, size_t limit) {
  std::vector<PinCollision> found;
  if (problem.pin.empty()) return found;
  std::map<Bytes, BufferIndex> live;  // by offset; disjoint, since whoever collides stays out
  std::vector<uint8_t> entered(problem.size.size(), 0);
  for (const LiveEvent& event : LiveEvents(problem)) {
    const BufferIndex b = event.buffer;
    if (problem.pin[b] == kNoBytes) continue;
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
