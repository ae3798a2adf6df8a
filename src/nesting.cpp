#include "nesting.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "message.h"
#include "row_sort.h"
#include "tied_place.h"

namespace memplan {
namespace {

// More storages over all runs than this, beyond a few a graph, and the input is refused.
constexpr int64_t kMaxRunStorages = 50'000'000;

// The pool that each storage's tensors ask for: its base, else its first tensor with one.
std::vector<MemId> ChosenPools(const Graph& graph, const Storages& storages) {
  const Tensors& tensors = graph.tensors;
  if (tensors.mem_id.empty()) return {};
  std::vector<MemId> pools(static_cast<size_t>(storages.count()), kNoPool);
  for (StorageIndex s = 0; s < storages.count(); ++s) pools[s] = tensors.mem_id[storages.base[s]];
  for (TensorIndex t = 0; t < tensors.size(); ++t) {
    MemId& pool = pools[storages.of[t]];
    if (pool == kNoPool) pool = tensors.mem_id[t];
  }
  return pools;
}

class Builder {
 public:
  Builder(const Program& program, const Options& options,
          const std::vector<std::vector<Placed>>& chosen)
      : program_(program), options_(options), chosen_(chosen) {}

  Result<Nest> Build() {
    Status fine;
    if (program_.graph != nullptr) {
      fine = AddRoot(*program_.graph, "");
    } else {
      for (size_t i = 0; i < program_.methods.size() && fine; ++i) {
        const Graph& method = *program_.methods[i];
        fine = AddRoot(method, Message({"methods.", program_.names[method.name], "."}));
      }
    }
    if (!fine) return tl::unexpected(fine.error());
    for (size_t g = nest_.graphs.size(); g-- > 0;) {
      if (Status measured = Measure(&nest_.graphs[g]); !measured) {
        return tl::unexpected(measured.error());
      }
    }
    for (size_t g = 0; g < nest_.graphs.size(); ++g) {
      if (Status settled = SettleCallees(static_cast<int32_t>(g)); !settled) {
        return tl::unexpected(settled.error());
      }
    }
    if (Status laid = LayOut(); !laid) return tl::unexpected(laid.error());
    FindAbsences();
    KeepMovedResults();
    if (Status moved = CheckMovedResults(); !moved) return tl::unexpected(moved.error());
    return std::move(nest_);
  }

 private:
  using Meets = Run::Meets;

  Status AddRoot(const Graph& graph, const std::string& path) {
    nest_.roots.push_back(static_cast<int32_t>(nest_.graphs.size()));
    return Add(graph, -1, path);
  }

  // Appends the graph and, behind it, its submodules. Nesting is bounded by the reader, so this may
  // recurse.
  Status Add(const Graph& graph, int32_t parent, const std::string& path) {
    const size_t at = nest_.graphs.size();
    nest_.graphs.emplace_back();
    Result<Storages> storages = FindStorages(
        graph, program_.names, path, at < chosen_.size() ? chosen_[at] : std::vector<Placed>());
    if (!storages) return tl::unexpected(storages.error());
    GraphNest nest;
    nest.graph = &graph;
    nest.path = path;
    nest.parent = parent;
    nest.storages = std::move(*storages);
    nest.lifetimes = FindLifetimes(graph, nest.storages, parent < 0 ? &graph.signature : nullptr);
    nest.pool = ChosenPools(graph, nest.storages);
    nest.home.assign(static_cast<size_t>(nest.storages.count()), Home::kOwn);
    nest.is_called = parent < 0;
    if (Status fine = CheckPools(graph, path); !fine) return fine;
    for (const ControlFlow& flow : graph.control_flow) {
      auto bound = BindSubmodules(graph, program_.names, flow, path);
      if (!bound) return tl::unexpected(bound.error());
      nest.calls.push_back({flow.node, std::move(*bound)});
      nest_.has_control_flow = true;
    }
    nest_.graphs[at] = std::move(nest);
    for (const auto& submodule : graph.submodules) {
      nest_.graphs[at].children.push_back(static_cast<int32_t>(nest_.graphs.size()));
      const std::string name(program_.names[submodule->name]);
      Status fine =
          Add(*submodule, static_cast<int32_t>(at), Message({path, "submodules.", name, "."}));
      if (!fine) return fine;
    }
    return {};
  }

