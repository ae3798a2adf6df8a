#include "reports.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memplan {
namespace {

Bytes Total(const Plan& plan) {
  return std::accumulate(plan.buffer_sizes.begin(), plan.buffer_sizes.end(), Bytes{0});
}

// The total if it owned what `inputs` and `outputs` say; a capacity does not count there.
Result<Bytes> TotalIfOwned(const Program& program, Options options, bool inputs, bool outputs) {
  options.alloc_graph_input = inputs;
  options.alloc_graph_output = outputs;
  Result<SoundProblem> problem = MakeSoundProblem(program, options);
  if (!problem) return tl::unexpected(problem.error());
  for (PoolProblem& pool : problem->selection.pools) pool.problem.capacity = kNoBytes;
  return QuickTotal(problem->selection, options);
}

void AddOwnership(const Program& program, Plan* plan) {
  const Options& options = plan->options;
  OwnershipReport& report = plan->ownership;
  const std::pair<Bytes*, std::pair<bool, bool>> rows[] = {{&report.both, {true, true}},
                                                           {&report.inputs, {true, false}},
                                                           {&report.outputs, {false, true}},
                                                           {&report.neither, {false, false}}};
  for (const auto& [total, owned] : rows) {
    if (owned.first == options.alloc_graph_input && owned.second == options.alloc_graph_output) {
      *total = Total(*plan);
      continue;
    }
    // Owned otherwise, a result can be one that no plan is right for (nesting.h): then there is no
    // such report.
    const Result<Bytes> bytes = TotalIfOwned(program, options, owned.first, owned.second);
    if (!bytes) return;
    *total = *bytes;
  }
  report.exists = true;
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
  for (size_t i = 0; i < problem.nest.roots.size(); ++i) {
    const GraphNest& root = problem.nest.graphs[problem.nest.roots[i]];
    const GraphPlan& rows = program.graph != nullptr ? plan->top : plan->methods[i];
    for (const StateInput& state : FindState(*root.graph, root.graph->signature)) {
      const bool known =
          program.shared_buffers &&
          std::any_of(plan->state.begin(), plan->state.end(),
                      [&](const StateRow& row) { return row.buffer == state.buffer; });
      if (known) continue;
      for (const TensorIndex t : root.graph->nodes.specs_of(state.placeholder)) {
        if (t == kNoTensor || root.graph->tensors.is_const[t] != 0) continue;
        plan->state.push_back(
            {state.buffer, rows.allocated[t], rows.mem_id[t], rows.mem_offset[t]});
      }
    }
  }
}

}  // namespace

Status AddReports(const Program& program, const SoundProblem& problem, Plan* plan) {
  const std::string& asked = plan->options.algorithm;
  AddState(program, problem, plan);
  plan->inplace = problem.inplace;
  plan->spilled = problem.spilled;
  if (asked.empty() || asked == "auto" || asked == "search") {
    AddOwnership(program, plan);
  }
  if (problem.nest.has_control_flow) {
    if (Status fine = AddNestingSaved(program, problem, plan); !fine) return fine;
  }
  return plan->options.inplace ? AddInplaceSaved(program, plan) : Status{};
}

}  // namespace memplan
