#include "executorch/capacity_check.h"

#include <string>
#include <vector>

#include "capacity_error.h"
#include "problem.h"

namespace memplan::executorch {
namespace {

class TensorNames final : public ProblemNames {
 public:
  TensorNames(const GraphPlan& plan, const Names& names) : plan_(plan), names_(names) {}

  void Add(TensorIndex t) { tensors_.push_back(t); }
  std::string BufferName(BufferIndex buffer) const override {
    return std::string(names_[plan_.graph->tensors.id[tensors_[buffer]]]);
  }
  int64_t TimeOf(Tick tick) const override { return tick; }

 private:
  const GraphPlan& plan_;
  const Names& names_;
  std::vector<TensorIndex> tensors_;  // by buffer
};

Error Explain(const GraphPlan& plan, const Names& names, MemId mem_id, Bytes capacity) {
  Problem problem;
  problem.capacity = capacity;
  TensorNames tensors(plan, names);
  for (TensorIndex t = 0; t < plan.graph->tensors.size(); ++t) {
    if (plan.mem_id[t] != mem_id) continue;
    problem.lower.push_back(plan.lifetime[t].first);
    problem.upper.push_back(plan.lifetime[t].last + 1);
    problem.size.push_back(plan.allocated[t]);
    tensors.Add(t);
  }
  CapacityVerdict verdict;
  verdict.smallest = plan.buffer_sizes[mem_id];
  return MakeCapacityError(problem, mem_id, tensors, verdict);
}

}  // namespace

Status CheckCapacity(const GraphPlan& plan, const Names& names, const Options& options) {
  if (options.capacity.empty()) return {};
  for (size_t i = 0; i < plan.buffer_sizes.size(); ++i) {
    const size_t row = options.capacity_per_pool ? i : 0;
    if (row >= options.capacity.size() || options.capacity[row] == kNoBytes) continue;
    if (plan.buffer_sizes[i] <= options.capacity[row]) continue;
    return tl::unexpected<Error>(
        Explain(plan, names, static_cast<MemId>(i), options.capacity[row]));
  }
  return {};
}

}  // namespace memplan::executorch