  static Status CheckPools(const Graph& graph, const std::string& path) {
    for (size_t t = 0; t < graph.tensors.mem_id.size(); ++t) {
      if (graph.tensors.mem_id[t] != 0) continue;
      return Fail(ErrorCode::kInvalidInput, "pools count from 1",
                  Message({path, "tensors[", t, "].mem_id"}));
    }
    return {};
  }

  // Ticks of a run of the graph; its submodules are measured already.
  Status Measure(GraphNest* nest) {
    const NodeIndex nodes = nest->graph->nodes.size();
    nest->length = nodes;
    if (nest->calls.empty()) return {};
    nest->start.resize(static_cast<size_t>(nodes) + 1);
    int64_t at = 0;
    auto call = nest->calls.begin();
    for (NodeIndex n = 0; n < nodes; ++n) {
      nest->start[n] = static_cast<Tick>(at);
      at += 1;
      if (call != nest->calls.end() && call->node == n) {
        for (const BoundSubmodule& bound : call->bound) {
          at += nest_.graphs[nest->children[bound.submodule]].length;
        }
        ++call;
      }
      if (at > std::numeric_limits<Tick>::max() / 2) return TooManyPaths();
    }
    nest->start[nodes] = static_cast<Tick>(at);
    nest->length = static_cast<Tick>(at);
    return {};
  }

  static Status TooManyPaths() {
    return Fail(ErrorCode::kUnsupported,
                "the submodules are called along more paths than can be planned", "submodules");
  }

  // --- homes ---

  // What one call says of a submodule's storages.
  struct Site {
    std::vector<StorageRef> placed;  // by storage
    std::vector<uint8_t> by_reference;
    std::vector<uint8_t> own;
    // By storage: 1 where it is handed over so that it stays alive, or to a second result.
    std::vector<uint8_t> kept;
    NodeIndex node = kNoNode;
  };

  // Decides the homes of the storages of each graph that this one calls, from all its calls
  // together.
  Status SettleCallees(int32_t g) {
    std::vector<std::vector<Site>> sites(nest_.graphs[g].children.size());
    if (nest_.graphs[g].is_called) {
      for (const GraphNest::Call& call : nest_.graphs[g].calls) {
        for (size_t i = 0; i < call.bound.size(); ++i) {
          sites[call.bound[i].submodule].push_back(MakeSite(g, call, i));
        }
      }
    }
    for (size_t i = 0; i < sites.size(); ++i) {
      if (!sites[i].empty()) {
        if (Status fine = Settle(nest_.graphs[g].children[i], sites[i]); !fine) return fine;
      }
    }
    return {};
  }

  Site MakeSite(int32_t g, const GraphNest::Call& call, size_t i) {
    const GraphNest& caller = nest_.graphs[g];
    const BoundSubmodule& bound = call.bound[i];
    const GraphNest& callee = nest_.graphs[caller.children[bound.submodule]];
    Site site;
    const size_t count = callee.home.size();
    site.placed.resize(count);
    site.by_reference.assign(count, 0);
    site.own.assign(count, 0);
    site.kept.assign(count, 0);
    site.node = call.node;
    for (size_t k = 0; k < bound.inputs.size(); ++k) {
      const Bound& input = bound.inputs[k];
      const StorageIndex s = callee.storages.of[input.inner];
      const bool beyond = input.kind == Bound::kCarried && input.outer == kNoTensor;
      if (beyond && i + 1 < call.bound.size()) {
        // A carried value that is no result lies in the body; the condition reads it there.
        const BoundSubmodule& body = call.bound.back();
        const int32_t body_graph = caller.children[body.submodule];
        site.placed[s] = {body_graph, nest_.graphs[body_graph].storages.of[body.inputs[k].inner]};
      } else if (beyond || input.kind == Bound::kSliced) {
        site.own[s] = 1;
      } else {
        site.by_reference[s] = 1;
      }
    }
    PlaceOutputs(g, call.node, bound, &site);
    return site;
  }

