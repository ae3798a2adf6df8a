#include "verifier/overlap_checker.h"

#include <algorithm>

#include "row_sort.h"
#include "verifier.h"
#include "verifier/live_set.h"
#include "verifier/sweep.h"
#include "verifier/written_over.h"

namespace memplan::verifier {
namespace {

// Limits for plans that put almost everything on top of each other: pairs looked at in one graph,
// and items looked at to tell which of a submodule's they are.
constexpr int64_t kMaxPairs = 20'000'000;
constexpr int64_t kMaxSearch = 100'000'000;

// An output that a branch makes where the cond's result is planned.
struct MadeInPlace {
  TensorIndex result = kNoTensor;  // storage of the caller
  TensorIndex output = kNoTensor;  // storage of the branch
  Bytes address = 0;               // of the result's tensor
  Bytes output_in = 0;             // of the output's tensor in its storage
  Bytes size = 0;                  // of the result's tensor
};

bool operator<(const MadeInPlace& a, const MadeInPlace& b) {
  return a.result != b.result ? a.result < b.result : a.output < b.output;
}

class Checker {
 public:
  Checker(const PlacedGraph& graph, const Setting& setting)
      : graph_(graph), reading_(*graph.reading), setting_(setting) {}

  Overlaps Check() {
    FindManyCalls();
    const Schedule schedule(graph_.items, reading_.graph->nodes.size());
    DisjointSet disjoint(graph_.items);
    if (!Sweep(graph_.items, schedule, &disjoint, this)) {
      // Some share bytes, rightly or not: again from the start, with the set for that.
      found_ = {};
      next_flow_ = 0;
      OverlappingSet overlapping(graph_.items);
      Sweep(graph_.items, schedule, &overlapping, this);
    }
    for (const int32_t submodule : many_calls_) CheckManyCalls(submodule);
    return std::move(found_);
  }

  // --- called by the sweep ---

  bool Meets(ItemIndex item, ItemIndex live) {
    const LiveItem& a = graph_.items[item];
    const LiveItem& b = graph_.items[live];
    // Of the places where one cond may leave its results, those that are taken together are of one
    // branch and are checked there; those of two branches are never taken together.
    const bool one_cond = a.born_late != 0 && a.born_late == b.born_late;
    const bool is_right = (one_cond && (graph_.is_resting(item) || graph_.is_resting(live))) ||
                          (setting_.options.inplace && IsWrittenOver(graph_, a, b, setting_));
    if (!is_right) Found({item, &graph_, live, a.first});
    return ++pairs_ < kMaxPairs;
  }

  template <typename Set>
  void During(NodeIndex node, const Set& set) {
    if (next_flow_ == reading_.flows.size() || reading_.flows[next_flow_].node != node) return;
    const Flow& flow = reading_.flows[next_flow_++];
    for (size_t c = 0; c < flow.calls.size(); ++c) {
      const int32_t submodule = flow.calls[c].submodule;
      if (c > 0 && submodule == flow.calls[0].submodule) continue;
      if (std::binary_search(many_calls_.begin(), many_calls_.end(), submodule)) continue;
      for (const ByteRange& range : graph_.submodules[submodule]->footprint) {
        set.ForOverlaps(range.pool, range.from, range.to, [&](ItemIndex item) {
          if (!BornAt(flow, graph_.items[item])) MeetsSubmodule(item, range, flow, submodule);
          return true;
        });
      }
    }
  }

  // The branches have ended; what they leave must not lie in a result, except where it is that.
  template <typename Set>
  void After(NodeIndex node, const Set& set) {
    if (next_flow_ == 0) return;
    const size_t flow_index = next_flow_ - 1;
    const Flow& flow = reading_.flows[flow_index];
    if (flow.node != node || flow.kind != Target::kCond) return;
    for (size_t c = 0; c < flow.calls.size(); ++c) {
      if (c > 0 && flow.calls[c].submodule == flow.calls[0].submodule) continue;
      const PlacedGraph& branch = *graph_.submodules[flow.calls[c].submodule];
      const std::vector<MadeInPlace> made = ListMadeInPlace(flow, branch);
      for (const ItemIndex survivor : branch.survivors) {
        const LiveItem& left = branch.items[survivor];
        set.ForOverlaps(left.pool, left.from, left.to, [&](ItemIndex item) {
          const LiveItem& result = graph_.items[item];
          const bool is_result =
              result.born_late == static_cast<int32_t>(flow_index) + 1 && !graph_.is_resting(item);
          if (is_result && !IsMadeInPlace(made, result, left, /*exactly=*/false) &&
              !(branch.is_resting(survivor) && IsMadeBeside(made, result, left, branch))) {
            Found({item, &branch, survivor, flow.node});
          }
          return true;
        });
      }
    }
  }

