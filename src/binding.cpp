#include "binding.h"

#include <algorithm>

#include "lifetimes.h"
#include "message.h"

namespace memplan {
namespace {

using TensorList = std::vector<TensorIndex>;

TensorList WithoutNulls(std::span<const TensorIndex> tensors) {
  TensorList list;
  std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(list),
               [](TensorIndex t) { return t != kNoTensor; });
  return list;
}

// The tensors of the node's args, without get_attr nodes, for `cond` without the predicate.
TensorList Operands(const Graph& graph, NodeIndex n) {
  TensorList operands;
  bool predicate = graph.nodes.kind[n] == Target::kCond;
  for (const NodeIndex arg : graph.nodes.args_of(n)) {
    if (graph.nodes.op[arg] == Op::kGetAttr) continue;
    if (predicate) {
      predicate = false;
      continue;
    }
    const TensorList tensors = WithoutNulls(graph.YieldedBy(arg));
    operands.insert(operands.end(), tensors.begin(), tensors.end());
  }
  return operands;
}

TensorList FreePlaceholders(const Graph& graph) {
  TensorList tensors;
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes.op[n] != Op::kPlaceholder) continue;
    for (const TensorIndex t : graph.nodes.specs_of(n)) {
      if (t != kNoTensor && graph.tensors.is_const[t] == 0) tensors.push_back(t);
    }
  }
  return tensors;
}

bool IsUnbound(const Graph& graph, TensorIndex t) {
  return graph.tensors.dynamism[t] == Dynamism::kDynamicUnbound;
}

// One node's binding; the first mismatch wins.
class Binder {
 public:
  Binder(const Graph& graph, const ControlFlow& flow)
      : graph_(graph),
        flow_(flow),
        kind_(graph.nodes.kind[flow.node]),
        operands_(Operands(graph, flow.node)),
        results_(WithoutNulls(graph.nodes.specs_of(flow.node))) {}

  const std::string& problem() const { return problem_; }

  std::vector<BoundSubmodule> Bind() {
    std::vector<BoundSubmodule> bound;
    const size_t wanted = kind_ == Target::kCond || kind_ == Target::kWhile ? 2 : 1;
    if (flow_.submodules.size() != wanted) {
      Wrong(
          Message({"it has ", Count(flow_.submodules.size(), "submodule"), " and needs ", wanted}));
      return bound;
    }
    for (size_t i = 0; i < wanted && problem_.empty(); ++i) {
      bound.push_back(BindOne(i));
    }
    return bound;
  }

 private:
  static std::string Count(size_t count, const char* what) {
    return Message({count, " ", what, (count == 1 ? "" : "s")});
  }

