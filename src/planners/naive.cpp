#include "engine/stack.h"
#include "planner.h"

namespace memplan {
namespace {

Placement Place(const Problem& problem) {
  Placement placement = PinnedOnly(problem);
  Stack stack(problem);
  for (const BufferIndex b : LiveByStart(problem)) {
    if (problem.pin_of(b) != kNoBytes) continue;
    placement.offset[b] = stack.Take(problem.size[b], problem.alignment_of(b));
  }
  MeasurePeak(problem, &placement);
  return placement;
}

const PlannerRegistration kPlanner({
    .name = "naive",
    .summary = "One buffer after the other, nothing shared: what planning saves is measured by it",
    .source = "ExecuTorch 91afa6e923, exir/memory_planning.py, naive",
    .order = 10,
    .honours = kHonoursAll,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOnePass(problem, Place); },
});

}  // namespace
}  // namespace memplan
