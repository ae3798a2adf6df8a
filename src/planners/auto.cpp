#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "planner.h"

namespace memplan {
namespace {

constexpr std::array<std::string_view, 3> kCheap = {"greedy_by_size", "greedy", "naive"};

class Auto : public Planner {
 public:
  Auto(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options) {}

  int64_t Step(int64_t budget) override {
    int64_t used = 0;
    while (!done_ && used < std::max<int64_t>(1, budget)) used += RunNext();
    return used;
  }
  bool done() const override { return done_; }
  const Placement* best() const override { return winner_.empty() ? nullptr : &best_; }
  Bytes lower_bound() const override { return bound_; }
  bool infeasible() const override {
    return problem_.capacity != kNoBytes && bound_ > problem_.capacity;
  }
  Bytes smallest_peak() const override { return smallest_; }
  std::string_view winner() const override { return winner_; }
  std::vector<PlannerResult> results() const override { return results_; }
  std::string_view phase() const override { return done_ ? std::string_view() : kCheap[next_]; }

 private:
  int64_t RunNext() {
    const PlannerInfo* info = FindPlanner(kCheap[next_++]);
    const std::unique_ptr<Planner> planner = info->make(problem_, options_);
    int64_t steps = 0;
    while (!planner->done()) steps += planner->Step(1'000'000);
    bound_ = std::max(bound_, planner->lower_bound());
    const Placement* placed = planner->best();
    const Bytes peak = planner->smallest_peak();
    if (peak != kNoBytes && (smallest_ == kNoBytes || peak < smallest_)) smallest_ = peak;
    results_.push_back({info->name, placed ? placed->peak : kNoBytes, steps});
    if (placed && (winner_.empty() || placed->peak < best_.peak)) {
      best_ = *placed;
      winner_ = info->name;
    }
    const bool enough = !winner_.empty() && best_.peak <= std::max(bound_, options_.stop_at);
    done_ = enough || infeasible() || next_ == kCheap.size();
    return std::max<int64_t>(1, steps);
  }

  const Problem& problem_;
  SearchOptions options_;
  Placement best_;
  std::string_view winner_;
  std::vector<PlannerResult> results_;
  Bytes bound_ = 0;
  Bytes smallest_ = kNoBytes;
  size_t next_ = 0;
  bool done_ = false;
};

const PlannerRegistration kAuto({
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
