#include "sound_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "composition.h"
#include "graph_hash.h"
#include "message.h"
#include "race_job.h"
#include "reports.h"
#include "sound_problem.h"
#include "verifier.h"

namespace memplan {
namespace {

class SoundJob final : public RaceJob {
 public:
  SoundJob(std::vector<char> bytes, std::unique_ptr<Program> program, Options options)
      : RaceJob(std::move(bytes), std::move(options)), program_(std::move(program)) {}

  Status Prepare() {
    Result<SoundProblem> problem = MakeSoundProblem(*program_, options());
    if (!problem) {
      Error error = problem.error();
      // Of a sum the problem knows no rows.
      if (error.code == ErrorCode::kTooLarge && error.path.empty()) error.path = rows_path();
      return tl::unexpected(std::move(error));
    }
    problem_ = std::move(*problem);
    std::vector<const Problem*> problems;
    for (const PoolProblem& pool : pools()) {
      if (pool.problem.count() > 0) problems.push_back(&pool.problem);
    }
    return StartRace(std::move(problems));
  }

  Result<Plan> MakePlan() override {
    const std::vector<const Placement*> placements = Placements();
    for (size_t p = 0; p < placements.size(); ++p) {
      if (placements[p] != nullptr || pools()[p].problem.count() == 0) continue;
      return tl::unexpected(NotFitting(p));
    }
    Plan plan;
    plan.algorithm = race().winner();
    plan.options = options();
    plan.is_sound = true;
    const Parts parts{*program_, problem_.nest, problem_.selection, placements, options()};
    if (Status fine = Compose(parts, &plan); !fine) return tl::unexpected(fine.error());
    SetBounds(&plan);
    plan.results = race().results();
    plan.graph_hash = GraphHash(*program_);
    if (Status fine = CheckOverlaps(plan); !fine) return tl::unexpected(fine.error());
    if (Status fine = AddReports(*program_, problem_, placements, &plan); !fine) {
      return tl::unexpected(fine.error());
    }
    return plan;
  }

  const char* rows_path() const override { return program_->graph ? "tensors" : "methods"; }
  const Program* program() const override { return program_.get(); }
  const IntervalFile* intervals() const override { return nullptr; }

 private:
  // A plan that is wrong is never returned.
  Status CheckOverlaps(const Plan& plan) const {
    const Result<Report> report = CheckStorageReuse(*program_, plan, options());
    if (!report) return tl::unexpected(report.error());
    if (report->ok) return {};
    return Fail(ErrorCode::kInternal, Message({"\"", plan.algorithm, "\" gave a plan in which ",
                                               report->errors.front().message}));
  }

  const std::vector<PoolProblem>& pools() const { return problem_.selection.pools; }

  // By pool; null where a pool has no buffers, or nothing that fits.
  std::vector<const Placement*> Placements() const {
    std::vector<const Placement*> placements;
    size_t planner = 0;
    for (const PoolProblem& pool : pools()) {
      const bool empty = pool.problem.count() == 0;
      placements.push_back(empty ? nullptr : race().planner(planner++).best());
    }
    return placements;
  }

  const Planner& PlannerOf(size_t pool) const {
    size_t planner = 0;
    for (size_t p = 0; p < pool; ++p) planner += pools()[p].problem.count() > 0 ? 1 : 0;
    return race().planner(planner);
  }

  Error NotFitting(size_t p) const {
    const PoolProblem& pool = pools()[p];
    const Planner& planner = PlannerOf(p);
    const bool is_spread = IsChosen(pool), has_choice = problem_.nest.has_choice;
    const Bytes bound = BoundOf(p);
    const bool fits_nowhere = has_choice ? bound > pool.problem.capacity : planner.infeasible();
    return MakeCapacityError(
        pool.problem, pool.mem_id, *MakeProblemNames(*program_, problem_.nest, pool),
        {!is_spread && fits_nowhere, bound, planner.smallest_peak(), is_spread || has_choice});
  }

  // No plan of the pool is smaller, wherever outputs of submodules were written: where some of them
  // were given a place, what is live at once is all that is proven of the others; and nothing that
  // could lie at a result counts.
  Bytes BoundOf(size_t p) const {
    const Bytes bound = PlannerOf(p).lower_bound();
    if (!problem_.nest.has_choice) return bound;
    const PoolProblem& pool = pools()[p];
    Problem rest = pool.problem;
    for (BufferIndex b = 0; b < rest.count(); ++b) {
      const BufferSource& source = pool.source[b];
      if (source.kind == BufferSource::kScratch) continue;
      const std::vector<StorageIndex>& copied = problem_.nest.graphs[source.graph].copied;
      if (std::binary_search(copied.begin(), copied.end(), source.row)) rest.size[b] = 0;
    }
    const Result<MaxLive> live = ComputeMaxLive(rest);
    return live ? std::min(bound, live->bytes) : bound;
  }

  // True where something in the pool might lie in another one.
  bool IsChosen(const PoolProblem& pool) const {
    if (!problem_.may_spread) return false;
    for (const BufferSource& source : pool.source) {
      if (source.kind == BufferSource::kScratch) continue;
      if (problem_.nest.graphs[source.graph].pool_of(source.row) == kNoPool) return true;
    }
    return false;
  }

  void SetBounds(Plan* plan) const {
    plan->lower_bound.assign(plan->buffer_sizes.size(), 0);
    plan->optimal = true;
    for (size_t p = 0; p < pools().size(); ++p) {
      const PoolProblem& pool = pools()[p];
      Bytes& bound = plan->lower_bound[pool.mem_id];
      bound = pool.problem.base;
      if (pool.problem.count() > 0) {
        bound = std::max(bound, BoundOf(p)) + pool.padding;
      }
      plan->optimal &= bound >= plan->buffer_sizes[pool.mem_id];
    }
  }

  std::unique_ptr<Program> program_;
  SoundProblem problem_;
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
