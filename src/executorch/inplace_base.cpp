#include "executorch/inplace_base.h"

#include <string>

#include "executorch/upstream_error.h"
#include "message.h"

namespace memplan::executorch {
namespace {

constexpr int32_t kNowhere = -1;

// Follows bases from tensor to tensor, each once, and unwinds: linear, and no deep calls.
class Bases {
 public:
  Bases(const Task& task, const std::vector<int32_t>& deferred, Outcome* outcome)
      : task_(task),
        outcome_(outcome),
        progress_(task.tensors->size(), kSettled),
        place_(task.state->graph->tensors.size(), kNowhere) {
    for (size_t i = 0; i < task.tensors->size(); ++i) {
      place_[(*task.tensors)[i]] = static_cast<int32_t>(i);
    }
    for (int32_t i : deferred) progress_[i] = kOpen;
  }

  // False where the chain of bases ends at a tensor that has no place, or in itself.
  bool Settle(int32_t i) {
    std::vector<int32_t> chain;
    while (i != kNowhere && progress_[i] == kOpen) {
      progress_[i] = kOnChain;
      chain.push_back(i);
      i = BaseOf(i);
    }
    if (i == kNowhere || progress_[i] == kOnChain) return false;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const int32_t base = BaseOf(*at);
      outcome_->mem_id[*at] = outcome_->mem_id[base];
      outcome_->object[*at] = outcome_->object[base];
      outcome_->offset[*at] = outcome_->offset[base];
      progress_[*at] = kSettled;
    }
    return true;
  }

 private:
  enum Progress : uint8_t { kOpen, kOnChain, kSettled };

  int32_t BaseOf(int32_t i) const {
    return place_[task_.state->graph->tensors.inplace_base_of((*task_.tensors)[i])];
  }

  const Task& task_;
  Outcome* outcome_;
  std::vector<Progress> progress_;
  std::vector<int32_t> place_;  // of each tensor of the graph in task.tensors
};

}  // namespace

Status LayOverBases(const Task& task, const std::vector<int32_t>& deferred, Outcome* outcome) {
  if (deferred.empty()) return {};
  Bases bases(task, deferred, outcome);
  for (int32_t i : deferred) {
    if (bases.Settle(i)) continue;
    return FailAsUpstream(
        "INPLACE_UNRESOLVABLE", "The inplace_base is not planned, or bases form a circle",
        Message({task.state->path, "tensors[", (*task.tensors)[i], "].inplace_base"}));
  }
  return {};
}

}  // namespace memplan::executorch