 private:
  void Found(const Overlap& overlap) {
    if (found_.rows.size() < kMaxFaults) found_.rows.push_back(overlap);
    ++found_.count;
  }

  bool BornAt(const Flow& flow, const LiveItem& item) const {
    return item.born_late != 0 && &reading_.flows[item.born_late - 1] == &flow;
  }

  std::vector<MadeInPlace> ListMadeInPlace(const Flow& flow, const PlacedGraph& branch) const {
    return ListMadeInPlace(graph_, flow, branch);
  }

  static std::vector<MadeInPlace> ListMadeInPlace(const PlacedGraph& caller, const Flow& flow,
                                                  const PlacedGraph& branch) {
    std::vector<MadeInPlace> made;
    const GraphReading& outer = *caller.reading;
    const GraphReading& inner = *branch.reading;
    for (size_t i = 0; i < flow.results.size(); ++i) {
      const TensorIndex result = flow.results[i], output = inner.outputs[i];
      if (!caller.is_placed(result)) continue;
      made.push_back({outer.storage[result], inner.storage[output], caller.address(result),
                      inner.offset_of(output), outer.graph->tensors.nbytes[result]});
    }
    SortRows(&made);
    return made;
  }

  // Whether `left`, an item of the branch, is what the branch makes of `result`. `exactly`: and
  // they share no other bytes than that tensor's.
  static bool IsMadeInPlace(const std::vector<MadeInPlace>& made, const LiveItem& result,
                            const LiveItem& left, bool exactly) {
    const auto [begin, end] =
        std::equal_range(made.begin(), made.end(), MadeInPlace{result.owner, left.owner});
    for (auto at = begin; at != end; ++at) {
      if (at->address != left.from + at->output_in) continue;
      if (!exactly || (std::max(result.from, left.from) >= at->address &&
                       std::min(result.to, left.to) <= at->address + at->size)) {
        return true;
      }
    }
    return false;
  }

  // Whether `left`, where a cond in the branch may leave one of its results, is also where another
  // result of that cond is which the branch makes of `result`. Those two were checked against each
  // other in the branches of that cond.
  static bool IsMadeBeside(const std::vector<MadeInPlace>& made, const LiveItem& result,
                           const LiveItem& left, const PlacedGraph& branch) {
    auto at = std::lower_bound(made.begin(), made.end(), MadeInPlace{result.owner});
    for (; at != made.end() && at->result == result.owner; ++at) {
      const LiveItem* output = branch.OwnItem(at->output);
      if (output != nullptr && output->born_late == left.born_late &&
          output->from + at->output_in == at->address && left.from == output->from) {
        return true;
      }
    }
    return false;
  }

  // --- a live item and a submodule that touches its bytes ---

  bool MeetsSubmodule(ItemIndex item, const ByteRange& range, const Flow& flow, int32_t submodule) {
    const LiveItem& live = graph_.items[item];
    const ByteRange shared{range.pool, std::max(range.from, live.from),
                           std::min(range.to, live.to)};
    const int64_t before = found_.count;
    const PlacedGraph& inner = *graph_.submodules[submodule];
    const bool is_result = IsResultOf(flow, live);
    Search(inner, shared, [&](const PlacedGraph& below, ItemIndex other) {
      if (is_result && Makes(graph_, flow, inner, below, live, below.items[other])) return;
      Found({item, &below, other, flow.node});
    });
    return found_.count > before;
  }

  // A cond's result whose storage holds data before the node: part of a larger one. The branch may
  // make that part in place, if it does not read the storage.
  bool IsResultOf(const Flow& flow, const LiveItem& live) const {
    if (flow.kind != Target::kCond || live.owner < 0) return false;
    for (const Call& call : flow.calls) {
      for (const auto& [placeholder, outer] : call.by_reference) {
        if (outer != kNoTensor && reading_.storage[outer] == live.owner) return false;
      }
    }
    for (const TensorIndex result : flow.results) {
      if (reading_.storage[result] == live.owner) return true;
    }
    return false;
  }

