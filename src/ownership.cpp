#include "ownership.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace memplan {
namespace {

// The total of a plan made for other owners.
Result<Bytes> PlannedTotal(const Program& program, const Options& options) {
  Result<SoundProblem> problem = MakeSoundProblem(program, options);
  if (!problem) return tl::unexpected(problem.error());
  for (PoolProblem& pool : problem->selection.pools) pool.problem.capacity = kNoBytes;
  return QuickTotal(problem->selection, options);
}

// The pool's buffers that are planned under `options` too, where the plan has them.
void Keep(const Nest& nest, const PoolProblem& pool, const Placement& placement,
          const Options& options, Problem* kept, Placement* places) {
  kept->uniform_alignment = pool.problem.uniform_alignment;
  kept->base = pool.problem.base;
  for (BufferIndex b = 0; b < pool.problem.count(); ++b) {
    const BufferSource& source = pool.source[b];
    const GraphNest& graph = nest.graphs[source.graph];
    if (source.kind == BufferSource::kStorage &&
        IsCallerOwned(graph.lifetimes.roles[source.row], options)) {
      continue;
    }
    kept->lower.push_back(pool.problem.lower[b]);
    kept->upper.push_back(pool.problem.upper[b]);
    kept->size.push_back(pool.problem.size[b]);
    places->offset.push_back(placement.offset[b]);
  }
}

// The total where the plan, less what it would not own, is as small as any: so large graphs need no
// plans but their own. kNoBytes where that cannot be told.
Bytes RemainingTotal(const Program& program, const SoundProblem& problem,
                     const std::vector<const Placement*>& placements, const Options& options) {
  const bool spreads = program.pools().size() > 1;
  if (problem.nest.has_control_flow || options.inplace || spreads) return kNoBytes;
  Bytes total = 0;
  for (size_t p = 0; p < placements.size() && total <= kMaxBytes; ++p) {
    const PoolProblem& pool = problem.selection.pools[p];
    Problem kept;
    Placement places;
    if (placements[p] != nullptr) {
      Keep(problem.nest, pool, *placements[p], options, &kept, &places);
    }
    if (kept.count() == 0) {
      total += pool.problem.base;
      continue;
    }
    MeasurePeak(kept, &places);
    const Result<MaxLive> live = ComputeMaxLive(kept);
    if (!live || places.peak > live->bytes) return kNoBytes;
    total += places.peak + pool.padding;
  }
  return total <= kMaxBytes ? total : kNoBytes;
}

}  // namespace

void AddOwnership(const Program& program, const SoundProblem& problem,
                  const std::vector<const Placement*>& placements, Plan* plan) {
  const Options& own = plan->options;
  OwnershipReport& report = plan->ownership;
  const std::pair<Bytes*, std::pair<bool, bool>> ways[] = {{&report.both, {true, true}},
                                                           {&report.inputs, {true, false}},
                                                           {&report.outputs, {false, true}},
                                                           {&report.neither, {false, false}}};
  for (const auto& [total, owned] : ways) {
    const auto [inputs, outputs] = owned;
    if (inputs == own.alloc_graph_input && outputs == own.alloc_graph_output) {
      *total = std::accumulate(plan->buffer_sizes.begin(), plan->buffer_sizes.end(), Bytes{0});
      continue;
    }
    Options options = own;
    options.alloc_graph_input = inputs;
    options.alloc_graph_output = outputs;
    const bool drops_only = inputs <= own.alloc_graph_input && outputs <= own.alloc_graph_output;
    *total = drops_only ? RemainingTotal(program, problem, placements, options) : kNoBytes;
    if (*total != kNoBytes) continue;
    const Result<Bytes> planned = PlannedTotal(program, options);
    if (!planned) return;
    *total = *planned;
  }
  report.exists = true;
}

}  // namespace memplan
