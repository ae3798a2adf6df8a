#include "composition.h"

#include <algorithm>
#include <string>
#include <utility>

#include "message.h"
#include "row_sort.h"

namespace memplan {
namespace {

class Composer {
 public:
  explicit Composer(const Parts& parts) : parts_(parts), runs_of_(parts.nest.graphs.size()) {
    for (const Run& run : parts.nest.runs) runs_of_[run.graph].push_back(&run);
  }

  Status Compose(Plan* plan) {
    size_t pools = 2;
    for (const PoolProblem& pool : parts_.selection.pools) {
      pools = std::max(pools, static_cast<size_t>(pool.mem_id) + 1);
    }
    plan->buffer_sizes.assign(pools, 0);
    for (size_t p = 0; p < parts_.selection.pools.size(); ++p) {
      const PoolProblem& pool = parts_.selection.pools[p];
      Bytes size = pool.problem.base;
      if (parts_.placements[p] != nullptr) {
        size = std::max(size, parts_.placements[p]->peak) + pool.padding;
      }
      if (size > kMaxBytes) {
        return Fail(ErrorCode::kTooLarge, "a pool needs more than 2^53 - 1 bytes", "tensors");
      }
      plan->buffer_sizes[pool.mem_id] = size;
    }
    for (const int32_t root : parts_.nest.roots) {
      Result<GraphPlan> graph = ComposeGraph(root);
      if (!graph) return tl::unexpected(graph.error());
      if (parts_.program.graph != nullptr) {
        graph->buffer_sizes = plan->buffer_sizes;
        plan->top = std::move(*graph);
      } else {
        plan->methods.push_back(std::move(*graph));
      }
    }
    return {};
  }

 private:
  // The buffer that holds a storage, through graphs whose storages it is placed in.
  Selection::Where Find(int32_t g, StorageIndex s) const {
    while (parts_.nest.graphs[g].home[s] == Home::kPlaced) {
      const StorageRef target = parts_.nest.graphs[g].placed[s];
      g = target.graph;
      s = target.storage;
    }
    return parts_.selection.where[g][s];
  }

  Result<GraphPlan> ComposeGraph(int32_t g) {
    const GraphNest& nest = parts_.nest.graphs[g];
    GraphPlan plan;
    plan.graph = nest.graph;
    plan.has_buffer_sizes = nest.is_called;
    if (nest.is_called) plan.buffer_sizes.assign(2, 0);
    const size_t tensors = nest.graph->tensors.id.size();
    plan.lifetime.resize(tensors);
    plan.allocated.resize(tensors);
    plan.mem_id.resize(tensors);
    plan.mem_obj_id.resize(tensors);
    plan.mem_offset.resize(tensors);
    if (!ComposeTensors(g, &plan)) {
      return tl::unexpected(TooLarge(nest, plan));
    }
    if (nest.is_called) {
      CountScratch(g, &plan);
      AddFrees(g, &plan);
    }
    for (const int32_t child : nest.children) {
      Result<GraphPlan> submodule = ComposeGraph(child);
      if (!submodule) return submodule;
      for (size_t m = 1; m < submodule->buffer_sizes.size(); ++m) {
        Grow(static_cast<MemId>(m), submodule->buffer_sizes[m], &plan);
      }
      plan.submodules.push_back(std::move(*submodule));
    }
    return plan;
  }

  static void Grow(MemId mem_id, Bytes end, GraphPlan* plan) {
    if (plan->buffer_sizes.size() <= static_cast<size_t>(mem_id)) {
      plan->buffer_sizes.resize(static_cast<size_t>(mem_id) + 1, 0);
    }
    plan->buffer_sizes[mem_id] = std::max(plan->buffer_sizes[mem_id], end);
  }

