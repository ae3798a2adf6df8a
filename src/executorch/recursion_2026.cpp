#include "executorch/recursion_2026.h"

#include <algorithm>
#include <array>

#include "executorch/control_flow_calls.h"
#include "executorch/devices.h"
#include "executorch/lifetimes.h"
#include "executorch/selection.h"

namespace memplan::executorch {
namespace {

constexpr std::array kPlannedCalls = {Target::kCond, Target::kWhile, Target::kMap, Target::kScan};
constexpr Bytes kXnnpackPadding = 64;

bool IsXnnpack(std::string_view backend) {
  constexpr std::string_view kWanted = "xnnpack";
  return std::search(backend.begin(), backend.end(), kWanted.begin(), kWanted.end(),
                     [](char have, char want) {
                       return (have >= 'A' && have <= 'Z' ? have - 'A' + 'a' : have) == want;
                     }) != backend.end();
}

bool CallsXnnpack(const Graph& graph, const Names& names) {
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    const NameId backend = graph.nodes.backend_of(n);
    if (graph.nodes.kind[n] == Target::kDelegate && backend != kNoName &&
        IsXnnpack(names[backend])) {
      return true;
    }
  }
  return false;
}

void MergeSizes(const std::vector<Bytes>& more, std::vector<Bytes>* sizes) {
  if (sizes->size() < more.size()) sizes->resize(more.size(), 0);
  for (size_t i = 0; i < more.size(); ++i) (*sizes)[i] = std::max((*sizes)[i], more[i]);
}

// What one graph's planning depends on; submodules have the defaults but for the inputs.
struct Scope {
  SelectionFilter filter;
  bool by_device = false;
};

class Recursion {
 public:
  Recursion(const Algorithm& algorithm, const MutableBuffers& buffers, const Options& options,
            const Names& names, std::vector<std::pair<MemId, std::string>>* buffer_devices)
      : algorithm_(algorithm),
        buffers_(buffers),
        options_(options),
        names_(names),
        buffer_devices_(buffer_devices) {}

  Status Plan(const Scope& scope, GraphState* state) {
    FindLifetimes2026(state, buffers_);
    const Result<std::vector<TensorIndex>> tensors =
        SelectTensors(*state->graph, state->specs, buffers_, scope.filter, names_, state->path);
    if (!tensors) return tl::unexpected<Error>(tensors.error());
    std::vector<Bytes> submodule_sizes;
    if (Status status = PlanSubmodules(state, &submodule_sizes); !status) return status;

    Result<std::vector<DevicePart>> parts = scope.by_device
                                                ? PartitionByDevice(*state, names_, *tensors)
                                                : std::vector<DevicePart>{{Device{}, *tensors}};
    if (!parts) return tl::unexpected<Error>(std::move(parts.error()));
    state->sizes.assign(1, 0);
    for (const DevicePart& part : *parts) {
      std::vector<Bytes> taken;
      if (part.device.IsFirstCpu()) taken = std::move(submodule_sizes);
      if (Status status = PlanPart(part, &taken, state); !status) return status;
    }
    if (state->sizes.size() < 2) state->sizes.push_back(0);
    state->has_sizes = true;
    return {};
  }

 private:
  Status PlanSubmodules(GraphState* state, std::vector<Bytes>* sizes) {
    for (const SubmoduleCall& call : ListCalls(*state->graph, kPlannedCalls)) {
      GraphState* submodule = &state->submodules[call.submodule];
      Scope scope;
      scope.filter.graph_inputs = call.plans_inputs;
      if (Status status = Plan(scope, submodule); !status) return status;
      MergeSizes(submodule->sizes, sizes);
    }
    return {};
  }

  // Appends the part's sizes to the graph's and moves its mem_ids there; index 0, never used, is
  // dropped.
  Status PlanPart(const DevicePart& part, std::vector<Bytes>* taken, GraphState* state) {
    const Task task{state, &part.tensors, taken, options_.alignment,
                    CallsXnnpack(*state->graph, names_) ? kXnnpackPadding : 0};
    const Result<Outcome> outcome = algorithm_.run(task);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    Settle(task, *outcome);
    const auto base = static_cast<MemId>(state->sizes.size());
    for (TensorIndex t : part.tensors) state->mem_id[t] += base - 1;
    for (size_t i = 1; i < outcome->sizes.size(); ++i) {
      if (!part.device.IsFirstCpu()) {
        buffer_devices_->emplace_back(static_cast<MemId>(state->sizes.size()),
                                      part.device.ToString());
      }
      state->sizes.push_back(outcome->sizes[i]);
    }
    return {};
  }

  const Algorithm& algorithm_;
  const MutableBuffers& buffers_;
  const Options& options_;
  const Names& names_;
  std::vector<std::pair<MemId, std::string>>* buffer_devices_;
};

}  // namespace

Status PlanGraph2026(const Algorithm& algorithm, const MutableBuffers& buffers,
                     const Options& options, const Names& names, GraphState* state,
                     std::vector<std::pair<MemId, std::string>>* buffer_devices) {
  Scope scope;
  scope.filter.graph_inputs = options.alloc_graph_input;
  scope.filter.graph_outputs = options.alloc_graph_output;
  scope.filter.mutable_buffers = options.alloc_mutable_buffers;
  scope.by_device = options.enable_non_cpu_memory_planning;
  Status planned = Recursion(algorithm, buffers, options, names, buffer_devices).Plan(scope, state);
  // _build_non_const_buffer_device says nothing where no buffer is of another kind.
  const auto is_cpu = [](const auto& row) { return row.second.rfind("cpu:", 0) == 0; };
  if (std::all_of(buffer_devices->begin(), buffer_devices->end(), is_cpu)) buffer_devices->clear();
  return planned;
}

}  // namespace memplan::executorch
