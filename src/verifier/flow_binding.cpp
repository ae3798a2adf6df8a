#include "verifier/flow_binding.h"

#include <algorithm>
#include <string>

#include "message.h"
#include "row_sort.h"

namespace memplan::verifier {
namespace {

// One node's binding in the making.
class Binder {
 public:
  Binder(GraphReading* reading, const ControlFlow& control, const std::vector<NodeIndex>& sources,
         const Names& names)
      : reading_(*reading), control_(control), sources_(sources), names_(names) {
    flow_.node = control.node;
    flow_.kind = reading_.graph->nodes.kind[control.node];
  }

  Result<Flow> Bind() {
    Collect();
    const size_t expected = flow_.kind == Target::kCond || flow_.kind == Target::kWhile ? 2 : 1;
    if (control_.submodules.size() != expected) {
      return Bad(Message({"needs ", expected, " submodules, has ", control_.submodules.size()}));
    }
    for (const int32_t place : control_.submodules) flow_.calls.push_back({.submodule = place});
    switch (flow_.kind) {
      case Target::kCond:
        BindCond();
        break;
      case Target::kWhile:
        BindWhile();
        break;
      default:
        BindBody();
        break;
    }
    if (!fault_.empty()) return Bad(fault_);
    for (Call& call : flow_.calls) SortBindings(&call);
    return std::move(flow_);
  }

 private:
  using Row = std::vector<TensorIndex>;

  GraphReading& Inner(size_t call) { return *reading_.submodules[flow_.calls[call].submodule]; }

  // Operands and results, flattened to tensors.
  void Collect() {
    const Nodes& nodes = reading_.graph->nodes;
    bool skip = flow_.kind == Target::kCond;  // the predicate
    for (const NodeIndex arg : nodes.args_of(control_.node)) {
      if (nodes.op[arg] == Op::kGetAttr) continue;
      if (skip) {
        skip = false;
        continue;
      }
      for (const TensorIndex t : nodes.specs_of(sources_[arg])) {
        if (t != kNoTensor) operands_.push_back(t);
      }
    }
    for (const TensorIndex t : nodes.specs_of(control_.node)) {
      if (t != kNoTensor) flow_.results.push_back(t);
    }
  }

  void BindCond() {
    for (size_t call = 0; call < 2; ++call) {
      if (!TakesOperands(call)) return;
      const Row& outputs = Inner(call).outputs;
      if (!Count("outputs", call, outputs.size(), flow_.results.size())) return;
      for (size_t i = 0; i < operands_.size(); ++i) Refer(call, i, operands_[i], operands_[i]);
      for (size_t i = 0; i < outputs.size(); ++i) {
        SameBytes(call, outputs[i], flow_.results[i]);
      }
    }
  }

  void BindWhile() {
    constexpr size_t kCondition = 0, kBody = 1;
    if (!TakesOperands(kCondition) || !TakesOperands(kBody)) return;
    const size_t carried = CarriedCount(Inner(kBody).outputs.size());
    if (!CarriesMatch(kBody, carried)) return;
    for (size_t call = kCondition; call <= kBody; ++call) {
      for (size_t i = 0; i < operands_.size(); ++i) {
        Refer(call, i, operands_[i], i < carried ? CarriedPlace(i) : operands_[i]);
      }
    }
    KeepApart(carried);
  }

  // map and scan: carried operands first (scan), then the sliced ones, the rest by reference.
  void BindBody() {
    if (!TakesOperands(0)) return;
    const bool is_scan = flow_.kind == Target::kScan;
    if (!is_scan && control_.carried > 0) {
      fault_ = "a map carries nothing";
      return;
    }
    const size_t carried = is_scan ? CarriedCount(Inner(0).outputs.size()) : 0;
    if (!CarriesMatch(0, carried)) return;
    const size_t rest = operands_.size() - carried;
    size_t mapped = is_scan ? rest : std::min<size_t>(1, rest);
    if (control_.mapped != ControlFlow::kUnset) mapped = static_cast<size_t>(control_.mapped);
    if (mapped > rest) {
      fault_ = Message({"slices ", mapped, " operands and has ", rest});
      return;
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (i >= carried && i < carried + mapped) {
        GraphReading& body = Inner(0);
        body.flags[body.storage[body.inputs[i]]] |= kOwnInBody;
        Stacked(0, body.inputs[i], operands_[i]);
      } else {
        Refer(0, i, operands_[i], i < carried ? CarriedPlace(i) : operands_[i]);
      }
    }
    KeepApart(carried);
  }

  void KeepApart(size_t carried) {
    const Row &first = Inner(0).inputs, &last = Inner(flow_.calls.size() - 1).inputs;
    for (size_t i = flow_.results.size(); i < carried; ++i) {
      flow_.carried_apart.emplace_back(first[i], last[i]);
    }
  }

  size_t CarriedCount(size_t outputs) const {
    return control_.carried == ControlFlow::kUnset ? outputs
                                                   : static_cast<size_t>(control_.carried);
  }

  // The caller's tensor in which a carried value lives.
  TensorIndex CarriedPlace(size_t i) const {
    return i < flow_.results.size() ? flow_.results[i] : kNoTensor;
  }

  bool TakesOperands(size_t call) {
    return Count("inputs", call, Inner(call).inputs.size(), operands_.size());
  }

