#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "auto/auto_state.h"
#include "auto/free_list_stage.h"
#include "auto/pass_stage.h"
#include "auto/race_stage.h"
#include "engine/orders.h"
#include "planner.h"

namespace memplan {
namespace {

// What runs when, each only if nothing before it reached the bound. On real networks the first pass
// or its repair ends it.
std::vector<std::unique_ptr<AutoStage>> MakeStages() {
  std::vector<std::unique_ptr<AutoStage>> stages;
  const auto add_pass = [&](std::string_view name, const OrderPass& pass, int32_t repairs) {
    stages.push_back(std::make_unique<PassStage>(name, pass, repairs));
  };
  add_pass("first_fit_by_load", kFirstFitByLoad, 3);
  add_pass("first_fit_by_class", kFirstFitByClass, 0);
  add_pass("first_fit_by_size", kFirstFitBySize, 0);
  add_pass("best_fit_by_load", kBestFitByLoad, 1);
  stages.push_back(std::make_unique<RaceStage>());
  return stages;
}

class Auto : public Planner {
 public:
  Auto(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options) {}

  // What one call does too much, the next does less: only the sum of budgets counts.
  int64_t Step(int64_t budget) override {
    if (done_) return 0;
    const int64_t before = granted_;
    granted_ += budget;
    while (!done_ && used_ < granted_) used_ += Work(granted_ - used_);
    return done_ ? std::clamp<int64_t>(used_ - before, 0, budget) : budget;
  }
  bool done() const override { return done_; }
  const Placement* best() const override {
    const bool fits = state_ && state_->has_plan() &&
                      (problem_.capacity == kNoBytes || state_->best().peak <= problem_.capacity);
    return fits ? &state_->best() : nullptr;
  }
  Bytes lower_bound() const override { return state_ ? state_->bound() : 0; }
  bool infeasible() const override {
    return problem_.capacity != kNoBytes && lower_bound() > problem_.capacity;
  }
  Bytes smallest_peak() const override {
    return state_ && state_->has_plan() ? state_->best().peak : kNoBytes;
  }
  std::string_view winner() const override { return state_ ? state_->winner() : ""; }
  std::vector<PlannerResult> results() const override {
    return state_ ? state_->results() : std::vector<PlannerResult>();
  }
  std::string_view phase() const override {
    return done_ || stages_.empty() ? std::string_view() : stages_[stage_]->name();
  }

 private:
  int64_t Work(int64_t budget) {
    if (!state_) return Prepare();
    AutoStage& stage = *stages_[stage_];
    const int64_t used = stage.Step(state_.get(), budget);
    if (stage.done()) NextStage();
    done_ = done_ || state_->Enough() || infeasible();
    return used;
  }

  // Also runs the first pass, so that there is a plan after any step.
  int64_t Prepare() {
    state_ = std::make_unique<AutoState>(problem_, options_);
    stages_ = MakeStages();
    int64_t used = 1 + problem_.count() / 4;
    // A pass can fail: take too many steps, or pass kMaxBytes.
    constexpr int kPasses = 4;
    for (int i = 0; i < kPasses && !done_ && !state_->has_plan(); ++i) used += Work(1);
    return used;
  }

  void NextStage() {
    stages_[stage_].reset();
    ++stage_;
    if (state_->passes_are_slow && !retreated_) {
      // Nothing that is made of passes is worth another try here.
      retreated_ = true;
      stages_.clear();
      stages_.push_back(std::make_unique<FreeListStage>());
      stages_.push_back(std::make_unique<PassStage>("first_fit_by_size", kFirstFitBySize, 0));
      stages_.push_back(std::make_unique<RaceStage>());
      stage_ = 0;
    }
    done_ = stage_ == stages_.size();
  }

  const Problem& problem_;
  SearchOptions options_;
  std::unique_ptr<AutoState> state_;
  std::vector<std::unique_ptr<AutoStage>> stages_;
  size_t stage_ = 0;
  int64_t granted_ = 0;
  int64_t used_ = 0;
  bool retreated_ = false;
  bool done_ = false;
};

const PlannerRegistration kPlanner({
    .name = "auto",
    .summary = "Quick planners first, then repair and search, until the smallest plan is proven",
    .source = "memplan",
    .order = 0,
    .honours = kHonoursAll,
    .searches = true,
    .make = [](const Problem& problem, const SearchOptions& options) -> std::unique_ptr<Planner> {
      return std::make_unique<Auto>(problem, options);
    },
});

}  // namespace
}  // namespace memplan
