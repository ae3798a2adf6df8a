#include "inplace.h"

#include <algorithm>
#include <set>
#include <utility>

#include "message.h"
#include "selection.h"

namespace memplan {
namespace {

// Names as BareName gives them, sorted.
constexpr std::string_view kElementwise[] = {"abs",
                                             "acos",
                                             "acosh",
                                             "add",
                                             "addv2",
                                             "asin",
                                             "asinh",
                                             "atan",
                                             "atan2",
                                             "atanh",
                                             "bitwiseand",
                                             "bitwisenot",
                                             "bitwiseor",
                                             "bitwisexor",
                                             "ceil",
                                             "celu",
                                             "clamp",
                                             "clip",
                                             "cos",
                                             "cosh",
                                             "div",
                                             "elu",
                                             "erf",
                                             "exp",
                                             "expm1",
                                             "floor",
                                             "floordiv",
                                             "floormod",
                                             "fmod",
                                             "gelu",
                                             "hardsigmoid",
                                             "hardswish",
                                             "hardtanh",
                                             "identity",
                                             "leakyrelu",
                                             "log",
                                             "log1p",
                                             "logicaland",
                                             "logicalnot",
                                             "logicalor",
                                             "logicalxor",
                                             "logistic",
                                             "logsigmoid",
                                             "max",
                                             "maximum",
                                             "min",
                                             "minimum",
                                             "mish",
                                             "mod",
                                             "mul",
                                             "neg",
                                             "not",
                                             "pow",
                                             "prelu",
                                             "reciprocal",
                                             "relu",
                                             "relu6",
                                             "relun1to1",
                                             "remainder",
                                             "round",
                                             "rsqrt",
                                             "rsub",
                                             "selu",
                                             "sigmoid",
                                             "sign",
                                             "silu",
                                             "sin",
                                             "sinh",
                                             "softplus",
                                             "softsign",
                                             "sqrt",
                                             "square",
                                             "squareddifference",
                                             "sub",
                                             "swish",
                                             "tan",
                                             "tanh",
                                             "thresholdedrelu",
                                             "trunc"};
constexpr std::string_view kConcats[] = {"cat", "concat", "concatenate", "concatenation",
                                         "concatv2"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "aten::leaky_relu.out", "aten.leaky_relu.default", "tflite::LEAKY_RELU" and "onnx::LeakyRelu" are
// "leakyrelu": no namespace, no overload, lower case, no underscores.
std::string BareName(std::string_view target) {
  const size_t colons = target.rfind("::");
  if (colons != std::string_view::npos) {
    target.remove_prefix(colons + 2);
  } else if (target.starts_with("aten.")) {
    target.remove_prefix(5);
  }
  target = target.substr(0, target.find('.'));
  std::string bare;
  for (const char c : target) {
    if (c == '_') continue;
    bare += IsLetter(c) ? static_cast<char>(c | 0x20) : c;
  }
  return bare;
}

// One node's way to the choice, in one graph.
class Chooser {
 public:
  // `runs` are those of graph g.
  Chooser(const Program& program, const Nest& nest, const std::vector<const Run*>& runs, size_t g,
          const Options& options, InplaceChoice* choice)
      : program_(program),
        graph_(nest.graphs[g]),
        runs_(runs),
        options_(options),
        choice_(*choice),
        g_(g) {
    for (const std::string& name : options.inplace_operators) allowed_.insert(BareName(name));
    taken_.assign(graph_.home.size(), 0);
  }

  void Choose() {
    const Nodes& nodes = graph_.graph->nodes;
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      if (nodes.op[n] != Op::kCallFunction || nodes.kind[n] != Target::kOperator) continue;
      if (nodes.variant[n] == Variant::kInplace || nodes.target[n] == kNoName) continue;
      const std::string bare = BareName(program_.names[nodes.target[n]]);
      if (allowed_.empty() ? IsElementwise(bare) : allowed_.contains(bare) && !IsConcat(bare)) {
        ChooseElementwise(n);
      } else if (IsConcat(bare) && (allowed_.empty() || allowed_.contains(bare))) {
        ChooseConcat(n);
      }
    }
  }

 private:
  const Tensors& tensors() const { return graph_.graph->tensors; }
  StorageIndex StorageOf(TensorIndex t) const { return graph_.storages.of[t]; }

  // The one tensor that the node yields; kNoTensor where there are none or several.
  TensorIndex ResultOf(NodeIndex n) const {
    TensorIndex result = kNoTensor;
    for (const TensorIndex t : graph_.graph->nodes.specs_of(n)) {
      if (t == kNoTensor) continue;
      if (result != kNoTensor) return kNoTensor;
      result = t;
    }
    return result;
  }

  // The tensors that a node reads, without its own result (an out variant names that too).
  std::vector<TensorIndex> InputsOf(NodeIndex n, TensorIndex result) const {
    std::vector<TensorIndex> inputs;
    for (const NodeIndex arg : graph_.graph->nodes.args_of(n)) {
      if (graph_.graph->nodes.op[arg] == Op::kGetAttr) continue;
      for (const TensorIndex t : graph_.graph->YieldedBy(arg)) {
        if (t != kNoTensor && StorageOf(t) != StorageOf(result)) inputs.push_back(t);
      }
    }
    return inputs;
  }

  // Why the storage cannot take part as the bytes of something new, empty where it can.
  std::string WhyNotPlanned(StorageIndex s) const {
    const uint8_t roles = graph_.lifetimes.roles[s];
    if ((roles & kRoleConst) != 0) return "is a constant";
    if ((roles & kRoleUnbound) != 0) return "has no bound on its size";
    if ((roles & kRoleState) != 0) return "is a mutable buffer";
    if (graph_.home[s] == Home::kCaller) return "is the caller's tensor";
    if (graph_.parent < 0 && IsCallerOwned(roles, options_)) return "is the caller's memory";
    return {};
  }

  std::string WhyNotResult(NodeIndex n, TensorIndex result) const {
    const StorageIndex s = StorageOf(result);
    std::string why = WhyNotPlanned(s);
    if (!why.empty()) return Message({"the result ", why});
    if (graph_.lifetimes.written[s] < n) return "the result's bytes hold other data before";
    if (graph_.storages.size[s] != tensors().nbytes[result]) {
      return "the result is part of a larger storage";
    }
    return {};
  }

  // Why `input` cannot give up its bytes at node n.
  std::string WhyNotInput(NodeIndex n, TensorIndex input, StorageIndex result) const {
    const StorageIndex s = StorageOf(input);
    const std::string id(program_.names[tensors().id[input]]);
    std::string why = WhyNotPlanned(s);
    if (!why.empty()) return Message({"\"", id, "\" ", why});
    if (taken_[s] != 0) return Message({"\"", id, "\" is taken over already"});
    // A loop copies its outputs into the carried values at the end of a turn, so they may not lie
    // in each other.
    if (graph_.parent >= 0 && (graph_.lifetimes.roles[s] & kRoleInput) != 0) {
      return Message({"\"", id, "\" is the submodule's input"});
    }
    if (graph_.lifetimes.of[s].last > n) {
      const bool returned = (graph_.lifetimes.roles[s] & kRoleOutput) != 0;
      return Message({"\"", id, "\" ", (returned ? "is returned" : "is read later")});
    }
    for (const Run* run : runs_) {
      if (run->spans[s].to > run->begin + graph_.start_of(n + 1)) {
        return Message({"\"", id, "\" may be the result of a cond that is read later"});
      }
    }
    if (!graph_.takes_over.empty() && graph_.takes_over[s] != 0) {
      return Message({"\"", id, "\" may be bytes that a branch hands over"});
    }
    if (graph_.storages.size[s] != tensors().nbytes[input]) {
      return Message({"\"", id, "\" is part of a larger storage"});
    }
    const MemId own = graph_.pool_of(s);
    const MemId its = graph_.pool_of(result);
    if (own != its) return Message({"\"", id, "\" is in another pool"});
    return {};
  }

  void Refuse(TensorIndex tensor, TensorIndex base, std::string why) {
    choice_.rows.push_back({graph_.graph, tensor, base, 0, std::move(why)});
  }

  void ChooseElementwise(NodeIndex n) {
    const TensorIndex result = ResultOf(n);
    if (result == kNoTensor) return;
    const std::vector<TensorIndex> inputs = InputsOf(n, result);
    if (inputs.empty()) return;
    std::string why = WhyNotResult(n, result);
    if (!why.empty()) return Refuse(result, inputs[0], std::move(why));
    TensorIndex first = kNoTensor;
    for (const TensorIndex input : inputs) {
      if (tensors().nbytes[input] != tensors().nbytes[result]) continue;
      std::string not_this = WhyNotInput(n, input, StorageOf(result));
      if (not_this.empty() && ReadInPieces(inputs, input)) {
        not_this = "it is read in another shape too";
      }
      if (not_this.empty()) {
        Take(result, input, &choice_.elementwise[g_], StorageOf(input));
        return;
      }
      if (first == kNoTensor) {
        first = input;
        why = std::move(not_this);
      }
    }
    if (first == kNoTensor) {
      first = inputs[0];
      why = "no input has the result's size";
    }
    Refuse(result, first, std::move(why));
  }

  // True where the node reads the storage of `input` otherwise than as a whole.
  bool ReadInPieces(const std::vector<TensorIndex>& inputs, TensorIndex input) const {
    return std::any_of(inputs.begin(), inputs.end(), [&](TensorIndex other) {
      return StorageOf(other) == StorageOf(input) &&
             tensors().nbytes[other] != tensors().nbytes[input];
    });
  }

  void Take(TensorIndex inner, TensorIndex outer, std::vector<Placed>* placed, StorageIndex used,
            Bytes offset = 0) {
    placed->push_back({inner, outer, offset});
    taken_[used] = 1;
    choice_.rows.push_back({graph_.graph, inner, outer, tensors().nbytes[inner], {}});
  }

  // The bytes of the result that come before each input, where the inputs lie one after the other
  // in it: the concatenated dimension is the outermost one that is not 1. Empty where they do not.
  std::vector<Bytes> ConcatOffsets(const std::vector<TensorIndex>& inputs,
                                   TensorIndex result) const {
    const std::span<const Bytes> whole = tensors().shape_of(result);
    size_t axis = 0;
    while (axis < whole.size() && whole[axis] == 1) ++axis;
    if (axis == whole.size()) return {};
    std::vector<Bytes> offsets;
    Bytes rows = 0;
    Bytes bytes = 0;
    for (const TensorIndex input : inputs) {
      const std::span<const Bytes> part = tensors().shape_of(input);
      if (part.size() != whole.size()) return {};
      for (size_t d = 0; d < part.size(); ++d) {
        if (d != axis && part[d] != whole[d]) return {};
      }
      rows += part[axis];
      offsets.push_back(bytes);
      bytes += tensors().nbytes[input];
    }
    const bool covers = rows == whole[axis] && bytes == tensors().nbytes[result];
    return covers ? offsets : std::vector<Bytes>();
  }

  void ChooseConcat(NodeIndex n) {
    const TensorIndex result = ResultOf(n);
    if (result == kNoTensor) return;
    const std::vector<TensorIndex> inputs = InputsOf(n, result);
    if (inputs.empty()) return;
    std::string why = WhyNotResult(n, result);
    const std::vector<Bytes> offsets = ConcatOffsets(inputs, result);
    if (why.empty() && offsets.empty()) {
      why = "the inputs do not lie one after the other in the result";
    }
    std::vector<Placed> placed;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string not_this = why;
      if (not_this.empty()) not_this = WhyNotInput(n, inputs[i], StorageOf(result));
      if (not_this.empty() && offsets[i] % AlignmentAt(result) != 0) {
        not_this = "it would not be aligned";
      }
      if (not_this.empty() && std::count(inputs.begin(), inputs.end(), inputs[i]) > 1) {
        not_this = "it is there twice";
      }
      if (!not_this.empty()) {
        Refuse(inputs[i], result, std::move(not_this));
        continue;
      }
      Take(inputs[i], result, &placed, StorageOf(inputs[i]), offsets[i]);
    }
    if (!placed.empty()) choice_.concats[g_].push_back(std::move(placed));
  }

