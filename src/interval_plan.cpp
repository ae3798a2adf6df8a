#include "interval_plan.h"

#include <algorithm>
#include <utility>

#include "graph_hash.h"
#include "interval_problem.h"
#include "pool_race.h"

namespace memplan {
namespace {

class IntervalJob final : public PlanJob {
 public:
  IntervalJob(std::vector<char> bytes, std::unique_ptr<IntervalFile> file, Options options)
      : bytes_(std::move(bytes)), file_(std::move(file)), options_(std::move(options)) {}

  Status Prepare() {
    if (options_.rules != Rules::kSound) {
      return Fail(ErrorCode::kInvalidOption, "only \"sound\" plans intervals", "rules");
    }
    auto pools = MakeIntervalProblems(*file_, options_.capacity, options_.capacity_per_pool);
    if (!pools) return tl::unexpected(pools.error());
    pools_ = std::move(*pools);
    std::vector<const Problem*> problems;
    for (const IntervalProblem& pool : pools_) problems.push_back(&pool.problem);
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
    Plan plan;
    plan.algorithm = race_->winner();
    plan.options = options_;
    plan.is_sound = true;
    plan.optimal = true;
    plan.results = race_->results();
    Prefill(&plan);
    for (size_t p = 0; p < pools_.size(); ++p) {
      const IntervalProblem& pool = pools_[p];
      const Planner& planner = race_->planner(p);
      const Placement* placement = planner.best();
      if (placement == nullptr) {
        return tl::unexpected(IntervalCapacityError(
            *file_, pool, {planner.infeasible(), planner.lower_bound(), planner.smallest_peak()}));
      }
      if (!CheckPlacement(pool.problem, *placement).empty()) {
        return Fail(ErrorCode::kInternal,
                    "\"" + plan.algorithm + "\" gave a plan in which buffers overlap");
      }
      AddPool(pool, *placement, planner.lower_bound(), &plan);
    }
    plan.top.buffer_sizes = plan.buffer_sizes;
    plan.graph_hash = IntervalHash(*file_);
    return plan;
  }

  const Program* program() const override { return nullptr; }
  const IntervalFile* intervals() const override { return file_.get(); }

 private:
  // Columns by row of the file.
  void Prefill(Plan* plan) const {
    const auto rows = static_cast<size_t>(file_->count());
    GraphPlan& top = plan->top;
    top.allocated = file_->size;
    top.mem_id.assign(rows, kNoPool);
    top.mem_obj_id.assign(rows, -1);
    top.mem_offset.assign(rows, kNoBytes);
    top.has_buffer_sizes = true;
    const MemId last = pools_.empty() ? 1 : pools_.back().mem_id;
    plan->buffer_sizes.assign(static_cast<size_t>(last) + 1, 0);
    plan->lower_bound = plan->buffer_sizes;
  }

  static void AddPool(const IntervalProblem& pool, const Placement& placement, Bytes bound,
                      Plan* plan) {
    for (BufferIndex b = 0; b < pool.problem.count(); ++b) {
      const int32_t row = pool.row[b];
      plan->top.mem_id[row] = pool.mem_id;
      plan->top.mem_offset[row] = placement.offset[b];
      if (!placement.object.empty()) plan->top.mem_obj_id[row] = placement.object[b];
    }
    plan->buffer_sizes[pool.mem_id] = placement.peak;
    plan->lower_bound[pool.mem_id] = bound;
    plan->optimal &= bound >= placement.peak;
  }

  std::vector<char> bytes_;
  std::unique_ptr<IntervalFile> file_;
  Options options_;
  std::vector<IntervalProblem> pools_;
  std::unique_ptr<PoolRace> race_;
};

}  // namespace

Result<std::unique_ptr<PlanJob>> StartIntervalJob(std::vector<char> bytes,
                                                  std::unique_ptr<IntervalFile> file,
                                                  const Options& options) {
  auto job = std::make_unique<IntervalJob>(std::move(bytes), std::move(file), options);
  if (Status fine = job->Prepare(); !fine) return tl::unexpected(fine.error());
  return job;
}

}  // namespace memplan
