#include "live_events.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan {

std::vector<LiveEvent> LiveEvents(const Problem& problem) {
  std::vector<LiveEvent> events;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    Tick from = problem.lower[b];
    for (const Gap& gap : problem.gaps_of(b)) {
      events.push_back({from, true, b});
      events.push_back({gap.from, false, b});
      from = gap.to;
    }
    events.push_back({from, true, b});
    events.push_back({problem.upper[b], false, b});
  }
  SortRows(&events, [](const LiveEvent& a, const LiveEvent& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.starts != b.starts) return !a.starts;
    return a.buffer < b.buffer;
  });
  return events;
}

}  // namespace memplan
