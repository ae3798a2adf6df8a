#include "engine/whole_slots.h"

#include <algorithm>

#include "engine/free_list.h"
#include "engine/packing.h"
#include "engine/pass.h"
#include "engine/slot_tree.h"
#include "engine/stack.h"

namespace memplan {
namespace {

// The object of each buffer, -1 where it is pinned or never live.
std::vector<int64_t> ChooseObjects(const Problem& problem, const std::vector<BufferIndex>& order) {
  Problem numbers;
  numbers.lower = problem.lower;
  numbers.upper = problem.upper;
  numbers.first_gap = problem.first_gap;
  numbers.gaps = problem.gaps;
  numbers.conflicts = problem.conflicts;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    numbers.size.push_back(problem.is_live(b) && problem.pin_of(b) == kNoBytes ? 1 : 0);
  }
  const Packing packing(numbers);
  std::vector<ItemIndex> item_of(problem.size.size(), -1);
  for (ItemIndex item = 0; item < packing.count(); ++item) item_of[packing.buffer[item]] = item;
  std::vector<ItemIndex> items;
  for (const BufferIndex b : order) {
    if (item_of[b] >= 0) items.push_back(item_of[b]);
  }
  const SlotTree tree(packing);
  PassResult pass =
      PlaceInOrder(packing, tree, items, Fit::kFirst, kNoBytes, PassStepLimit(packing));
  if (!pass.finished) pass.offset = PlaceInTimeBothWays(packing);
  std::vector<int64_t> object(problem.size.size(), -1);
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    object[packing.buffer[item]] = pass.offset[item];
  }
  return object;
}

}  // namespace

Placement PlaceInObjects(const Problem& problem, const std::vector<BufferIndex>& order) {
  const std::vector<int64_t> object = ChooseObjects(problem, order);
  std::vector<Bytes> size, alignment;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (object[b] < 0) continue;
    const auto needed = static_cast<size_t>(object[b]) + 1;
    if (size.size() < needed) {
      size.resize(needed, 0);
      alignment.resize(needed, 1);
    }
    size[object[b]] = std::max(size[object[b]], problem.size[b]);
    alignment[object[b]] = std::max(alignment[object[b]], problem.alignment_of(b));
  }
  Stack stack(problem);
  std::vector<Bytes> at;
  for (size_t i = 0; i < size.size(); ++i) at.push_back(stack.Take(size[i], alignment[i]));
  Placement placement = PinnedOnly(problem);
  placement.object.assign(problem.size.size(), -1);
  auto next = static_cast<int32_t>(at.size());
  for (const BufferIndex b : order) {
    if (object[b] >= 0) {
      placement.offset[b] = at[object[b]];
      placement.object[b] = static_cast<int32_t>(object[b]);
    } else {
      placement.object[b] = next++;
    }
  }
  MeasurePeak(problem, &placement);
  return placement;
}

}  // namespace memplan
