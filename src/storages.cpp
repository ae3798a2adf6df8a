#include "storages.h"

#include <algorithm>
#include <numeric>

#include "message.h"

namespace memplan {
namespace {

// Union-find whose sets remember how many bytes each member lies after its root. A set's root is
// the member that no other one contains.
class Sets {
 public:
  explicit Sets(TensorIndex count) : count_(count) {}

  // False as long as every tensor is a set of its own.
  bool has_pairs() const { return !parent_.empty(); }

  // The root of t; afterwards t hangs right below it.
  TensorIndex Root(TensorIndex t) {
    TensorIndex root = t;
    Bytes offset = 0;
    while (parent_[root] != kNoTensor) {
      offset = Sum(offset, offset_[root]);
      root = parent_[root];
    }
    while (t != root && parent_[t] != root) {
      const TensorIndex next = parent_[t];
      const Bytes below = offset_[t];
      parent_[t] = root;
      offset_[t] = offset;
      offset = Sum(offset, -below);
      t = next;
    }
    return root;
  }
  // Bytes after the root; call Root first.
  Bytes Offset(TensorIndex t) const { return offset_[t]; }

  // False where the two are in one set already and not that far apart.
  bool Join(const Placed& placed) {
    if (parent_.empty()) {
      parent_.resize(static_cast<size_t>(count_), kNoTensor);
      offset_.resize(parent_.size(), 0);
    }
    const TensorIndex inner = Root(placed.inner);
    const TensorIndex outer = Root(placed.outer);
    const Bytes apart = Sum(Sum(Offset(placed.outer), placed.offset), -Offset(placed.inner));
    if (inner == outer) return apart == 0;
    parent_[inner] = outer;
    offset_[inner] = apart;
    return true;
  }
  // True once some sum left the range of sizes; offsets mean nothing then.
  bool too_large() const { return too_large_; }

 private:
  // Long chains of slices could overflow; what is out of range is zero and remembered.
  Bytes Sum(Bytes a, Bytes b) {
    const Bytes sum = a + b;
    if (sum >= -kMaxBytes && sum <= kMaxBytes) return sum;
    too_large_ = true;
    return 0;
  }