  // Carried values go round, the other outputs are stacked into the other results.
  bool CarriesMatch(size_t call, size_t carried) {
    const Row& outputs = Inner(call).outputs;
    if (carried > operands_.size() || carried > outputs.size()) {
      fault_ = Message({"carries ", carried, " values, has ", operands_.size(), " operands and ",
                        Name(call), " has ", outputs.size(), " outputs"});
      return false;
    }
    if (!Count("outputs", call, outputs.size(), std::max(carried, flow_.results.size()))) {
      return false;
    }
    for (size_t i = 0; i < carried; ++i) {
      SameBytes(call, outputs[i], operands_[i]);
      if (i < flow_.results.size()) SameBytes(call, outputs[i], flow_.results[i]);
    }
    for (size_t i = carried; i < outputs.size(); ++i) Stacked(call, outputs[i], flow_.results[i]);
    return fault_.empty();
  }

  // Placeholder `i` of a submodule takes `operand` and is the caller's tensor `outer`.
  void Refer(size_t call, size_t i, TensorIndex operand, TensorIndex outer) {
    GraphReading& inner = Inner(call);
    const TensorIndex placeholder = inner.inputs[i];
    inner.flags[inner.storage[placeholder]] |= kByReference;
    if (outer == kNoTensor) inner.tensor_flags[inner.storage[placeholder]] |= kCarriedApart;
    flow_.calls[call].by_reference.emplace_back(placeholder, outer);
    SameBytes(call, placeholder, operand);
  }

  bool Count(const char* what, size_t call, size_t has, size_t needs) {
    if (has == needs) return true;
    fault_ = Message({Name(call), " has ", has, " ", what, ", the node needs ", needs});
    return false;
  }

  void SameBytes(size_t call, TensorIndex inner_tensor, TensorIndex outer_tensor) {
    const Tensors& inner = Inner(call).graph->tensors;
    const Tensors& outer = reading_.graph->tensors;
    const Bytes has = inner.nbytes[inner_tensor], needs = outer.nbytes[outer_tensor];
    if (has == needs || !fault_.empty() ||
        inner.dynamism[inner_tensor] == Dynamism::kDynamicUnbound ||
        outer.dynamism[outer_tensor] == Dynamism::kDynamicUnbound) {
      return;
    }
    fault_ = Message({"\"", names_[inner.id[inner_tensor]], "\" of ", Name(call), " has ", has,
                      " bytes, \"", names_[outer.id[outer_tensor]], "\" has ", needs});
  }

  // The caller's tensor holds the submodule's once for each turn: as often as its other stacks do.
  void Stacked(size_t call, TensorIndex inner_tensor, TensorIndex outer_tensor) {
    const Tensors& inner = Inner(call).graph->tensors;
    const Tensors& outer = reading_.graph->tensors;
    const Dynamism part = inner.dynamism[inner_tensor], stack = outer.dynamism[outer_tensor];
    const Bytes has = outer.nbytes[outer_tensor], each = inner.nbytes[inner_tensor];
    if (!fault_.empty() || part == Dynamism::kDynamicUnbound ||
        stack == Dynamism::kDynamicUnbound || (has == 0 && each == 0)) {
      return;
    }
    const std::string what =
        Message({"\"", names_[outer.id[outer_tensor]], "\" has ", has, " bytes, \"",
                 names_[inner.id[inner_tensor]], "\" of ", Name(call), " has ", each, " a turn"});
    if (each == 0 || has % each != 0) {
      fault_ = what;
    } else if (part == Dynamism::kStatic && stack == Dynamism::kStatic) {
      if (turns_ < 0) turns_ = has / each;
      if (turns_ != has / each) fault_ = Message({what, ", and others have ", turns_, " turns"});
    }
  }

  void SortBindings(Call* call) {
    const std::vector<TensorIndex>& storage = reading_.submodules[call->submodule]->storage;
    struct Keyed {
      TensorIndex storage;
      int32_t place;
      TensorIndex inner, outer;
    };
    std::vector<Keyed> rows;
    for (const auto& [inner, outer] : call->by_reference) {
      rows.push_back({storage[inner], static_cast<int32_t>(rows.size()), inner, outer});
    }
    SortRows(&rows, [](const Keyed& a, const Keyed& b) {
      return a.storage != b.storage ? a.storage < b.storage : a.place < b.place;
    });
    for (size_t i = 0; i < rows.size(); ++i) {
      call->by_reference[i] = {rows[i].inner, rows[i].outer};
    }
  }

  std::string Name(size_t call) const {
    const int32_t place = flow_.calls[call].submodule;
    return Message({"\"", names_[reading_.graph->submodules[place]->name], "\""});
  }

  tl::unexpected<Error> Bad(const std::string& what) {
    const std::string node(names_[reading_.graph->nodes.name[control_.node]]);
    return Fail(ErrorCode::kBadSubmodule, Message({"\"", node, "\": ", what}),
                Message({"nodes[", control_.node, "]"}));
  }

  GraphReading& reading_;
  const ControlFlow& control_;
  const std::vector<NodeIndex>& sources_;
  const Names& names_;
  Flow flow_;
  Row operands_;
  Bytes turns_ = -1;  // of the first stack
  std::string fault_;
};

}  // namespace

Result<Flow> BindFlow(GraphReading* reading, const ControlFlow& control,
                      const std::vector<NodeIndex>& sources, const Names& names) {
  return Binder(reading, control, sources, names).Bind();
}

}  // namespace memplan::verifier
