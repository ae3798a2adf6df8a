#include "executorch/graph_input_output.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "message.h"

namespace memplan::executorch {
namespace {

// What the walk has seen of the inputs, or of the outputs.
struct Side {
  std::optional<bool> allocated;  // by the last node that counts
  NodeIndex node = kNoNode;
  bool has_unbound = false;
};

class Check {
 public:
  Check(const Graph& graph, const NodeSpecs& specs, const MutableBuffers& buffers,
        const std::vector<Bytes>& mem_offset, const Options& options)
      : graph_(graph),
        specs_(specs),
        buffers_(buffers),
        mem_offset_(mem_offset),
        options_(options),
        is_2026_(options.rules == Rules::kExecutorch2026) {}

  OwnershipFault Run() {
    if (options_.alloc_graph_input != options_.alloc_graph_output && AnInputIsAnOutput()) return {};
    if (!Has(Op::kOutput)) return {"NO_OUTPUT", "The graph has no output node", kNoNode, {}};
    MarkMutable();
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      const bool is_input = graph_.nodes.op[n] == Op::kPlaceholder;
      if (!is_input && graph_.nodes.op[n] != Op::kOutput) continue;
      OwnershipFault fault = Visit(n, is_input ? &inputs_ : &outputs_);
      if (!fault.kind.empty()) return fault;
    }
    if (Has(Op::kPlaceholder) && (!is_2026_ || HasUserInput())) {
      OwnershipFault fault = Judge(inputs_, options_.alloc_graph_input, true);
      if (!fault.kind.empty()) return fault;
    }
    return Judge(outputs_, options_.alloc_graph_output, false);
  }

 private:
  bool Has(Op op) const {
    return std::find(graph_.nodes.op.begin(), graph_.nodes.op.end(), op) != graph_.nodes.op.end();
  }

  bool AnInputIsAnOutput() const {
    std::vector<uint8_t> is_input(graph_.tensors.size(), 0);
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes.op[n] != Op::kPlaceholder || buffers_.Contains(graph_, n)) continue;
      for (TensorIndex t : specs_.Of(n)) {
        if (t != kNoTensor) is_input[t] = 1;
      }
    }
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes.op[n] != Op::kOutput) continue;
      for (TensorIndex t : specs_.Of(n)) {
        if (t != kNoTensor && is_input[t]) return true;
      }
    }
    return false;
  }

  void MarkMutable() {
    is_mutable_.assign(graph_.tensors.size(), 0);
    if (!is_2026_) return;
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (!buffers_.Contains(graph_, n)) continue;
      for (TensorIndex t : specs_.Of(n)) {
        if (t != kNoTensor) is_mutable_[t] = 1;
      }
    }
  }

  OwnershipFault Visit(NodeIndex n, Side* side) {
    if (!HasTensor(specs_.Of(n)) || buffers_.Contains(graph_, n)) return {};
    std::vector<TensorIndex> tensors;
    for (TensorIndex t : specs_.Of(n)) {
      if (t != kNoTensor && !graph_.tensors.is_const[t] && !is_mutable_[t]) tensors.push_back(t);
    }
    if (tensors.empty()) {
      // 2026 takes this for a good output, even where it is an input.
      if (is_2026_) outputs_.allocated = options_.alloc_graph_output;
      return {};
    }
    const auto is_allocated = [&](TensorIndex t) { return mem_offset_[t] != kNoBytes; };
    const bool any = std::any_of(tensors.begin(), tensors.end(), is_allocated);
    if (any && !std::all_of(tensors.begin(), tensors.end(), is_allocated)) {
      return {"PARTLY_ALLOCATED", "Some tensors of the node are planned and some are not", n,
              tensors};
    }
    side->allocated = any;
    side->node = n;
    side->has_unbound |= std::any_of(tensors.begin(), tensors.end(), [&](TensorIndex t) {
      return graph_.tensors.dynamism[t] == Dynamism::kDynamicUnbound;
    });
    return {};
  }

  // _do_user_inputs_exist, with the format's reading of a signature.
  bool HasUserInput() const {
    if (!graph_.signature.exists) return false;
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes.op[n] != Op::kPlaceholder) continue;
      const bool is_buffer = std::any_of(
          graph_.signature.inputs_to_buffers.begin(), graph_.signature.inputs_to_buffers.end(),
          [&](const NamePair& pair) { return pair.key == graph_.nodes.target[n]; });
      if (is_buffer) continue;
      for (TensorIndex t : specs_.Of(n)) {
        if (t != kNoTensor && !graph_.tensors.is_const[t]) return true;
      }
    }
    return false;
  }

  OwnershipFault Judge(const Side& side, bool wanted, bool is_input) const {
    const std::string what = is_input ? "inputs" : "outputs";
    if (!side.allocated) {
      return {is_input ? "INPUT_NOT_SET" : "OUTPUT_NOT_SET",
              Message({"No tensor tells whether the graph's ", what, " are planned"}),
              kNoNode,
              {}};
    }
    if (side.has_unbound || *side.allocated == wanted) return {};
    OwnershipFault fault{is_input ? "INPUT_MISALLOCATED" : "OUTPUT_MISALLOCATED",
                         Message({"The graph's ", what, " are ", (wanted ? "not " : ""),
                                  "planned, and the options say that they ",
                                  (wanted ? "" : "do not "), "belong to the plan"}),
                         side.node,
                         {}};
    if (side.node != kNoNode) {
      for (TensorIndex t : specs_.Of(side.node)) {
        if (t != kNoTensor) fault.tensors.push_back(t);
      }
    }
    return fault;
  }

  const Graph& graph_;
  const NodeSpecs& specs_;
  const MutableBuffers& buffers_;
  const std::vector<Bytes>& mem_offset_;
  const Options& options_;
  const bool is_2026_;
  std::vector<uint8_t> is_mutable_;
  Side inputs_, outputs_;
};

}  // namespace

OwnershipFault CheckOwnership(const Graph& graph, const NodeSpecs& specs,
                              const MutableBuffers& buffers, const std::vector<Bytes>& mem_offset,
                              const Options& options) {
  return Check(graph, specs, buffers, mem_offset, options).Run();
}

}  // namespace memplan::executorch
