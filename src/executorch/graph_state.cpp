#include "executorch/graph_state.h"

#include <utility>

#include "message.h"

namespace memplan::executorch {
namespace {

constexpr Bytes kUpstreamAlignment = 16;

}  // namespace

Result<GraphState> MakeGraphState(const Graph& graph, const Names& names, Bytes alignment,
                                  const std::string& path) {
  GraphState state(graph);
  state.path = path;
  const TensorIndex count = graph.tensors.size();
  state.lifetime.assign(count, Lifetime{});
  state.allocated.resize(count);
  state.mem_id.resize(count);
  state.object.assign(count, -1);
  state.offset.assign(count, kNoBytes);
  for (TensorIndex t = 0; t < count; ++t) {
    state.mem_id[t] = graph.tensors.pool_of(t);
    state.Realign(t, kUpstreamAlignment);
    if (AlignUp(graph.tensors.nbytes[t], alignment) > kMaxBytes) {
      return Fail(ErrorCode::kTooLarge, "More than 2^53 - 1 bytes once rounded up to the alignment",
                  Message({path, "tensors[", t, "].nbytes"}));
    }
  }
  for (const std::unique_ptr<Graph>& submodule : graph.submodules) {
    Result<GraphState> inner = MakeGraphState(
        *submodule, names, alignment, Message({path, "submodules.", names[submodule->name], "."}));
    if (!inner) return tl::unexpected<Error>(std::move(inner.error()));
    state.submodules.push_back(std::move(*inner));
  }
  return state;
}

GraphPlan ToGraphPlan(GraphState state, Bytes alignment) {
  GraphPlan plan;
  plan.graph = state.graph;
  plan.submodules.reserve(state.submodules.size());
  for (GraphState& submodule : state.submodules) {
    plan.submodules.push_back(ToGraphPlan(std::move(submodule), alignment));
  }
  for (TensorIndex t = 0; t < state.graph->tensors.size(); ++t) {
    state.Realign(t, alignment);
    if (state.offset[t] == kNoBytes) state.mem_id[t] = kNoPool;
  }
  plan.lifetime = std::move(state.lifetime);
  plan.allocated = std::move(state.allocated);
  plan.mem_id = std::move(state.mem_id);
  plan.mem_obj_id = std::move(state.object);
  plan.mem_offset = std::move(state.offset);
  plan.frees = std::move(state.frees);
  plan.has_buffer_sizes = state.has_sizes;
  plan.buffer_sizes = std::move(state.sizes);
  return plan;
}

}  // namespace memplan::executorch
