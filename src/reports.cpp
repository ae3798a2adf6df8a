#include "reports.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ownership.h"

namespace memplan {
namespace {

Bytes Total(const Plan& plan) {
  return std::accumulate(plan.buffer_sizes.begin(), plan.buffer_sizes.end(), Bytes{0});
}

// Against a reserve below the outer graph, as large as all submodules together need, for ever.
Status AddNestingSaved(const Program& program, const SoundProblem& problem, Plan* plan) {
  Bytes apart = 0;
  for (const Scope scope : {Scope::kRoots, Scope::kSubmodules}) {
    const Result<Selection> selection = Select(program, problem.nest, plan->options, scope, {});
    if (!selection) return tl::unexpected(selection.error());
    const Result<Bytes> total = QuickTotal(*selection, plan->options);
    if (!total) return tl::unexpected(total.error());
    apart += *total;
  }
  plan->saved_nesting = std::max<Bytes>(0, apart - Total(*plan));
  return {};
}

Status AddInplaceSaved(const Program& program, Plan* plan) {
  Options without = plan->options;
  without.inplace = false;
  Result<SoundProblem> problem = MakeSoundProblem(program, without);
  if (!problem) return tl::unexpected(problem.error());
  for (PoolProblem& pool : problem->selection.pools) pool.problem.capacity = kNoBytes;
  const Result<Bytes> total = QuickTotal(problem->selection, without);
  if (!total) return tl::unexpected(total.error());
  plan->saved_inplace = std::max<Bytes>(0, *total - Total(*plan));
  return {};
}

void AddState(const Program& program, const SoundProblem& problem, Plan* plan) {
  std::vector<uint8_t> is_listed(program.names.size(), 0);  // by name; where methods share
  for (size_t i = 0; i < problem.nest.roots.size(); ++i) {
    const GraphNest& root = problem.nest.graphs[problem.nest.roots[i]];
    const GraphPlan& rows = program.graph != nullptr ? plan->top : plan->methods[i];
    for (const StateInput& state : FindState(*root.graph, root.graph->signature)) {
      if (is_listed[state.buffer] != 0) continue;
      for (const TensorIndex t : root.graph->nodes.specs_of(state.placeholder)) {
        if (t == kNoTensor || root.graph->tensors.is_const[t] != 0) continue;
        plan->state.push_back(
            {state.buffer, rows.allocated[t], rows.mem_id[t], rows.mem_offset[t]});
        is_listed[state.buffer] = program.shared_buffers;
      }
    }
  }
}

}  // namespace

Status AddReports(const Program& program, const SoundProblem& problem,
                  const std::vector<const Placement*>& placements, Plan* plan) {
  const std::string& asked = plan->options.algorithm;
  AddState(program, problem, plan);
  plan->inplace = problem.inplace;
  plan->spilled = problem.spilled;
  if (asked.empty() || asked == "auto" || asked == "search") {
    AddOwnership(program, problem, placements, plan);
  }
  if (problem.nest.has_control_flow) {
    if (Status fine = AddNestingSaved(program, problem, plan); !fine) return fine;
  }
  return plan->options.inplace ? AddInplaceSaved(program, plan) : Status{};
}

}  // namespace memplan
