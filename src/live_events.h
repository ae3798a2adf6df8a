// When buffers begin and cease to be live, for sweeps over time.
#ifndef MEMPLAN_LIVE_EVENTS_H_
#define MEMPLAN_LIVE_EVENTS_H_

#include <vector>

#include "problem.h"

namespace memplan {

struct LiveEvent {
  Tick at;
  bool starts;
  BufferIndex buffer;
};

// Two events for each span of each buffer that is ever live, by time; at one tick what ends comes
// before what starts, since spans are half open.
std::vector<LiveEvent> LiveEvents(const Problem& problem);

}  // namespace memplan

#endif  // MEMPLAN_LIVE_EVENTS_H_
