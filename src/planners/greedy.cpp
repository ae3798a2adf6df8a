#include <algorithm>
#include <utility>
#include <vector>

#include "engine/stack.h"
#include "planner.h"
#include "shared_objects.h"

namespace memplan {
namespace {

// The buffers that may share: pinned ones lie where they must, and one that is
// named in a conflict gets an object of its own, as does each pinned one.
std::vector<BufferIndex> Sharers(const Problem& problem, std::vector<BufferIndex>* alone) {
  std::vector<uint8_t> in_conflict(problem.size.size(), 0);
  for (const auto& [a, b] : problem.conflicts) in_conflict[a] = in_conflict[b] = 1;
  std::vector<BufferIndex> sharers;
  for (const BufferIndex b : LiveByStart(problem)) {
    if (in_conflict[b] || problem.pin_of(b) != kNoBytes) {
      alone->push_back(b);
    } else {
      sharers.push_back(b);
    }
  }
  return sharers;
}

Placement Place(const Problem& problem) {
  std::vector<BufferIndex> alone;
  const std::vector<BufferIndex> sharers = Sharers(problem, &alone);
  std::vector<Lifetime> lifetimes;
  std::vector<Bytes> sizes;
  for (const BufferIndex b : sharers) {
    lifetimes.push_back({problem.lower[b], problem.upper[b] - 1});
    sizes.push_back(problem.size[b]);
  }
  const SharedObjects objects = PickSharedObjects(lifetimes, sizes);
  std::vector<Bytes> alignment(objects.object_size.size(), problem.uniform_alignment);
  for (size_t i = 0; i < sharers.size(); ++i) {
    Bytes& of_object = alignment[objects.object[i]];
    of_object = std::max(of_object, problem.alignment_of(sharers[i]));
  }

  Stack stack(problem);
  std::vector<Bytes> at;
  for (size_t i = 0; i < alignment.size(); ++i) {
    at.push_back(stack.Take(objects.object_size[i], alignment[i]));
  }
  Placement placement = PinnedOnly(problem);
  placement.object.assign(problem.size.size(), -1);
  for (size_t i = 0; i < sharers.size(); ++i) {
    placement.object[sharers[i]] = objects.object[i];
    placement.offset[sharers[i]] = at[objects.object[i]];
  }
  int32_t next = static_cast<int32_t>(at.size());
  for (const BufferIndex b : alone) {
    placement.object[b] = next++;
    if (problem.pin_of(b) != kNoBytes) continue;
    placement.offset[b] = stack.Take(problem.size[b], problem.alignment_of(b));
  }
  MeasurePeak(problem, &placement);
  return placement;
}

const PlannerRegistration kPlanner({
    .name = "greedy",
    .summary =
        "Whole slots handed on to the next buffer nearest in size, as ExecuTorch did in 2024",
    .source = "ExecuTorch 91afa6e923, exir/memory_planning.py, greedy",
    .order = 20,
    .honours = kHonoursAll,
    .shared_objects = true,
    .make = [](const Problem& problem,
               const SearchOptions&) { return MakeOnePass(problem, Place); },
});

}  // namespace
}  // namespace memplan
