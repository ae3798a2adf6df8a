#include "placement.h"

#include <algorithm>
#include <map>

#include "row_sort.h"

namespace memplan {
namespace {

// A stretch of time in which a buffer is live.
struct Event {
  Tick at = 0;
  BufferIndex buffer = 0;
  bool starts = false;
};

// Starts and ends of every stretch, ends first at equal ticks; gaps split a
// buffer into several stretches.
std::vector<Event> LiveEvents(const Problem& problem) {
  std::vector<Event> events;
  events.reserve(2 * problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    Tick from = problem.lower[b];
    for (const Gap& gap : problem.gaps_of(b)) {
      events.push_back({from, b, true});
      events.push_back({gap.from, b, false});
      from = gap.to;
    }
    events.push_back({from, b, true});
    events.push_back({problem.upper[b], b, false});
  }
  SortRows(&events, [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.starts != b.starts) return !a.starts;
    return a.buffer < b.buffer;
  });
  return events;
}

bool ShareBytes(const Problem& problem, const Placement& placement, BufferIndex a, BufferIndex b) {
  return placement.offset[a] < placement.offset[b] + problem.size[b] &&
         placement.offset[b] < placement.offset[a] + problem.size[a];
}

void CheckAlone(const Problem& problem, const Placement& placement, BufferIndex b,
                std::vector<PlacementFault>* faults) {
  using Kind = PlacementFault::Kind;
  const Bytes offset = placement.offset[b];
  if (offset < 0) {
    faults->push_back({Kind::kUnplaced, b, -1});
    return;
  }
  const Bytes pin = problem.pin_of(b);
  if (pin != kNoBytes && pin != offset) faults->push_back({Kind::kOffPin, b, -1});
  if (!problem.is_live(b)) return;
  if (offset % problem.alignment_of(b) != 0) faults->push_back({Kind::kMisaligned, b, -1});
  if (offset < problem.base) faults->push_back({Kind::kBelowBase, b, -1});
  if (offset + problem.size[b] > placement.peak) faults->push_back({Kind::kPastPeak, b, -1});
}

// The live buffers by offset. While all placed ones are disjoint it is enough
// to look at the two neighbours; the first overlap found is reported and the
// newcomer left out, so the order stays one of disjoint ranges.
void SweepOverlaps(const Problem& problem, const Placement& placement, size_t limit,
                   std::vector<PlacementFault>* faults) {
  std::map<Bytes, BufferIndex> live;
  std::vector<uint8_t> entered(problem.size.size(), 0);
  for (const Event& event : LiveEvents(problem)) {
    const BufferIndex b = event.buffer;
    const Bytes offset = placement.offset[b];
    if (offset < 0) continue;
    if (!event.starts) {
      if (entered[b]) live.erase(offset);
      entered[b] = 0;
      continue;
    }
    auto above = live.lower_bound(offset);
    BufferIndex clash = -1;
    if (above != live.end() && above->first < offset + problem.size[b]) clash = above->second;
    if (clash < 0 && above != live.begin()) {
      const auto below = std::prev(above);
      if (below->first + problem.size[below->second] > offset) clash = below->second;
    }
    if (clash >= 0) {
      if (faults->size() >= limit) return;
      faults->push_back({PlacementFault::Kind::kOverlap, std::min(b, clash), std::max(b, clash)});
      continue;
    }
    live.emplace(offset, b);
    entered[b] = 1;
  }
}

}  // namespace

bool Placement::complete() const {
  return std::all_of(offset.begin(), offset.end(), [](Bytes o) { return o >= 0; });
}

void MeasurePeak(const Problem& problem, Placement* placement) {
  Bytes peak = problem.count() > 0 ? problem.base : 0;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.is_live(b) && placement->offset[b] >= 0) {
      peak = std::max(peak, placement->offset[b] + problem.size[b]);
    }
  }
  placement->peak = peak;
}

std::vector<PlacementFault> CheckPlacement(const Problem& problem, const Placement& placement,
                                           size_t limit) {
  std::vector<PlacementFault> faults;
  for (BufferIndex b = 0; b < problem.count() && faults.size() < limit; ++b) {
    CheckAlone(problem, placement, b, &faults);
  }
  if (faults.size() < limit) SweepOverlaps(problem, placement, limit, &faults);
  for (const auto& [a, b] : problem.conflicts) {
    if (faults.size() >= limit) break;
    if (placement.offset[a] < 0 || placement.offset[b] < 0) continue;
    if (!problem.is_live(a) || !problem.is_live(b)) continue;
    if (ShareBytes(problem, placement, a, b)) {
      faults.push_back({PlacementFault::Kind::kOverlap, a, b});
    }
  }
  return faults;
}

}  // namespace memplan