  const TensorIndex count_;
  std::vector<TensorIndex> parent_;  // kNoTensor of a root; empty before the first pair
  std::vector<Bytes> offset_;
  bool too_large_ = false;
};

std::string TensorPath(const std::string& path, TensorIndex t, const char* key) {
  return Message({path, "tensors[", t, "].", key});
}

// Follows `inplace_base` and `storage_base`; a tensor met again on its own way is an error.
Status CheckCircles(const Graph& graph, const std::string& path) {
  enum : uint8_t { kNew, kOpen, kDone };
  const Tensors& tensors = graph.tensors;
  if (tensors.inplace_base.empty() && tensors.storage_base.empty()) return {};
  std::vector<uint8_t> state(tensors.id.size(), kNew);
  std::vector<TensorIndex> way;
  for (TensorIndex start = 0; start < tensors.size(); ++start) {
    way.assign(1, start);
    while (!way.empty()) {
      const TensorIndex t = way.back();
      if (state[t] == kOpen || state[t] == kDone) {
        state[t] = kDone;
        way.pop_back();
        continue;
      }
      state[t] = kOpen;
      for (const TensorIndex base : {tensors.inplace_base_of(t), tensors.storage_base_of(t)}) {
        if (base == kNoTensor || state[base] == kDone) continue;
        if (state[base] == kOpen) {
          const bool inplace = base == tensors.inplace_base_of(t);
          return Fail(ErrorCode::kInvalidInput, "the bases of this tensor go in a circle",
                      TensorPath(path, t, inplace ? "inplace_base" : "storage_base"));
        }
        way.push_back(base);
      }
    }
  }
  return {};
}

Status JoinBases(const Graph& graph, const std::string& path, Sets* sets) {
  const Tensors& tensors = graph.tensors;
  for (TensorIndex t = 0; t < tensors.size(); ++t) {
    const TensorIndex inplace = tensors.inplace_base_of(t);
    if (inplace != kNoTensor) sets->Join({t, inplace, 0});
    const TensorIndex base = tensors.storage_base_of(t);
    if (base == kNoTensor) continue;
    if (!sets->Join({t, base, tensors.storage_base_offset_of(t)})) {
      return Fail(ErrorCode::kInvalidInput, "two bases place this tensor at different offsets",
                  TensorPath(path, t, "storage_base_offset"));
    }
  }
  return {};
}

// Pairs by position; what has no partner stays alone.
bool JoinInOrder(std::span<const TensorIndex> inner, std::span<const TensorIndex> outer,
                 Sets* sets) {
  for (size_t i = 0; i < std::min(inner.size(), outer.size()); ++i) {
    if (inner[i] == kNoTensor || outer[i] == kNoTensor || inner[i] == outer[i]) continue;
    if (!sets->Join({inner[i], outer[i], 0})) return false;
  }
  return true;
}

Status JoinNodes(const Graph& graph, const Names& names, const std::string& path, Sets* sets) {
  const Nodes& nodes = graph.nodes;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const bool is_view = nodes.kind[n] == Target::kView;
    const bool is_inplace =
        nodes.variant[n] == Variant::kInplace && nodes.op[n] == Op::kCallFunction;
    if ((!is_view && !is_inplace) || nodes.args_of(n).empty()) continue;
    if (!JoinInOrder(nodes.specs_of(n), graph.YieldedBy(nodes.args_of(n)[0]), sets)) {
      return Fail(ErrorCode::kInvalidInput,
                  Message({"\"", names[nodes.name[n]],
                           "\" would lie at two different offsets of one storage"}),
                  Message({path, "nodes[", n, "].specs"}));
    }
  }
  return {};
}

// Numbers the sets in the order of their first tensor and measures them; offsets count from the
// lowest member.
Result<Storages> Number(const Graph& graph, const std::string& path, Sets* sets) {
  const Tensors& tensors = graph.tensors;
  Storages result;
  result.of.resize(tensors.id.size());
  if (!sets->has_pairs()) {
    std::iota(result.of.begin(), result.of.end(), 0);
    result.base = result.of;
    result.size = tensors.nbytes;
    return result;
  }
  std::vector<StorageIndex> number(tensors.id.size(), kNoStorage);
  std::vector<Bytes> lowest;
  result.base.reserve(tensors.id.size());
  result.size.reserve(tensors.id.size());
  lowest.reserve(tensors.id.size());
  bool has_offsets = false;
  for (TensorIndex t = 0; t < tensors.size(); ++t) {
    const TensorIndex root = sets->Root(t);
    if (number[root] == kNoStorage) {
      number[root] = result.count();
      result.base.push_back(root);
      result.size.push_back(0);
      lowest.push_back(0);
    }
    const StorageIndex s = result.of[t] = number[root];
    lowest[s] = std::min(lowest[s], sets->Offset(t));
    has_offsets |= sets->Offset(t) != 0;
  }
  if (has_offsets) result.offset.resize(tensors.id.size(), 0);
  for (TensorIndex t = 0; t < tensors.size(); ++t) {
    const StorageIndex s = result.of[t];
    const Bytes offset = has_offsets ? sets->Offset(t) - lowest[s] : 0;
    if (has_offsets) result.offset[t] = offset;
    if (sets->too_large() || offset > kMaxBytes || !FitsBytes(offset, tensors.nbytes[t])) {
      return Fail(ErrorCode::kTooLarge, "this tensor's end is past 2^53 - 1 bytes",
                  TensorPath(path, t, "storage_base_offset"));
    }
    result.size[s] = std::max(result.size[s], offset + tensors.nbytes[t]);
  }
  return result;
}

}  // namespace

Result<Storages> FindStorages(const Graph& graph, const Names& names, const std::string& path,
                              const std::vector<Placed>& chosen) {
  if (Status fine = CheckCircles(graph, path); !fine) return tl::unexpected(fine.error());
  Sets sets(graph.tensors.size());
  if (Status fine = JoinBases(graph, path, &sets); !fine) return tl::unexpected(fine.error());
  if (Status fine = JoinNodes(graph, names, path, &sets); !fine) {
    return tl::unexpected(fine.error());
  }
  for (const Placed& placed : chosen) sets.Join(placed);
  return Number(graph, path, &sets);
}

}  // namespace memplan
