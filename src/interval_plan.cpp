#include "interval_plan.h"

#include <algorithm>
#include <utility>

#include "graph_hash.h"
#include "interval_problem.h"
#include "message.h"
#include "race_job.h"

namespace memplan {
namespace {

class IntervalJob final : public RaceJob {
 public:
  IntervalJob(std::vector<char> bytes, std::unique_ptr<IntervalFile> file, Options options)
      : RaceJob(std::move(bytes), std::move(options)), file_(std::move(file)) {}

  Status Prepare() {
    if (options().rules != Rules::kSound) {
      return Fail(ErrorCode::kInvalidOption, "only \"sound\" plans intervals", "rules");
    }
    auto pools = MakeIntervalProblems(*file_, options().capacity, options().capacity_per_pool);
    if (!pools) return tl::unexpected(pools.error());
    pools_ = std::move(*pools);
    std::vector<const Problem*> problems;
    for (const IntervalProblem& pool : pools_) problems.push_back(&pool.problem);
    return StartRace(std::move(problems));
  }

  Result<Plan> MakePlan() override {
    Plan plan;
    plan.algorithm = race().winner();
    plan.options = options();
    plan.is_sound = true;
    plan.optimal = true;
    plan.results = race().results();
    Prefill(&plan);
    for (size_t p = 0; p < pools_.size(); ++p) {
      const IntervalProblem& pool = pools_[p];
      const Planner& planner = race().planner(p);
      const Placement* placement = planner.best();
      if (placement == nullptr) {
        return tl::unexpected(IntervalCapacityError(
            *file_, pool, {planner.infeasible(), planner.lower_bound(), planner.smallest_peak()}));
      }
      if (!CheckPlacement(pool.problem, *placement).empty()) {
        return Fail(ErrorCode::kInternal,
                    Message({"\"", plan.algorithm, "\" gave a plan in which buffers overlap"}));
      }
      AddPool(pool, *placement, planner.lower_bound(), &plan);
    }
    plan.top.buffer_sizes = plan.buffer_sizes;
    plan.graph_hash = IntervalHash(*file_);
    return plan;
  }

  const char* rows_path() const override { return file_->is_csv ? "" : "buffers"; }
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

  std::unique_ptr<IntervalFile> file_;
  std::vector<IntervalProblem> pools_;
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
