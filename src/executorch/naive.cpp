#include "executorch/naive.h"

#include "executorch/upstream_error.h"
#include "message.h"

namespace memplan::executorch {
namespace {

Result<Outcome> PlaceInARow(const Task& task) {
  Outcome outcome(task.tensors->size());
  std::vector<Bytes>& ends = *task.taken;
  for (size_t i = 0; i < task.tensors->size(); ++i) {
    const TensorIndex t = (*task.tensors)[i];
    const MemId mem_id = task.state->PoolOrDefault(t);
    if (static_cast<size_t>(mem_id) >= ends.size()) ends.resize(mem_id + 1, 0);
    task.state->Realign(t, task.alignment);
    outcome.mem_id[i] = mem_id;
    outcome.offset[i] = ends[mem_id];
    ends[mem_id] += task.state->allocated[t];
    if (ends[mem_id] > kMaxBytes) return FailTooLarge(mem_id);
  }
  outcome.sizes = ends;
  return outcome;
}

}  // namespace

Result<Outcome> Naive2024(const Task& task) {
  if (task.taken->empty()) task.taken->assign(2, 0);
  Result<Outcome> outcome = PlaceInARow(task);
  if (outcome) outcome->object.clear();
  return outcome;
}

Result<Outcome> Naive2026(const Task& task) {
  for (TensorIndex t : *task.tensors) {
    if (task.state->graph->tensors.inplace_base_of(t) == kNoTensor) continue;
    return FailAsUpstream("NAIVE_INPLACE",
                          "executorch-2026's naive refuses tensors with an inplace_base",
                          Message({task.state->path, "tensors[", t, "].inplace_base"}));
  }
  return PlaceInARow(task);
}

}  // namespace memplan::executorch
