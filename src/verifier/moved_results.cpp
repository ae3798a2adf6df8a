#include "verifier/moved_results.h"

#include <algorithm>
#include <utility>

#include "row_sort.h"

namespace memplan::verifier {
namespace {

// What a branch's output can turn out to be.
struct Ends {
  std::vector<Bytes> addresses;  // of the output tensor, in the result's pool
  struct Bound {
    TensorIndex storage;  // of the branch, bound to a tensor of the caller
    Bytes offset;         // of the output tensor in it
  };
  std::vector<Bound> bound;
};

// The storages met so far: a list while they are few.
class Seen {
 public:
  explicit Seen(size_t count) : count_(count) {}
  // False where it was met before.
  bool Add(TensorIndex storage) {
    if (!all_.empty()) return std::exchange(all_[storage], uint8_t{1}) == 0;
    if (std::find(few_.begin(), few_.end(), storage) != few_.end()) return false;
    few_.push_back(storage);
    if (few_.size() == kFew) {
      all_.resize(count_);
      for (const TensorIndex s : few_) all_[s] = 1;
    }
    return true;
  }

 private:
  static constexpr size_t kFew = 32;
  size_t count_;
  std::vector<TensorIndex> few_;
  std::vector<uint8_t> all_;
};

// Follows `output` of `branch` through the conds inside the branch.
Ends FollowOutput(const PlacedGraph& branch, TensorIndex output, MemId pool) {
  Ends ends;
  struct Step {
    TensorIndex storage;
    Bytes offset;  // of the output tensor in it
  };
  std::vector<Step> open{{branch.reading->storage[output], branch.reading->offset_of(output)}};
  Seen seen(branch.pool.size());
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (!seen.Add(step.storage)) continue;
    const uint8_t flags = branch.reading->flags[step.storage];
    if ((flags & (kConstant | kUnbound)) != 0) continue;  // copied
    if ((flags & kByReference) != 0) {
      ends.bound.push_back({step.storage, step.offset});
    } else if (branch.pool[step.storage] != pool) {
      continue;  // copied, and what it was moved from lies in its pool
    } else {
      ends.addresses.push_back(branch.start[step.storage] + step.offset);
    }
    const auto resting = branch.items.begin() + static_cast<ptrdiff_t>(branch.first_resting);
    auto item = std::lower_bound(
        resting, branch.items.end(), step.storage,
        [](const LiveItem& row, TensorIndex storage) { return row.owner < storage; });
    for (; item != branch.items.end() && item->owner == step.storage; ++item) {
      if (item->pool == pool) ends.addresses.push_back(item->from + step.offset);
    }
    const auto first = std::lower_bound(
        branch.handed.begin(), branch.handed.end(), step.storage,
        [](const HandedThrough& row, TensorIndex storage) { return row.result < storage; });
    for (auto at = first; at != branch.handed.end() && at->result == step.storage; ++at) {
      open.push_back({at->source, step.offset + at->shift});
    }
  }
  return ends;
}

class Follower {
 public:
  Follower(PlacedGraph* graph, std::vector<RestingPlace>* resting)
      : graph_(*graph), reading_(*graph->reading), resting_(*resting) {}

  void Run() {
    for (size_t f = 0; f < reading_.flows.size(); ++f) {
      const Flow& flow = reading_.flows[f];
      if (flow.kind != Target::kCond) continue;
      for (const Call& call : flow.calls) {
        for (size_t i = 0; i < flow.results.size(); ++i) {
          Follow(static_cast<int32_t>(f), flow.results[i], call, i);
        }
      }
    }
    SortRows(&graph_.handed, [](const HandedThrough& a, const HandedThrough& b) {
      return a.result != b.result ? a.result < b.result : a.source < b.source;
    });
    Lengthen();
    DropDoubles();
  }

 private:
  void Follow(int32_t flow, TensorIndex result, const Call& call, size_t i) {
    const TensorIndex storage = reading_.storage[result];
    const MemId pool = graph_.pool[storage];
    if (pool == kNoPool || reading_.size[storage] == 0 ||
        (reading_.flags[storage] & (kConstant | kUnbound)) != 0 ||
        reading_.IsPart(result, reading_.flows[flow].node)) {
      return;
    }
    const PlacedGraph& branch = *graph_.submodules[call.submodule];
    const Ends ends = FollowOutput(branch, branch.reading->outputs[i], pool);
    const Bytes in_storage = reading_.offset_of(result);
    for (const Bytes address : ends.addresses) {
      if (address - in_storage != graph_.start[storage]) {
        resting_.push_back({flow, storage, address - in_storage});
      }
    }
    for (const Ends::Bound& bound : ends.bound) {
      const auto* binding = call.Binding(bound.storage, branch.reading->storage);
      if (binding == nullptr || binding->second == kNoTensor) continue;
      const auto& [placeholder, operand] = *binding;
      const TensorIndex source = reading_.storage[operand];
      const bool copied = (graph_.pool[source] != kNoPool && graph_.pool[source] != pool) ||
                          (reading_.flags[source] & kConstant) != 0;
      if (source == storage || copied) continue;
      graph_.handed.push_back({storage, source,
                               reading_.offset_of(operand) + bound.offset -
                                   branch.reading->offset_of(placeholder) - in_storage});
    }
  }

  // A source lives as long as any result that it may be, at any remove: the results that live
  // longest go first, so each storage is settled when first reached.
  void Lengthen() {
    const std::vector<HandedThrough>& handed = graph_.handed;
    struct Step {
      NodeIndex last;
      uint32_t row;
    };
    std::vector<Step> order;
    for (const HandedThrough& row : handed) {
      order.push_back({graph_.life[row.result].last, static_cast<uint32_t>(order.size())});
    }
    SortRows(&order, [](const Step& a, const Step& b) {
      return a.last != b.last ? a.last > b.last : a.row < b.row;
    });
    std::vector<uint8_t> done(handed.size());
    for (const Step& step : order) {
      std::vector<TensorIndex> open{handed[step.row].result};
      while (!open.empty()) {
        const TensorIndex result = open.back();
        open.pop_back();
        auto at = std::lower_bound(
            handed.begin(), handed.end(), result,
            [](const HandedThrough& row, TensorIndex storage) { return row.result < storage; });
        if (at == handed.end() || at->result != result || done[at - handed.begin()] != 0) continue;
        done[at - handed.begin()] = 1;
        for (; at != handed.end() && at->result == result; ++at) {
          graph_.life[at->source].Extend(graph_.life[result].last);
          open.push_back(at->source);
        }
      }
    }
  }

  // Both branches, or outputs that are one tensor, can leave a result in the same place.
  void DropDoubles() {
    SortRows(&resting_, [](const RestingPlace& a, const RestingPlace& b) {
      if (a.result != b.result) return a.result < b.result;
      return a.start != b.start ? a.start < b.start : a.flow < b.flow;
    });
    size_t kept = 0;
    for (const RestingPlace& place : resting_) {
      const bool same = kept > 0 && resting_[kept - 1].result == place.result &&
                        resting_[kept - 1].start == place.start &&
                        resting_[kept - 1].flow == place.flow;
      if (!same) resting_[kept++] = place;
    }
    resting_.resize(kept);
  }

  PlacedGraph& graph_;
  const GraphReading& reading_;
  std::vector<RestingPlace>& resting_;
};

}  // namespace

void FollowMovedResults(PlacedGraph* graph, std::vector<RestingPlace>* resting) {
  Follower(graph, resting).Run();
}

}  // namespace memplan::verifier
