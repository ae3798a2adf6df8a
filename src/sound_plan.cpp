#include "sound_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "capacity_error.h"
#include "composition.h"
#include "graph_hash.h"
#include "nesting.h"
#include "pool_race.h"
#include "selection.h"
#include "verifier.h"

namespace memplan {
namespace {

// Speaks of a pool's buffers by tensor, of ticks by node of the outermost graph.
class GraphNames final : public ProblemNames {
 public:
  GraphNames(const Program& program, const Nest& nest, const PoolProblem& pool)
      : program_(program), nest_(nest), pool_(pool) {}

  std::string BufferName(BufferIndex buffer) const override {
    return SourceName(program_, nest_, pool_.source[buffer]);
  }
  int64_t TimeOf(Tick tick) const override {
    for (size_t r = nest_.roots.size(); r-- > 0;) {
      const Run& run = nest_.runs[r];
      if (tick < run.begin) continue;
      const std::vector<Tick>& start = nest_.graphs[run.graph].start;
      if (start.empty()) return tick - run.begin;
      const auto after = std::upper_bound(start.begin(), start.end() - 1, tick - run.begin);
      return after - start.begin() - 1;
    }
    return 0;
  }

 private:
  const Program& program_;
  const Nest& nest_;
  const PoolProblem& pool_;
};

// The capacity of a pool: the option's, else the graph's own; kNoBytes where there is none.
Bytes CapacityOf(const Program& program, const Options& options, MemId mem_id) {
  if (!options.capacity.empty()) {
    const size_t at = options.capacity_per_pool ? static_cast<size_t>(mem_id) : 0;
    return at < options.capacity.size() ? options.capacity[at] : kNoBytes;
  }
  if (program.graph == nullptr) return kNoBytes;
  for (const Pool& pool : program.graph->pools) {
    if (pool.mem_id == mem_id) return pool.capacity;
  }
  return kNoBytes;
}

class SoundJob final : public PlanJob {
 public:
  SoundJob(std::vector<char> bytes, std::unique_ptr<Program> program, Options options)
      : bytes_(std::move(bytes)), program_(std::move(program)), options_(std::move(options)) {}

  Status Prepare() {
    Result<Nest> nest = BuildNest(*program_, options_, {});
    if (!nest) return tl::unexpected(nest.error());
    nest_ = std::move(*nest);
    Result<Selection> selection = Select(*program_, nest_, options_, Scope::kAll, {});
    if (!selection) return tl::unexpected(selection.error());
    selection_ = std::move(*selection);
    std::vector<const Problem*> problems;
    for (PoolProblem& pool : selection_.pools) {
      if (Status fine = SetCapacity(&pool); !fine) return fine;
      if (pool.problem.count() > 0) problems.push_back(&pool.problem);
    }
    Result<PoolRace> race =
        PoolRace::Start(options_.algorithm, std::move(problems), {options_.seed, options_.stop_at});
    if (!race) return tl::unexpected(race.error());
    race_ = std::make_unique<PoolRace>(std::move(*race));
    return {};
  }

  bool Step(int64_t budget) override { return race_->Step(budget); }

  Progress progress() const override {
    return {race_->phase(), race_->best_peak(), race_->lower_bound(), race_->steps()};
  }

  Result<Plan> Finish() override {
    if (race_->steps() == 0) race_->Step(1);
    const std::vector<const Placement*> placements = Placements();
    for (size_t p = 0; p < placements.size(); ++p) {
      if (placements[p] != nullptr || selection_.pools[p].problem.count() == 0) continue;
      return tl::unexpected(NotFitting(p));
    }
    Plan plan;
    plan.algorithm = race_->winner();
    plan.options = options_;
    plan.is_sound = true;
    const Parts parts{*program_, nest_, selection_, placements, options_};
    if (Status fine = Compose(parts, &plan); !fine) return tl::unexpected(fine.error());
    SetBounds(&plan);
    plan.results = race_->results();
    plan.graph_hash = GraphHash(*program_);
    if (Status fine = CheckOverlaps(plan); !fine) return tl::unexpected(fine.error());
    return plan;
  }

  const Program* program() const override { return program_.get(); }
  const IntervalFile* intervals() const override { return nullptr; }

 private:
  // A plan that is wrong is never returned.
  Status CheckOverlaps(const Plan& plan) const {
    const Result<Report> report = CheckStorageReuse(*program_, plan, options_);
    if (!report) return tl::unexpected(report.error());
    if (report->ok) return {};
    return Fail(ErrorCode::kInternal, "\"" + plan.algorithm + "\" gave a plan in which " +
                                          report->errors.front().message);
  }

  Status SetCapacity(PoolProblem* pool) const {
    Result<MaxLive> live = ComputeMaxLive(pool->problem);
    if (!live) return tl::unexpected(live.error());
    Bytes capacity = CapacityOf(*program_, options_, pool->mem_id);
    if (capacity == kNoBytes) return {};
    // What the padding takes is not there for buffers.
    if (pool->problem.count() > 0) capacity = std::max<Bytes>(0, capacity - pool->padding);
    pool->problem.capacity = capacity;
    return {};
  }

  // By pool; null where a pool has no buffers, or nothing that fits.
  std::vector<const Placement*> Placements() const {
    std::vector<const Placement*> placements;
    size_t planner = 0;
    for (const PoolProblem& pool : selection_.pools) {
      const bool empty = pool.problem.count() == 0;
      placements.push_back(empty ? nullptr : race_->planner(planner++).best());
    }
    return placements;
  }

  const Planner& PlannerOf(size_t pool) const {
    size_t planner = 0;
    for (size_t p = 0; p < pool; ++p) planner += selection_.pools[p].problem.count() > 0 ? 1 : 0;
    return race_->planner(planner);
  }

  Error NotFitting(size_t p) const {
    const PoolProblem& pool = selection_.pools[p];
    const Planner& planner = PlannerOf(p);
    return MakeCapacityError(
        pool.problem, pool.mem_id, GraphNames(*program_, nest_, pool),
        {planner.infeasible(), planner.lower_bound(), planner.smallest_peak()});
  }

  void SetBounds(Plan* plan) const {
    plan->lower_bound.assign(plan->buffer_sizes.size(), 0);
    plan->optimal = true;
    for (size_t p = 0; p < selection_.pools.size(); ++p) {
      const PoolProblem& pool = selection_.pools[p];
      Bytes& bound = plan->lower_bound[pool.mem_id];
      bound = pool.problem.base;
      if (pool.problem.count() > 0) {
        bound = std::max(bound, PlannerOf(p).lower_bound()) + pool.padding;
      }
      plan->optimal &= bound >= plan->buffer_sizes[pool.mem_id];
    }
  }

  std::vector<char> bytes_;
  std::unique_ptr<Program> program_;
  Options options_;
  Nest nest_;
  Selection selection_;
  std::unique_ptr<PoolRace> race_;
};

}  // namespace

Result<std::unique_ptr<PlanJob>> StartSoundJob(std::vector<char> bytes,
                                               std::unique_ptr<Program> program,
                                               const Options& options) {
  auto job = std::make_unique<SoundJob>(std::move(bytes), std::move(program), options);
  if (Status fine = job->Prepare(); !fine) return tl::unexpected(fine.error());
  return job;
}

}  // namespace memplan
