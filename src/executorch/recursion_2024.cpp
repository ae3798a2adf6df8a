#include "executorch/recursion_2024.h"

#include <array>
#include <utility>
#include <vector>

#include "executorch/control_flow_calls.h"
#include "executorch/frees.h"
#include "executorch/lifetimes.h"
#include "executorch/selection.h"

namespace memplan::executorch {
namespace {

constexpr std::array kPlannedCalls = {Target::kCond, Target::kWhile, Target::kMap};

class Recursion {
 public:
  Recursion(const Algorithm& algorithm, const MutableBuffers& buffers, const Options& options,
            const Names& names)
      : algorithm_(algorithm), buffers_(buffers), options_(options), names_(names) {}

  // `sizes`: taken before, then in use after; both per mem_id.
  Status Plan(GraphState* state, bool plans_inputs, bool plans_outputs, std::vector<Bytes>* sizes) {
    FindLifetimes2024(state);
    Status planned = PlanOne(state, plans_inputs, plans_outputs, sizes);
    if (!planned) return planned;
    InsertFrees(state);
    for (const SubmoduleCall& call : ListCalls(*state->graph, kPlannedCalls)) {
      Status inner = Plan(&state->submodules[call.submodule], call.plans_inputs, true, sizes);
      if (!inner) return inner;
    }
    state->has_sizes = true;
    state->sizes = *sizes;
    return {};
  }

 private:
  Status PlanOne(GraphState* state, bool plans_inputs, bool plans_outputs,
                 std::vector<Bytes>* sizes) {
    SelectionFilter filter;
    filter.graph_inputs = plans_inputs;
    filter.graph_outputs = plans_outputs;
    filter.insist_on_targets =
        algorithm_.always_insists || !state->graph->encounter_to_out_var_failure;
    const Result<std::vector<TensorIndex>> tensors =
        SelectTensors(*state->graph, state->specs, buffers_, filter, names_, state->path);
    if (!tensors) return tl::unexpected<Error>(tensors.error());
    const Task task{state, &*tensors, sizes, options_.alignment};
    Result<Outcome> outcome = algorithm_.run(task);
    if (!outcome) return tl::unexpected<Error>(std::move(outcome.error()));
    Settle(task, *outcome);
    *sizes = std::move(outcome->sizes);
    return {};
  }

  const Algorithm& algorithm_;
  const MutableBuffers& buffers_;
  const Options& options_;
  const Names& names_;
};

void ShareSizes(const std::vector<Bytes>& sizes, GraphState* state) {
  if (!state->has_sizes) return;
  state->sizes = sizes;
  for (GraphState& submodule : state->submodules) ShareSizes(sizes, &submodule);
}

}  // namespace

Status PlanGraph2024(const Algorithm& algorithm, const MutableBuffers& buffers,
                     const Options& options, const Names& names, GraphState* state) {
  std::vector<Bytes> sizes = state->graph->input_mem_buffer_sizes;
  Status planned = Recursion(algorithm, buffers, options, names)
                       .Plan(state, options.alloc_graph_input, options.alloc_graph_output, &sizes);
  // naive grows one list that it hands to every submodule and records for each, so all of them end
  // as the outer graph's.
  if (planned && algorithm.name == "naive") ShareSizes(sizes, state);
  return planned;
}

}  // namespace memplan::executorch