  // Where no pool is chosen yet, that of the strictest it may come to lie in.
  Bytes AlignmentAt(TensorIndex t) const {
    const MemId pool = graph_.pool_of(StorageOf(t));
    if (pool != kNoPool) return AlignmentOf(program_, options_, pool);
    Bytes strictest = AlignmentOf(program_, options_, 1);
    for (const Pool& other : program_.pools()) {
      strictest = std::max(strictest, AlignmentOf(program_, options_, other.mem_id));
    }
    return strictest;
  }

  const Program& program_;
  const GraphNest& graph_;
  const std::vector<const Run*>& runs_;
  const Options& options_;
  InplaceChoice& choice_;
  const size_t g_;
  std::set<std::string, std::less<>> allowed_;  // empty: the built-in lists
  std::vector<uint8_t> taken_;                  // by storage: its bytes are given up already
};

}  // namespace

bool IsElementwise(std::string_view target) {
  return std::binary_search(std::begin(kElementwise), std::end(kElementwise),
                            std::string_view(BareName(target)));
}

bool IsConcat(std::string_view target) {
  const std::string bare = BareName(target);
  return std::find(std::begin(kConcats), std::end(kConcats), bare) != std::end(kConcats);
}

bool IsNamedIn(const std::vector<std::string>& names, std::string_view target) {
  const std::string bare = BareName(target);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return BareName(name) == bare; });
}

InplaceChoice ChooseInplace(const Program& program, const Nest& nest, const Options& options) {
  InplaceChoice choice;
  choice.elementwise.resize(nest.graphs.size());
  choice.concats.resize(nest.graphs.size());
  std::vector<std::vector<const Run*>> runs_of(nest.graphs.size());
  for (const Run& run : nest.runs) runs_of[run.graph].push_back(&run);
  for (size_t g = 0; g < nest.graphs.size(); ++g) {
    if (nest.graphs[g].is_called) Chooser(program, nest, runs_of[g], g, options, &choice).Choose();
  }
  return choice;
}

}  // namespace memplan
