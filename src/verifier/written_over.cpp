#include "verifier/written_over.h"

#include <algorithm>
#include <string>

#include "inplace.h"

namespace memplan::verifier {
namespace {

// One operator that may write `result` over `input`, both storages.
class Overwrite {
 public:
  Overwrite(const PlacedGraph& graph, const LiveItem& input, const LiveItem& result,
            const Setting& setting)
      : graph_(graph),
        reading_(*graph.reading),
        nodes_(graph.reading->graph->nodes),
        tensors_(graph.reading->graph->tensors),
        input_(input),
        result_(result),
        setting_(setting) {}

  bool IsRight() {
    const NodeIndex node = reading_.written[result_.owner];
    if (node == kNoNode || input_.last > node) return false;
    if (input_.last < node) return true;
    if (nodes_.op[node] != Op::kCallFunction || nodes_.kind[node] != Target::kOperator)
      return false;
    if (!FindResult(node)) return false;
    FindReads(node);
    const std::string_view name = setting_.names.TextOf(nodes_.target[node]);
    // The option's list counts, where it names any.
    const std::vector<std::string>& allowed = setting_.options.inplace_operators;
    const bool is_named = IsNamedIn(allowed, name);
    if (IsConcat(name)) return (allowed.empty() || is_named) && IsConcatOf();
    return (allowed.empty() ? IsElementwise(name) : is_named) && IsElementwiseOver();
  }

 private:
  bool FindResult(NodeIndex node) {
    for (const TensorIndex t : nodes_.specs_of(node)) {
      if (t == kNoTensor) continue;
      if (made_ != kNoTensor) return false;
      made_ = t;
    }
    return made_ != kNoTensor && nodes_.target[node] != kNoName &&
           reading_.storage[made_] == result_.owner;
  }

  // All that the node reads, without the result that an out variant names too.
  void FindReads(NodeIndex node) {
    for (const NodeIndex arg : nodes_.args_of(node)) {
      if (nodes_.op[arg] == Op::kGetAttr) continue;
      for (const TensorIndex t : reading_.graph->YieldedBy(arg)) {
        if (t != kNoTensor && reading_.storage[t] != result_.owner) reads_.push_back(t);
      }
    }
  }

  // Of a tensor of the input; where that is a cond's result, in the place in question.
  Bytes AddressOf(TensorIndex t) const { return input_.from + reading_.offset_of(t); }

  bool IsElementwiseOver() const {
    bool is_read = false;
    for (const TensorIndex t : reads_) {
      if (reading_.storage[t] != input_.owner) continue;
      is_read = true;
      if (tensors_.nbytes[t] != tensors_.nbytes[made_]) return false;
      if (AddressOf(t) != graph_.address(made_)) return false;
    }
    return is_read;
  }

  // The inputs lie one after the other in the result if they are joined along the outermost
  // dimension that is not 1.
  bool IsConcatOf() const {
    const std::span<const Bytes> whole = tensors_.shape_of(made_);
    size_t axis = 0;
    while (axis < whole.size() && whole[axis] == 1) ++axis;
    Bytes before = 0;
    bool is_part = false;
    for (const TensorIndex t : reads_) {
      const std::span<const Bytes> part = tensors_.shape_of(t);
      if (part.size() != whole.size() || axis == whole.size()) return false;
      for (size_t d = 0; d < part.size(); ++d) {
        if (d != axis && part[d] != whole[d]) return false;
      }
      // The whole storage is the part that it becomes; read again elsewhere it is copied from
      // there.
      is_part |= reading_.storage[t] == input_.owner &&
                 tensors_.nbytes[t] == reading_.size[input_.owner] &&
                 AddressOf(t) == graph_.address(made_) + before;
      before += tensors_.nbytes[t];
    }
    return is_part && before == tensors_.nbytes[made_];
  }

  const PlacedGraph& graph_;
  const GraphReading& reading_;
  const Nodes& nodes_;
  const Tensors& tensors_;
  const LiveItem& input_;
  const LiveItem& result_;
  const Setting& setting_;
  TensorIndex made_ = kNoTensor;
  std::vector<TensorIndex> reads_;
};

}  // namespace

bool IsWrittenOver(const PlacedGraph& graph, const LiveItem& a, const LiveItem& b,
                   const Setting& setting) {
  if (a.owner < 0 || b.owner < 0) return false;
  return Overwrite(graph, a, b, setting).IsRight() || Overwrite(graph, b, a, setting).IsRight();
}

}  // namespace memplan::verifier