  void PlaceOutputs(int32_t g, NodeIndex node, const BoundSubmodule& bound, Site* site) {
    const GraphNest& caller = nest_.graphs[g];
    const GraphNest& callee = nest_.graphs[caller.children[bound.submodule]];
    std::set<StorageIndex> taken;
    for (const Handover& handover : bound.outputs) {
      const StorageIndex result = caller.storages.of[handover.result];
      const StorageIndex output = callee.storages.of[handover.output];
      const bool free = site->placed[output].graph < 0 && !site->by_reference[output] &&
                        !site->own[output] && !taken.contains(result);
      if (!free || !CanPlace(caller, node, handover, callee)) {
        site->kept[output] |= options_.move_results && !IsCopied(caller, handover, callee) ? 1 : 0;
        continue;
      }
      site->placed[output] = {g, result};
      taken.insert(result);
    }
  }

  // True where the branch may write its output straight into the result's bytes: both are planned,
  // alone in their storages, in one pool, and nothing that is still wanted lies there.
  bool CanPlace(const GraphNest& caller, NodeIndex node, const Handover& handover,
                const GraphNest& callee) const {
    const StorageIndex result = caller.storages.of[handover.result];
    const StorageIndex output = callee.storages.of[handover.output];
    constexpr uint8_t kNever = kRoleConst | kRoleUnbound;
    const uint8_t roles = caller.lifetimes.roles[result];
    if (((roles | callee.lifetimes.roles[output]) & kNever) != 0) return false;
    if ((roles & (kRoleInput | kRoleState)) != 0) return false;
    if (caller.parent < 0 && IsCallerOwned(roles, options_)) return false;
    if (caller.home[result] == Home::kCaller) return false;
    if (caller.lifetimes.written[result] < node) return false;
    if (caller.storages.offset_of(handover.result) != 0) return false;
    if (callee.storages.offset_of(handover.output) != 0) return false;
    if (caller.storages.size[result] != callee.storages.size[output]) return false;
    const MemId wants = callee.pool_of(output);
    const MemId has = FinalPool(nest_.graphs, caller, result);
    return wants == kNoPool || wants == has || (has == kNoPool && wants == program_.default_pool());
  }

  // All calls must agree on where an output is placed; a placeholder that any call gives bytes of
  // its own has them.
  Status Settle(int32_t callee, const std::vector<Site>& sites) {
    GraphNest& nest = nest_.graphs[callee];
    nest.is_called = true;
    for (StorageIndex s = 0; s < nest.storages.count(); ++s) {
      bool own = false;
      bool by_reference = false;
      bool agreed = true;
      const StorageRef first = sites.front().placed[s];
      StorageRef any = first;
      for (const Site& site : sites) {
        if (any.graph < 0) any = site.placed[s];
        own |= site.own[s] != 0;
        by_reference |= site.by_reference[s] != 0;
        agreed &= site.placed[s].graph == first.graph && site.placed[s].storage == first.storage;
      }
      if (!agreed && IsPlaceholder(nest, s)) {
        return Fail(ErrorCode::kUnsupported,
                    "the condition of several loops carries values that are no results, in more "
                    "than one body",
                    Message({nest.path, "nodes"}));
      }
      if (by_reference && !own) {
        nest.home[s] = Home::kCaller;
      } else if (!own && (agreed ? first.graph >= 0 : TieResults(callee, sites, s))) {
        nest.home[s] = Home::kPlaced;
        nest.placed.resize(nest.home.size());
        nest.placed[s] = any;
        nest_.has_choice = true;
      } else if (!agreed) {
        nest.copied.push_back(s);
        nest_.has_choice = true;
      }
    }
    return {};
  }

  // The calls of a submodule hand one output to different results, or some to none: the results lie
  // at one place where no two of them are ever live at once, and the output with them. True where
  // that is done.
  bool TieResults(int32_t callee, const std::vector<Site>& sites, StorageIndex output) {
    const int32_t g = nest_.graphs[callee].parent;
    TiedPlace place;
    for (const Site& site : sites) {
      if (site.kept[output] != 0) return false;
      if (site.placed[output].graph < 0) {
        place.nodes.push_back(site.node);
      } else if (site.placed[output].graph == g) {
        place.others.push_back(site.placed[output].storage);
      } else {
        return false;
      }
    }
    place.outputs.push_back({callee, output});
    return Tie(std::move(place), g, &nest_.graphs);
  }

