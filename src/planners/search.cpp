#include "planners/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bounds.h"
#include "engine/order_planner.h"
#include "engine/slot_tree.h"
#include "search/attempt_engine.h"
#include "search/optimizer.h"
#include "search/section_problem.h"

namespace memplan {
namespace {

// Above this many buffers times sections, or conflicting pairs, the search
// would need more memory than it is worth.
constexpr size_t kMostPairs = 4'000'000;

class Search final : public Planner {
 public:
  Search(const Problem& problem, const SearchOptions& options, const SearchStart& start)
      : problem_(problem), options_(options), bound_(start.lower_bound) {
    if (start.placement) Keep(*start.placement);
  }

  int64_t Step(int64_t budget) override;
  bool done() const override { return done_; }
  const Placement* best() const override { return best_ ? &*best_ : nullptr; }
  Bytes lower_bound() const override { return bound_; }
  bool infeasible() const override {
    return pins_collide_ || (problem_.capacity != kNoBytes && bound_ > problem_.capacity);
  }

 private:
  // The highest end a plan may have.
  Bytes Most() const { return problem_.capacity == kNoBytes ? kMaxBytes : problem_.capacity; }
  void Keep(const Placement& placement);
  bool Settled() const;
  int64_t Begin();
  int64_t MakeFirstPlan();
  void Refresh();

  const Problem& problem_;
  const SearchOptions options_;
  Bytes bound_;
  std::optional<Placement> best_;
  std::unique_ptr<Optimizer> optimizer_;
  int64_t granted_ = 0;
  int64_t used_ = 0;
  bool begun_ = false;
  bool done_ = false;
  bool pins_collide_ = false;
};

bool PinsCollide(const Problem& problem) {
  if (problem.pin.empty()) return false;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    const Bytes pin = problem.pin_of(b);
    if (pin == kNoBytes || !problem.is_live(b)) continue;
    if (pin < problem.base || pin % problem.alignment_of(b) != 0) return true;
  }
  return !FindPinCollisions(problem).empty();
}

void Search::Keep(const Placement& placement) {
  if (placement.peak > Most()) return;
  if (!best_ || placement.peak < best_->peak) best_ = placement;
}

bool Search::Settled() const {
  if (infeasible()) return true;
  return best_ && best_->peak <= std::max(bound_, options_.stop_at);
}

int64_t Search::MakeFirstPlan() {
  const Packing packing(problem_);
  const SlotTree tree(packing);
  int64_t steps = 0;
  Keep(PlaceByOrder(packing, tree, kFirstFitBySize, &steps));
  return steps;
}

int64_t Search::Begin() {
  begun_ = true;
  pins_collide_ = PinsCollide(problem_);
  int64_t steps = 1 + problem_.count();
  if (const Result<Bytes> bound = LowerBound(problem_)) {
    bound_ = std::max(bound_, *bound);
  } else {
    done_ = true;  // sums beyond kMaxBytes: nothing to plan with
    return steps;
  }
  if (infeasible()) return steps;
  if (!best_) steps += MakeFirstPlan();
  if (Settled()) return steps;
  PeakRange range;
  range.lower = bound_;
  range.upper = Most() + 1;
  if (best_) range.upper = std::min(range.upper, best_->peak);
  range.good_enough = options_.stop_at;
  std::unique_ptr<AttemptEngine> engine = HasSectionForm(problem_)
                                              ? MakeSectionEngine(problem_, kMostPairs)
                                              : MakeCliqueEngine(problem_, kMostPairs);
  if (!engine) {
    done_ = true;
    return steps;
  }
  optimizer_ =
      std::make_unique<Optimizer>(std::move(engine), range, best_.has_value(), options_.seed);
  return steps;
}

void Search::Refresh() {
  if (optimizer_) {
    bound_ = std::max(bound_, optimizer_->range().lower);
    if (optimizer_->best()) Keep(*optimizer_->best());
    done_ = optimizer_->settled();
  }
  if (Settled()) done_ = true;
  // A search that ends without a plan has proven that there is none; one that
  // ends with a plan may know a bound above its peak.
  if (best_) bound_ = std::min(bound_, best_->peak);
}

int64_t Search::Step(int64_t budget) {
  if (done_) return 0;
  // What one call does too much, the next does less: only the sum counts.
  const int64_t before = granted_;
  granted_ += budget;
  if (!begun_) used_ += Begin();
  if (optimizer_ && !done_ && used_ < granted_) used_ += optimizer_->Run(granted_ - used_);
  Refresh();
  return done_ ? std::clamp<int64_t>(used_ - before, 0, budget) : budget;
}

const PlannerRegistration kSearch({
    .name = "search",
    .summary = "Branch and bound until the smallest plan is found and proven",
    .source = "memplan; backjumping after Prosser 1993, restarts after Luby, Sinclair & Zuckerman "
              "1993",
    .order = 90,
    .honours = kHonoursAll,
    .searches = true,
    .make = [](const Problem& problem,
               const SearchOptions& options) { return MakeSearch(problem, options, {}); },
});

}  // namespace

std::unique_ptr<Planner> MakeSearch(const Problem& problem, const SearchOptions& options,
                                    const SearchStart& start) {
  return std::make_unique<Search>(problem, options, start);
}

}  // namespace memplan
