#include "planner.h"

#include <algorithm>

namespace memplan {
namespace {

// Filled before main by the registrations; a function-local static, since their
// order is not known.
std::vector<PlannerInfo>& Table() {
  static std::vector<PlannerInfo> table;
  return table;
}

class OnePass : public Planner {
 public:
  OnePass(const Problem& problem, PlaceFunction place) : problem_(problem), place_(place) {}

  int64_t Step(int64_t) override {
    if (done_) return 0;
    placement_ = place_(problem_);
    if (const Result<MaxLive> live = ComputeMaxLive(problem_); live) bound_ = live->bytes;
    is_whole_ = placement_.complete() && placement_.peak <= kMaxBytes;
    done_ = true;
    return problem_.count();
  }
  bool done() const override { return done_; }
  const Placement* best() const override {
    const bool fits = problem_.capacity == kNoBytes || placement_.peak <= problem_.capacity;
    return is_whole_ && fits ? &placement_ : nullptr;
  }
  Bytes smallest_peak() const override { return is_whole_ ? placement_.peak : kNoBytes; }
  Bytes lower_bound() const override { return bound_; }
  bool infeasible() const override {
    return problem_.capacity != kNoBytes && bound_ > problem_.capacity;
  }

 private:
  const Problem& problem_;
  PlaceFunction place_;
  Placement placement_;
  Bytes bound_ = 0;
  bool done_ = false;
  bool is_whole_ = false;  // everything is placed, within kMaxBytes
};

}  // namespace

PlannerRegistration::PlannerRegistration(const PlannerInfo& info) {
  std::vector<PlannerInfo>& table = Table();
  const auto place = std::upper_bound(
      table.begin(), table.end(), info, [](const PlannerInfo& a, const PlannerInfo& b) {
        return a.order != b.order ? a.order < b.order : a.name < b.name;
      });
  table.insert(place, info);
}

const std::vector<PlannerInfo>& AllPlanners() { return Table(); }

const PlannerInfo* FindPlanner(std::string_view name) {
  for (const PlannerInfo& info : Table()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::unique_ptr<Planner> MakeOnePass(const Problem& problem, PlaceFunction place) {
  return std::make_unique<OnePass>(problem, place);
}

}  // namespace memplan