  static bool IsPlaceholder(const GraphNest& nest, StorageIndex s) {
    return (nest.lifetimes.roles[s] & kRoleInput) != 0;
  }

  // --- runs ---

  Status LayOut() {
    Tick at = 0;
    for (const int32_t root : nest_.roots) {
      AddRun(root, -1, nullptr, at);
      at += nest_.graphs[root].length;
    }
    nest_.length = at;
    int64_t storages = 0;
    for (size_t r = 0; r < nest_.runs.size(); ++r) {
      storages += static_cast<int64_t>(nest_.runs[r].spans.size()) + 1;
      if (r >= nest_.graphs.size() && storages > kMaxRunStorages) return TooManyPaths();
      const GraphNest& caller = nest_.graphs[nest_.runs[r].graph];
      for (const GraphNest::Call& call : caller.calls) {
        LayOutCall(static_cast<int32_t>(r), caller, call);
      }
    }
    return {};
  }

  void AddRun(int32_t graph, int32_t caller, const BoundSubmodule* bound, Tick begin) {
    const GraphNest& nest = nest_.graphs[graph];
    Run run;
    run.graph = graph;
    run.caller = caller;
    run.bound = bound;
    run.begin = begin;
    run.spans.resize(nest.home.size());
    for (StorageIndex s = 0; s < nest.storages.count(); ++s) {
      const Lifetime& life = nest.lifetimes.of[s];
      if (!life.exists()) continue;
      run.spans[s] = {begin + nest.start_of(life.first), begin + nest.start_of(life.last + 1)};
    }
    if (caller >= 0) run.home.resize(nest.home.size());
    nest_.runs.push_back(std::move(run));
  }

  void LayOutCall(int32_t r, const GraphNest& caller, const GraphNest::Call& call) {
    const TickSpan span{nest_.runs[r].begin + caller.start_of(call.node),
                        nest_.runs[r].begin + caller.start_of(call.node + 1)};
    const auto first = static_cast<int32_t>(nest_.runs.size());
    const auto body = first + static_cast<int32_t>(call.bound.size()) - 1;
    Tick at = span.from + 1;
    for (const BoundSubmodule& bound : call.bound) {
      const int32_t callee = caller.children[bound.submodule];
      AddRun(callee, r, &bound, at);
      at += nest_.graphs[callee].length;
    }
    for (size_t i = 0; i < call.bound.size(); ++i) {
      Connect(first + static_cast<int32_t>(i), body, caller, call, call.bound[i], span);
    }
    if (caller.graph->nodes.kind[call.node] == Target::kCond) {
      branchings_.push_back({r, first, &call});
    }
  }

  // Says of each storage of a run what it is in the caller's run, or in the loop's body.
  void Connect(int32_t r, int32_t body, const GraphNest& caller, const GraphNest::Call& call,
               const BoundSubmodule& bound, TickSpan span) {
    Run& run = nest_.runs[r];
    const GraphNest& callee = nest_.graphs[run.graph];
    for (size_t k = 0; k < bound.inputs.size(); ++k) {
      const Bound& input = bound.inputs[k];
      const StorageIndex s = callee.storages.of[input.inner];
      if (input.kind == Bound::kSliced) continue;
      if (input.outer != kNoTensor) {
        run.home[s] = {run.caller, caller.storages.of[input.outer]};
      } else if (r != body) {
        const TensorIndex inner = call.bound.back().inputs[k].inner;
        run.home[s] = {body, nest_.graphs[nest_.runs[body].graph].storages.of[inner]};
      } else {
        run.spans[s] = span;
      }
    }
    const bool is_tied = !caller.tied.empty();
    const int32_t g = nest_.runs[run.caller].graph;
    for (StorageIndex s = 0; s < callee.storages.count(); ++s) {
      if (!IsPlacedBeyond(callee, run.graph, s) || run.home[s].run >= 0) continue;
      if (is_tied && IsTied(caller, g, callee, {run.graph, s})) continue;
      run.home[s] = {run.caller, callee.placed[s].storage};
    }
    if (!is_tied) return;
    for (const Handover& handover : bound.outputs) {
      const StorageIndex output = callee.storages.of[handover.output];
      const StorageIndex result = caller.storages.of[handover.result];
      if (IsTied(caller, g, callee, {run.graph, output}) &&
          LeaderOf(caller, g, result) == LeaderOf(caller, g, callee.placed[output].storage)) {
        run.home[output] = {run.caller, result};
      }
    }
  }