  // False where a tensor's rounded size is past kMaxBytes.
  bool ComposeTensors(int32_t g, GraphPlan* plan) const {
    const GraphNest& nest = parts_.nest.graphs[g];
    const std::vector<Bytes>& nbytes = nest.graph->tensors.nbytes;
    for (TensorIndex t = 0; t < nest.graph->tensors.size(); ++t) {
      const StorageIndex s = nest.storages.of[t];
      const Selection::Where where = nest.is_called ? Find(g, s) : Selection::Where{};
      MemId mem_id = kNoPool;
      Bytes offset = kNoBytes;
      int32_t object = -1;
      Bytes alignment = parts_.options.alignment;
      if (where.pool >= 0) {
        const PoolProblem& pool = parts_.selection.pools[where.pool];
        const Placement& placement = *parts_.placements[where.pool];
        mem_id = pool.mem_id;
        alignment = pool.alignment;
        offset = placement.offset[where.buffer] + nest.storages.offset_of(t);
        if (!placement.object.empty()) object = placement.object[where.buffer];
      }
      const Bytes allocated = AlignUp(nbytes[t], alignment);
      plan->allocated[t] = allocated;
      if (allocated > kMaxBytes) return false;
      // Without control flow no result takes over another's bytes.
      plan->lifetime[t] = parts_.nest.has_control_flow ? LifetimeOf(g, s) : nest.lifetimes.of[s];
      plan->mem_id[t] = mem_id;
      plan->mem_obj_id[t] = object;
      plan->mem_offset[t] = offset;
      if (mem_id != kNoPool && nbytes[t] > 0) Grow(mem_id, offset + allocated, plan);
    }
    return true;
  }

  static Error TooLarge(const GraphNest& nest, const GraphPlan& plan) {
    const auto at = std::find_if(plan.allocated.begin(), plan.allocated.end(),
                                 [](Bytes allocated) { return allocated > kMaxBytes; });
    return {ErrorCode::kTooLarge, "rounded up to the alignment this is more than 2^53 - 1 bytes",
            Message({nest.path, "tensors[", at - plan.allocated.begin(), "].nbytes"})};
  }

  // The storage's lifetime in nodes, longer where in some run a result takes over its bytes
  // (controlFlowResults "move").
  Lifetime LifetimeOf(int32_t g, StorageIndex s) const {
    const GraphNest& nest = parts_.nest.graphs[g];
    Lifetime life = nest.lifetimes.of[s];
    if (!life.exists()) return life;
    Tick last = -1;
    for (const Run* run : runs_of_[g]) last = std::max(last, run->spans[s].to - 1 - run->begin);
    if (last < nest.start_of(life.last + 1)) return life;
    if (nest.start.empty()) {
      life.last = std::min<NodeIndex>(last, nest.graph->nodes.size() - 1);
    } else {
      const auto after = std::upper_bound(nest.start.begin(), nest.start.end() - 1, last);
      life.last = static_cast<NodeIndex>(after - nest.start.begin()) - 1;
    }
    return life;
  }

  void CountScratch(int32_t g, GraphPlan* plan) const {
    if (parts_.nest.graphs[g].graph->scratch.empty()) return;
    for (size_t p = 0; p < parts_.selection.pools.size(); ++p) {
      const PoolProblem& pool = parts_.selection.pools[p];
      for (size_t b = 0; b < pool.source.size(); ++b) {
        const BufferSource& source = pool.source[b];
        if (source.kind != BufferSource::kScratch || source.graph != g) continue;
        if (pool.problem.size[b] == 0) continue;
        Grow(pool.mem_id, parts_.placements[p]->offset[b] + pool.problem.size[b], plan);
      }
    }
  }

  // What has no bound is freed once, after the last node that reads its storage; never what comes
  // from outside or is returned. The storage goes by its base, or where that has a bound, by the
  // first tensor without one.
  void AddFrees(int32_t g, GraphPlan* plan) const {
    const GraphNest& nest = parts_.nest.graphs[g];
    const Tensors& tensors = nest.graph->tensors;
    std::vector<uint8_t> freed(nest.home.size(), 0);
    const auto unbound = [&](TensorIndex t) {
      return tensors.dynamism[t] == Dynamism::kDynamicUnbound;
    };
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      const StorageIndex s = nest.storages.of[t];
      constexpr uint8_t kKept = kRoleInput | kRoleOutput | kRoleState | kRoleConst;
      if (!unbound(t) || freed[s] != 0 || (nest.lifetimes.roles[s] & kKept) != 0) continue;
      if (!nest.lifetimes.of[s].exists() || nest.home[s] != Home::kOwn) continue;
      freed[s] = 1;
      const NodeIndex last = LifetimeOf(g, s).last;
      // A result that is returned has taken these bytes over.
      if (nest.graph->nodes.op[last] == Op::kOutput) continue;
      const TensorIndex base = nest.storages.base[s];
      plan->frees.push_back({last, unbound(base) ? base : t});
    }
    SortRows(&plan->frees, [](const Free& a, const Free& b) {
      return a.after != b.after ? a.after < b.after : a.tensor < b.tensor;
    });
  }

  const Parts& parts_;
  std::vector<std::vector<const Run*>> runs_of_;  // by graph
};

}  // namespace

Status Compose(const Parts& parts, Plan* plan) { return Composer(parts).Compose(plan); }

}  // namespace memplan
