// One algorithm at work on the problems of several pools.
#ifndef MEMPLAN_POOL_RACE_H_
#define MEMPLAN_POOL_RACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placement.h"
#include "planner.h"
#include "problem.h"
#include "result.h"

namespace memplan {

// Gives each pool's planner an equal share of the steps, in turns of fixed length, so the sum of
// steps alone decides how far each has come.
class PoolRace {
 public:
  // INVALID_OPTION where no planner has that name, UNSUPPORTED where it cannot honour what a
  // problem asks. The problems outlive the race. Empty `algorithm`: the default, auto.
  static Result<PoolRace> Start(std::string_view algorithm, std::vector<const Problem*> problems,
                                const SearchOptions& options);

  // Works for about `budget` steps; false when nothing is left to do. Every pool has a plan after
  // the first call.
  bool Step(int64_t budget);
  bool done() const { return done_; }

  std::string_view phase() const;
  int64_t steps() const { return steps_; }
  // Sums over the pools; kNoBytes before each has a plan.
  Bytes best_peak() const;
  // True where every pool has a plan and their sum is more than kMaxBytes.
  bool IsTooLarge() const;
  Bytes lower_bound() const;

  const Planner& planner(size_t pool) const { return *planners_[pool]; }
  size_t pool_count() const { return planners_.size(); }

  // The algorithm that found most of the bytes; that of the race itself where it runs no others.
  std::string_view winner() const;
  // Totals over the pools, in the order of the first pool's. Where one algorithm was not needed in
  // some pool any more, that pool's best counts.
  std::vector<PlannerResult> results() const;

 private:
  PoolRace(const PlannerInfo& info, std::vector<const Problem*> problems,
           const SearchOptions& options);
  bool GoodEnough() const;

  std::string_view name_;
  std::vector<std::unique_ptr<Planner>> planners_;
  Bytes stop_at_ = kNoBytes;
  size_t turn_ = 0;        // whose turn it is
  int64_t turn_left_ = 0;  // steps
  int64_t steps_ = 0;
  bool started_ = false;
  bool done_ = false;
};

}  // namespace memplan

#endif  // MEMPLAN_POOL_RACE_H_