  // --- results that are not there yet ---

  // A run of a `cond`: its branches are the runs from `first` on.
  struct Branching {
    int32_t caller;
    int32_t first;
    const GraphNest::Call* call;
  };

  // A result's storage, and the place of a handover to it in each branch's `outputs`.
  using HandedTo = std::pair<StorageIndex, int32_t>;

  // A result is there from where a branch writes it: in place, or at its end where it is copied.
  // What the branch has before may lie in the same bytes. Inner ones first: an output can be such a
  // result itself.
  void FindAbsences() {
    for (size_t i = branchings_.size(); i-- > 0;) {
      const Branching& branching = branchings_[i];
      const GraphNest& caller = nest_.graphs[nest_.runs[branching.caller].graph];
      std::vector<HandedTo> results;
      for (const Handover& handover : branching.call->bound[0].outputs) {
        results.push_back(
            {caller.storages.of[handover.result], static_cast<int32_t>(results.size())});
      }
      SortRows(&results);
      for (auto begin = results.begin(); begin != results.end();) {
        const StorageIndex s = begin->first;
        auto end = begin;
        while (end != results.end() && end->first == s) ++end;
        const bool is_new = caller.lifetimes.of[s].first == branching.call->node &&
                            caller.lifetimes.written[s] >= branching.call->node;
        if (is_new) AddAbsences(branching, {&*begin, static_cast<size_t>(end - begin)});
        begin = end;
      }
    }
    for (Run& run : nest_.runs) {
      SortRows(&run.absent, [](const Run::Absence& a, const Run::Absence& b) {
        return a.storage != b.storage ? a.storage < b.storage : a.span.from < b.span.from;
      });
    }
  }

  // `handed`: what is handed to one result.
  void AddAbsences(const Branching& branching, std::span<const HandedTo> handed) {
    const StorageIndex result = handed.front().first;
    std::vector<Run::Absence>& absent = nest_.runs[branching.caller].absent;
    // The tick of the node itself has nothing of the branches.
    Tick begin = nest_.runs[branching.first].begin - 1;
    for (size_t i = 0; i < branching.call->bound.size(); ++i) {
      const Run& branch = nest_.runs[branching.first + static_cast<int32_t>(i)];
      const GraphNest& callee = nest_.graphs[branch.graph];
      const Tick end = branch.begin + callee.length;
      Tick written = end - 1;
      for (const auto& [storage, place] : handed) {
        const StorageIndex output = callee.storages.of[branch.bound->outputs[place].output];
        const Meets home = branch.home[output];
        if (home.run != branching.caller || home.storage != result) continue;
        if (IsAtTiedPlace(callee, branch.graph, output)) {
          // The others that lie there may come before this one.
          written = branch.begin;
          continue;
        }
        written = std::min(written, branch.spans[output].from);
        for (const Run::Absence& within : branch.absent) {
          if (within.storage == output) absent.push_back({result, within.span});
        }
      }
      if (begin < written) absent.push_back({result, {begin, written}});
      begin = end;
    }
  }

  // --- results that a runtime takes over by pointer ---

  // Under "move" a result that does not lie at the branch's output *is* that output's bytes: they
  // stay alive as long as the result. A later call's result may keep an earlier one alive in turn,
  // so this goes on until nothing changes; spans only grow and end at the last tick, so it ends.
  void KeepMovedResults() {
    if (!options_.move_results || !nest_.has_control_flow) return;
    struct Edge {
      Meets result;
      Meets output;
    };
    std::vector<Edge> edges;
    for (size_t r = 0; r < nest_.runs.size(); ++r) {
      const Run& run = nest_.runs[r];
      if (run.caller < 0) continue;
      const GraphNest& caller = nest_.graphs[nest_.graphs[run.graph].parent];
      for (const Handover& handover : run.bound->outputs) {
        if (IsCopied(caller, handover, nest_.graphs[run.graph])) continue;
        edges.push_back(
            {{run.caller, caller.storages.of[handover.result]},
             {static_cast<int32_t>(r), nest_.graphs[run.graph].storages.of[handover.output]}});
      }
    }
    for (const Edge& edge : edges) {
      const Meets result = Resolve(edge.result);
      const Meets output = Resolve(edge.output);
      if (result.run == output.run && result.storage == output.storage) continue;
      GraphNest& caller = nest_.graphs[nest_.runs[edge.result.run].graph];
      caller.takes_over.resize(caller.home.size());
      caller.takes_over[edge.result.storage] = 1;
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = edges.size(); i-- > 0;) {
        const Tick end = Span(Resolve(edges[i].result)).to;
        TickSpan& output = Span(Resolve(edges[i].output));
        if (output.to >= end) continue;
        output.to = end;
        changed = true;
      }
    }
  }