  // Whether item `left` of `below` is made to be `live`, the result of `flow` in `caller`: as an
  // output of the branch, or of a cond in the branch whose result is such an output.
  static bool Makes(const PlacedGraph& caller, const Flow& flow, const PlacedGraph& branch,
                    const PlacedGraph& below, const LiveItem& live, const LiveItem& left) {
    const std::vector<MadeInPlace> made = ListMadeInPlace(caller, flow, branch);
    if (&branch == &below) return IsMadeInPlace(made, live, left, /*exactly=*/true);
    for (const Flow& inner : branch.reading->flows) {
      if (inner.kind != Target::kCond) continue;
      for (const Call& call : inner.calls) {
        const PlacedGraph& next = *branch.submodules[call.submodule];
        if (!IsBelow(next, below)) continue;
        for (const LiveItem& result : branch.items) {
          if (result.first == inner.node && IsMadeInPlace(made, live, result, /*exactly=*/true) &&
              Makes(branch, inner, next, below, result, left)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  static bool IsBelow(const PlacedGraph& top, const PlacedGraph& graph) {
    for (const GraphReading* at = graph.reading; at != nullptr; at = at->caller) {
      if (at == top.reading) return true;
    }
    return false;
  }

  // Calls fn(graph, item) for the items of `graph` and below in these bytes.
  template <typename Fn>
  void Search(const PlacedGraph& graph, const ByteRange& range, const Fn& fn) {
    if (FindOverlap(graph.footprint, range) == nullptr) return;
    searched_ += static_cast<int64_t>(graph.items.size());
    for (size_t i = 0; i < graph.items.size() && searched_ < kMaxSearch; ++i) {
      const LiveItem& item = graph.items[i];
      if (item.pool == range.pool && item.from < range.to && range.from < item.to) {
        fn(graph, static_cast<ItemIndex>(i));
      }
    }
    if (searched_ >= kMaxSearch) ++found_.count;
    for (const auto& submodule : graph.submodules) {
      if (submodule != nullptr) Search(*submodule, range, fn);
    }
  }

  // --- submodules that are large and run often ---

  // Asking at each call takes calls × ranges; these take one question an item instead.
  void FindManyCalls() {
    std::vector<std::pair<int32_t, NodeIndex>> calls;
    for (const Flow& flow : reading_.flows) {
      for (const Call& call : flow.calls) calls.emplace_back(call.submodule, flow.node);
    }
    SortRows(&calls);
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    for (size_t i = 0, next = 0; i < calls.size(); i = next) {
      while (next < calls.size() && calls[next].first == calls[i].first) ++next;
      const PlacedGraph& inner = *graph_.submodules[calls[i].first];
      if ((next - i) * inner.footprint.size() <= 4 * (graph_.items.size() + calls.size())) continue;
      many_calls_.push_back(calls[i].first);
    }
    if (!many_calls_.empty()) calls_ = std::move(calls);
  }

  void CheckManyCalls(int32_t submodule) {
    const Footprint& footprint = graph_.submodules[submodule]->footprint;
    for (size_t i = 0; i < graph_.items.size(); ++i) {
      const LiveItem& item = graph_.items[i];
      const ByteRange bytes{item.pool, item.from, item.to};
      if (FindOverlap(footprint, bytes) == nullptr) continue;
      auto at = std::lower_bound(calls_.begin(), calls_.end(), std::pair(submodule, item.first));
      for (; at != calls_.end() && at->first == submodule && at->second <= item.last; ++at) {
        const auto flow =
            std::lower_bound(reading_.flows.begin(), reading_.flows.end(), at->second,
                             [](const Flow& row, NodeIndex node) { return row.node < node; });
        if (BornAt(*flow, item)) continue;
        if (MeetsSubmodule(static_cast<ItemIndex>(i), bytes, *flow, submodule)) break;
      }
    }
  }

  const PlacedGraph& graph_;
  const GraphReading& reading_;
  const Setting& setting_;
  Overlaps found_;
  int64_t pairs_ = 0;
  int64_t searched_ = 0;
  size_t next_flow_ = 0;  // the first flow not run yet
  std::vector<int32_t> many_calls_;
  std::vector<std::pair<int32_t, NodeIndex>> calls_;  // submodule and node, where there are many
};

}  // namespace

Overlaps CheckGraph(const PlacedGraph& graph, const Setting& setting) {
  return Checker(graph, setting).Check();
}

}  // namespace memplan::verifier