  void Wrong(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  const Graph& Submodule(size_t i) const { return *graph_.submodules[flow_.submodules[i]]; }

  BoundSubmodule BindOne(size_t i) {
    BoundSubmodule bound;
    bound.submodule = flow_.submodules[i];
    const Graph& inner = Submodule(i);
    // What is carried follows from the body, which for `while` is the second submodule.
    const TensorList outputs = ReturnedTensors(Submodule(flow_.submodules.size() - 1));
    SetCounts(outputs.size());
    if (problem_.empty()) BindInputs(inner, &bound);
    if (!problem_.empty()) return bound;
    if (kind_ == Target::kCond) {
      BindBranchOutputs(inner, &bound);
    } else if (i + 1 == flow_.submodules.size()) {
      CheckBodyOutputs(inner, outputs);
    }
    return bound;
  }

  void SetCounts(size_t outputs) {
    const auto given = [](int32_t value, size_t otherwise) {
      return value == ControlFlow::kUnset ? otherwise : static_cast<size_t>(value);
    };
    carried_ = 0;
    mapped_ = 0;
    if (kind_ == Target::kCond) return;
    carried_ = given(flow_.carried, kind_ == Target::kMap ? 0 : outputs);
    if (kind_ == Target::kMap && carried_ != 0) Wrong("a map carries nothing");
    if (carried_ > operands_.size()) {
      Wrong(Message({"it carries ", Count(carried_, "value"), " but has ",
                     Count(operands_.size(), "operand")}));
    }
    if (!problem_.empty() || kind_ == Target::kWhile) return;
    mapped_ = given(flow_.mapped, kind_ == Target::kMap ? 1 : operands_.size() - carried_);
    if (carried_ + mapped_ > operands_.size()) {
      Wrong(Message(
          {"it slices ", Count(mapped_, "operand"), " but has ", operands_.size() - carried_}));
    }
  }

  void BindInputs(const Graph& inner, BoundSubmodule* bound) {
    const TensorList placeholders = FreePlaceholders(inner);
    if (placeholders.size() != operands_.size()) {
      Wrong(Message({"it passes ", Count(operands_.size(), "tensor"), " to a submodule that takes ",
                     placeholders.size()}));
      return;
    }
    for (size_t i = 0; i < placeholders.size(); ++i) {
      const TensorIndex ph = placeholders[i];
      if (i < carried_) {
        const TensorIndex result = i < results_.size() ? results_[i] : kNoTensor;
        CheckBytes("operand", i, graph_, operands_[i], inner, ph);
        if (result != kNoTensor) CheckBytes("result", i, graph_, result, inner, ph);
        bound->inputs.push_back({Bound::kCarried, ph, result});
      } else if (i < carried_ + mapped_) {
        CheckStack("operand", i, operands_[i], inner, ph);
        bound->inputs.push_back({Bound::kSliced, ph, kNoTensor});
      } else {
        CheckBytes("operand", i, graph_, operands_[i], inner, ph);
        bound->inputs.push_back({Bound::kReference, ph, operands_[i]});
      }
    }
  }

  void BindBranchOutputs(const Graph& inner, BoundSubmodule* bound) {
    const TensorList outputs = ReturnedTensors(inner);
    if (outputs.size() != results_.size()) {
      Wrong(Message(
          {"it has ", Count(results_.size(), "result"), " but a branch returns ", outputs.size()}));
      return;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      CheckBytes("result", i, graph_, results_[i], inner, outputs[i]);
      bound->outputs.push_back({results_[i], outputs[i]});
    }
  }

  void CheckBodyOutputs(const Graph& body, const TensorList& outputs) {
    if (carried_ > outputs.size()) {
      Wrong(Message(
          {"it carries ", Count(carried_, "value"), " but its body returns ", outputs.size()}));
      return;
    }
    const bool stacks = outputs.size() > carried_;
    if (stacks ? results_.size() != outputs.size() : results_.size() > carried_) {
      Wrong(Message(
          {"it has ", Count(results_.size(), "result"), " but its body returns ", outputs.size()}));
      return;
    }
    const TensorList placeholders = FreePlaceholders(body);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i < carried_) {
        CheckBytes("carried value", i, body, placeholders[i], body, outputs[i]);
      } else {
        CheckStack("result", i, results_[i], body, outputs[i]);
      }
    }
  }

  void CheckBytes(const char* what, size_t i, const Graph& a_graph, TensorIndex a,
                  const Graph& b_graph, TensorIndex b) {
    if (IsUnbound(a_graph, a) || IsUnbound(b_graph, b)) return;
    const Bytes a_bytes = a_graph.tensors.nbytes[a];
    const Bytes b_bytes = b_graph.tensors.nbytes[b];
    if (a_bytes == b_bytes) return;
    Wrong(Message(
        {what, " ", i, " has ", a_bytes, " bytes, its counterpart in the submodule ", b_bytes}));
  }

  // The outer tensor is a stack of inner ones, one for each turn.
  void CheckStack(const char* what, size_t i, TensorIndex outer, const Graph& inner_graph,
                  TensorIndex inner) {
    if (IsUnbound(graph_, outer) || IsUnbound(inner_graph, inner)) return;
    const Bytes whole = graph_.tensors.nbytes[outer];
    const Bytes part = inner_graph.tensors.nbytes[inner];
    if (part == 0 ? whole != 0 : whole % part != 0) {
      Wrong(Message({what, " ", i, " has ", whole, " bytes, no multiple of the ", part,
                     " of its part in the submodule"}));
      return;
    }
    const bool is_exact = graph_.tensors.dynamism[outer] == Dynamism::kStatic &&
                          inner_graph.tensors.dynamism[inner] == Dynamism::kStatic;
    if (part == 0 || !is_exact) return;
    if (turns_ < 0) turns_ = whole / part;
    if (whole / part == turns_) return;
    Wrong(Message(
        {what, " ", i, " has room for ", whole / part, " turns, what is before it for ", turns_}));
  }

  const Graph& graph_;
  const ControlFlow& flow_;
  const Target kind_;
  const TensorList operands_;
  const TensorList results_;
  size_t carried_ = 0;
  size_t mapped_ = 0;
  Bytes turns_ = -1;  // by the first stack; -1 before there is one
  std::string problem_;
};

}  // namespace

Result<std::vector<BoundSubmodule>> BindSubmodules(const Graph& graph, const Names& names,
                                                   const ControlFlow& flow,
                                                   const std::string& path) {
  Binder binder(graph, flow);
  std::vector<BoundSubmodule> bound = binder.Bind();
  if (binder.problem().empty()) return bound;
  return Fail(ErrorCode::kBadSubmodule,
              Message({"\"", names[graph.nodes.name[flow.node]],
                       "\" does not match its submodules: ", binder.problem()}),
              Message({path, "nodes[", flow.node, "]"}));
}

}  // namespace memplan