  // A submodule has one placement. Where a result that a runtime took over from one run is still in
  // use when the submodule runs again, the second run writes over it, wherever it lies.
  Status CheckMovedResults() const {
    if (!options_.move_results) return {};
    std::vector<int32_t> last_run(nest_.graphs.size(), -1);
    for (size_t r = 0; r < nest_.runs.size(); ++r) {
      const Run& run = nest_.runs[r];
      if (run.caller < 0) continue;
      const int32_t before = std::exchange(last_run[run.graph], static_cast<int32_t>(r));
      // Both branches of one `cond` may be one submodule: only one of them runs.
      if (before < 0 || nest_.runs[before].bound + 1 == run.bound) continue;
      const GraphNest& graph = nest_.graphs[run.graph];
      for (StorageIndex s = 0; s < graph.storages.count(); ++s) {
        if (graph.home[s] == Home::kCaller || IsPlacedBeyond(graph, run.graph, s)) continue;
        if (run.spans[s].from == run.spans[s].to) continue;
        // Each run gets new memory for what has no bound.
        if ((graph.lifetimes.roles[s] & (kRoleConst | kRoleUnbound)) != 0) continue;
        if (nest_.runs[before].spans[s].to <= run.begin) continue;
        return Fail(ErrorCode::kUnsupported,
                    "a result of this submodule is still in use when another node runs it again; "
                    "give that node a submodule of its own, or copy results "
                    "(controlFlowResults \"copy\")",
                    graph.path.substr(0, graph.path.size() - 1));
      }
    }
    return {};
  }

  // The cases in which even a moving runtime copies.
  bool IsCopied(const GraphNest& caller, const Handover& handover, const GraphNest& callee) const {
    const uint8_t result = caller.lifetimes.roles[caller.storages.of[handover.result]];
    const StorageIndex output = callee.storages.of[handover.output];
    if ((callee.lifetimes.roles[output] & kRoleConst) != 0) return true;
    if (caller.parent < 0 && IsCallerOwned(result, options_)) return true;
    const MemId wants = callee.pool_of(output);
    const MemId has = FinalPool(nest_.graphs, caller, caller.storages.of[handover.result]);
    if (callee.home[output] != Home::kOwn || wants == kNoPool || wants == has) return false;
    const MemId by_default = program_.default_pool();
    // What is spread over the pools may come to lie in the output's.
    return has != kNoPool || (by_default != kNoPool && wants != by_default);
  }

  Meets Resolve(Meets at) const {
    while (!nest_.runs[at.run].home.empty()) {
      const Meets next = nest_.runs[at.run].home[at.storage];
      if (next.run < 0) break;
      at = next;
    }
    return at;
  }

  TickSpan& Span(Meets at) { return nest_.runs[at.run].spans[at.storage]; }

  const Program& program_;
  const Options& options_;
  const std::vector<std::vector<Placed>>& chosen_;
  Nest nest_;
  std::vector<Branching> branchings_;  // callers before what they call
};

}  // namespace

bool IsCallerOwned(uint8_t roles, const Options& options) {
  if ((roles & kRoleState) != 0) return !options.alloc_mutable_buffers;
  if ((roles & kRoleInput) != 0 && !options.alloc_graph_input) return true;
  return (roles & kRoleOutput) != 0 && !options.alloc_graph_output;
}

Result<Nest> BuildNest(const Program& program, const Options& options,
                       const std::vector<std::vector<Placed>>& chosen) {
  return Builder(program, options, chosen).Build();
}

}  // namespace memplan
