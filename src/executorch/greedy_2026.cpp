#include "executorch/greedy_2026.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "executorch/fixed_objects.h"
#include "executorch/inplace_base.h"
#include "executorch/upstream_error.h"
#include "message.h"
#include "row_sort.h"
#include "shared_objects.h"

namespace memplan::executorch {
namespace {

// Places in task.tensors.
std::vector<int32_t> LargestFirstLaterFirst(const Task& task) {
  std::vector<int32_t> order(task.tensors->size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Bytes>& allocated = task.state->allocated;
  const std::vector<TensorIndex>& tensors = *task.tensors;
  SortRows(&order, [&](int32_t a, int32_t b) {
    const Bytes left = allocated[tensors[a]];
    const Bytes right = allocated[tensors[b]];
    return left != right ? left > right : a > b;
  });
  return order;
}

// Sets the sizes, and turns offsets in objects into offsets in mem_ids.
Status Materialize(const Task& task, const std::map<MemId, FixedObjects>& pools, Outcome* outcome) {
  std::map<MemId, std::vector<Bytes>> offsets;
  outcome->sizes.assign(pools.empty() ? 2 : pools.rbegin()->first + 1, 0);
  for (const auto& [mem_id, objects] : pools) {
    std::vector<Bytes>& offset = offsets[mem_id];
    offset = StackSharedObjects(objects.sizes(), task.TakenOf(mem_id));
    if (offset.back() == kNoBytes || !FitsBytes(offset.back(), task.padding)) {
      return FailTooLarge(mem_id);
    }
    outcome->sizes[mem_id] = offset.back() + task.padding;
  }
  for (size_t i = 0; i < task.tensors->size(); ++i) {
    outcome->offset[i] += offsets[outcome->mem_id[i]][outcome->object[i]];
  }
  return {};
}

Result<Outcome> Place(const Task& task, bool may_overlap) {
  Outcome outcome(task.tensors->size());
  std::map<MemId, FixedObjects> pools;
  std::vector<int32_t> deferred;
  for (int32_t i : LargestFirstLaterFirst(task)) {
    const TensorIndex t = (*task.tensors)[i];
    outcome.mem_id[i] = task.state->PoolOrDefault(t);
    task.state->Realign(t, task.alignment);
    if (task.state->graph->tensors.inplace_base_of(t) != kNoTensor) {
      deferred.push_back(i);
      continue;
    }
    FixedObjects& objects =
        pools.try_emplace(outcome.mem_id[i], task.state->graph->nodes.size()).first->second;
    const std::optional<FixedObjects::Place> place =
        objects.Pick(task.state->allocated[t], task.state->lifetime[t], may_overlap);
    if (!place) {
      return FailAsUpstream("NOT_SORTED",
                            "executorch-2026 sorts by size at alignment 16 and asserts that the "
                            "order holds at the alignment asked for",
                            Message({task.state->path, "tensors[", t, "]"}));
    }
    outcome.object[i] = place->object;
    outcome.offset[i] = place->offset;
  }
  if (Status status = LayOverBases(task, deferred, &outcome); !status) {
    return tl::unexpected<Error>(std::move(status.error()));
  }
  if (Status status = Materialize(task, pools, &outcome); !status) {
    return tl::unexpected<Error>(std::move(status.error()));
  }
  return outcome;
}

}  // namespace

Result<Outcome> Greedy2026(const Task& task) { return Place(task, true); }

Result<Outcome> GreedyNoOverlap(const Task& task) { return Place(task, false); }

}  // namespace memplan::executorch
