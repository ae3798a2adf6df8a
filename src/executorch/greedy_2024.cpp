#include "executorch/greedy_2024.h"

#include <map>
#include <vector>

#include "executorch/upstream_error.h"
#include "shared_objects.h"

namespace memplan::executorch {
namespace {

// The tensors of one mem_id, in the order selected.
struct Pool {
  std::vector<size_t> rows;  // places in task.tensors
  std::vector<Lifetime> lifetimes;
  std::vector<Bytes> sizes;
};

}  // namespace

Result<Outcome> Greedy2024(const Task& task) {
  Outcome outcome(task.tensors->size());
  std::map<MemId, Pool> pools;
  for (size_t i = 0; i < task.tensors->size(); ++i) {
    const TensorIndex t = (*task.tensors)[i];
    task.state->Realign(t, task.alignment);
    outcome.mem_id[i] = task.state->PoolOrDefault(t);
    Pool& pool = pools[outcome.mem_id[i]];
    pool.rows.push_back(i);
    pool.lifetimes.push_back(task.state->lifetime[t]);
    pool.sizes.push_back(task.state->allocated[t]);
  }
  outcome.sizes.assign(pools.empty() ? 2 : pools.rbegin()->first + 1, 0);
  for (const auto& [mem_id, pool] : pools) {
    const SharedObjects objects = PickSharedObjects(pool.lifetimes, pool.sizes);
    const std::vector<Bytes> offset = StackSharedObjects(objects.object_size, task.TakenOf(mem_id));
    if (offset.back() == kNoBytes) return FailTooLarge(mem_id);
    outcome.sizes[mem_id] = offset.back();
    for (size_t k = 0; k < pool.rows.size(); ++k) {
      outcome.object[pool.rows[k]] = objects.object[k];
      outcome.offset[pool.rows[k]] = offset[objects.object[k]];
    }
  }
  return outcome;
}

}  // namespace memplan::executorch
