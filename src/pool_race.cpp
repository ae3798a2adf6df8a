#include "pool_race.h"

#include <algorithm>

#include "message.h"

namespace memplan {
namespace {

constexpr int64_t kTurn = 20'000;
constexpr std::string_view kDefaultAlgorithm = "auto";

// What the problem asks beyond sizes, times and one alignment. Gaps can always be taken as live.
uint32_t Asks(const Problem& problem) {
  uint32_t asks = 0;
  if (!problem.alignment.empty()) asks |= kHonoursAlignment;
  if (!problem.pin.empty()) asks |= kHonoursPins;
  if (!problem.conflicts.empty()) asks |= kHonoursConflicts;
  return asks;
}

}  // namespace

Result<PoolRace> PoolRace::Start(std::string_view algorithm, std::vector<const Problem*> problems,
                                 const SearchOptions& options) {
  if (algorithm.empty()) algorithm = kDefaultAlgorithm;
  const PlannerInfo* info = FindPlanner(algorithm);
  if (info == nullptr) {
    std::string message = Message({"no algorithm has the name \"", algorithm, "\"; there are"});
    for (const PlannerInfo& known : AllPlanners()) {
      message += Message({&known == &AllPlanners().front() ? " " : ", ", known.name});
    }
    return Fail(ErrorCode::kInvalidOption, std::move(message), "algorithm");
  }
  for (const Problem* problem : problems) {
    const uint32_t missing = Asks(*problem) & ~info->honours;
    if (missing == 0) continue;
    const char* what = (missing & kHonoursPins) != 0        ? "pinned offsets"
                       : (missing & kHonoursConflicts) != 0 ? "conflicts"
                                                            : "different alignments in one pool";
    return Fail(ErrorCode::kUnsupported, Message({"\"", algorithm, "\" cannot honour ", what}),
                "algorithm");
  }
  return PoolRace(*info, std::move(problems), options);
}

PoolRace::PoolRace(const PlannerInfo& info, std::vector<const Problem*> problems,
                   const SearchOptions& options)
    : name_(info.name), stop_at_(options.stop_at) {
  SearchOptions each = options;
  // How the bytes are best shared out among several pools is not known beforehand.
  if (problems.size() != 1) each.stop_at = kNoBytes;
  for (const Problem* problem : problems) planners_.push_back(info.make(*problem, each));
  done_ = planners_.empty();
}

bool PoolRace::Step(int64_t budget) {
  if (!started_) {
    started_ = true;
    // A plan for every pool before any is improved.
    for (const auto& planner : planners_) {
      const int64_t used = planner->Step(1);
      steps_ += used;
      budget -= used;
    }
  }
  size_t idle = 0;
  while (!done_ && budget > 0) {
    Planner& planner = *planners_[turn_];
    if (planner.done() || turn_left_ <= 0) {
      idle = planner.done() ? idle + 1 : 0;
      turn_ = (turn_ + 1) % planners_.size();
      turn_left_ = kTurn;
      done_ = idle >= planners_.size() || GoodEnough();
      continue;
    }
    const int64_t used = planner.Step(std::min(budget, turn_left_));
    steps_ += used;
    budget -= used;
    turn_left_ -= used;
    idle = 0;
  }
  if (!done_) {
    done_ = std::all_of(planners_.begin(), planners_.end(),
                        [](const auto& planner) { return planner->done(); });
  }
  return !done_;
}

bool PoolRace::GoodEnough() const {
  const Bytes best = best_peak();
  if (stop_at_ == kNoBytes || best == kNoBytes || best > stop_at_) return false;
  // That each fits its capacity too is another matter.
  return std::all_of(planners_.begin(), planners_.end(),
                     [](const auto& planner) { return planner->best() != nullptr; });
}

std::string_view PoolRace::phase() const {
  for (size_t i = 0; i < planners_.size(); ++i) {
    const Planner& planner = *planners_[(turn_ + i) % planners_.size()];
    if (!planner.done()) return planner.phase().empty() ? name_ : planner.phase();
  }
  return name_;
}

Bytes PoolRace::best_peak() const {
  Bytes sum = 0;
  for (const auto& planner : planners_) {
    const Bytes peak = planner->smallest_peak();
    if (peak == kNoBytes || !FitsBytes(sum, peak)) return kNoBytes;
    sum += peak;
  }
  return sum;
}

bool PoolRace::IsTooLarge() const {
  return best_peak() == kNoBytes &&
         std::all_of(planners_.begin(), planners_.end(),
                     [](const auto& planner) { return planner->smallest_peak() != kNoBytes; });
}

Bytes PoolRace::lower_bound() const {
  Bytes sum = 0;
  for (const auto& planner : planners_) {
    const Bytes bound = planner->lower_bound();
    sum = FitsBytes(sum, bound) ? sum + bound : kMaxBytes;
  }
  return sum;
}

std::string_view PoolRace::winner() const {
  std::string_view winner;
  Bytes most = -1;
  for (const auto& planner : planners_) {
    const Bytes peak = planner->smallest_peak();
    if (planner->winner().empty() || peak <= most) continue;
    winner = planner->winner();
    most = peak;
  }
  return winner.empty() ? name_ : winner;
}

std::vector<PlannerResult> PoolRace::results() const {
  std::vector<PlannerResult> totals;
  for (const auto& planner : planners_) {
    for (const PlannerResult& result : planner->results()) {
      const bool known = std::any_of(totals.begin(), totals.end(), [&](const PlannerResult& t) {
        return t.algorithm == result.algorithm;
      });
      if (!known) totals.push_back({result.algorithm, 0, 0});
    }
  }
  for (PlannerResult& total : totals) {
    for (const auto& planner : planners_) {
      const std::vector<PlannerResult> own = planner->results();
      const auto found = std::find_if(own.begin(), own.end(), [&](const PlannerResult& r) {
        return r.algorithm == total.algorithm;
      });
      const Bytes peak = found != own.end() ? found->peak : planner->smallest_peak();
      if (found != own.end()) total.steps += found->steps;
      const bool is_size =
          peak != kNoBytes && total.peak != kNoBytes && FitsBytes(total.peak, peak);
      total.peak = is_size ? total.peak + peak : kNoBytes;
    }
  }
  return totals;
}

}  // namespace memplan
