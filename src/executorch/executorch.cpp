#include "executorch/executorch.h"

#include <algorithm>
#include <utility>

#include "executorch/algorithm.h"
#include "executorch/capacity_check.h"
#include "executorch/control_flow_calls.h"
#include "executorch/graph_state.h"
#include "executorch/mutable_buffers.h"
#include "executorch/recursion_2024.h"
#include "executorch/recursion_2026.h"
#include "message.h"

namespace memplan {
namespace {

using executorch::Algorithm;
using executorch::GraphState;
using executorch::MutableBuffers;

Result<GraphPlan> PlanOne(const Algorithm& algorithm, const Graph& graph, const Names& names,
                          const Options& options, const std::string& path,
                          std::vector<std::pair<MemId, std::string>>* buffer_devices) {
  if (Status fine = executorch::CheckPlannedNodes(graph); !fine) {
    return tl::unexpected<Error>(std::move(fine.error()));
  }
  const MutableBuffers buffers(graph.signature);
  Result<GraphState> state = executorch::MakeGraphState(graph, names, options.alignment, path);
  if (!state) return tl::unexpected<Error>(std::move(state.error()));
  Status planned = algorithm.rules == Rules::kExecutorch2024
                       ? PlanGraph2024(algorithm, buffers, options, names, &*state)
                       : PlanGraph2026(algorithm, buffers, options, names, &*state, buffer_devices);
  if (!planned) return tl::unexpected<Error>(std::move(planned.error()));
  GraphPlan plan = executorch::ToGraphPlan(std::move(*state), options.alignment);
  Status fits = executorch::CheckCapacity(plan, names, options);
  if (!fits) return tl::unexpected<Error>(std::move(fits.error()));
  return plan;
}

Status PlanMethods(const Algorithm& algorithm, const Program& program, Plan* plan) {
  if (program.shared_buffers) {
    return Fail(ErrorCode::kUnsupported, "The ExecuTorch rules plan each method on its own",
                "shared_buffers");
  }
  if (plan->options.enable_non_cpu_memory_planning) {
    return Fail(ErrorCode::kUnsupported, "Devices are planned for one graph only",
                "enableNonCpuMemoryPlanning");
  }
  for (const std::unique_ptr<Graph>& method : program.methods) {
    const std::string path = Message({"methods.", program.names[method->name], "."});
    Result<GraphPlan> planned =
        PlanOne(algorithm, *method, program.names, plan->options, path, &plan->buffer_devices);
    if (!planned) return tl::unexpected<Error>(std::move(planned.error()));
    if (plan->buffer_sizes.size() < planned->buffer_sizes.size()) {
      plan->buffer_sizes.resize(planned->buffer_sizes.size(), 0);
    }
    for (size_t i = 0; i < planned->buffer_sizes.size(); ++i) {
      plan->buffer_sizes[i] = std::max(plan->buffer_sizes[i], planned->buffer_sizes[i]);
    }
    plan->methods.push_back(std::move(*planned));
  }
  return {};
}

}  // namespace

Result<Plan> PlanExecutorch(const Program& program, const Options& options) {
  const Algorithm* algorithm = executorch::FindAlgorithm(options.rules, options.algorithm);
  if (algorithm == nullptr) {
    return Fail(ErrorCode::kInvalidOption,
                Message({RulesName(options.rules), " has no algorithm \"", options.algorithm,
                         "\"; it has ", executorch::ListAlgorithms(options.rules)}),
                "algorithm");
  }
  Plan plan;
  plan.algorithm = std::string(algorithm->name);
  plan.options = options;
  if (program.graph == nullptr) {
    if (Status planned = PlanMethods(*algorithm, program, &plan); !planned) {
      return tl::unexpected<Error>(std::move(planned.error()));
    }
    return plan;
  }
  Result<GraphPlan> planned =
      PlanOne(*algorithm, *program.graph, program.names, options, "", &plan.buffer_devices);
  if (!planned) return tl::unexpected<Error>(std::move(planned.error()));
  plan.top = std::move(*planned);
  plan.buffer_sizes = plan.top.buffer_sizes;
  return plan;
}

}  // namespace memplan
