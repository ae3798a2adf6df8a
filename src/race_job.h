// What jobs under `sound` have in common: one race of planners over the pools' problems.
#ifndef MEMPLAN_RACE_JOB_H_
#define MEMPLAN_RACE_JOB_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "options.h"
#include "plan_job.h"
#include "pool_race.h"
#include "problem.h"
#include "result.h"

namespace memplan {

class RaceJob : public PlanJob {
 public:
  bool Step(int64_t budget) final { return race_->Step(budget); }
  Progress progress() const final {
    return {race_->phase(), race_->best_peak(), race_->lower_bound(), race_->steps()};
  }
  // TOO_LARGE where the pools together need more than kMaxBytes.
  Result<Plan> Finish() final;

 protected:
  // `bytes` is what names point into.
  RaceJob(std::vector<char> bytes, Options options);

  // Enters the problems, which must stay where they are. Errors: those of PoolRace::Start.
  Status StartRace(std::vector<const Problem*> problems);

  // The best plan so far; at least one step has been made.
  virtual Result<Plan> MakePlan() = 0;
  // JSON path of the input's rows, for what is wrong with many of them; empty where it is no JSON.
  virtual const char* rows_path() const = 0;

  const PoolRace& race() const { return *race_; }
  const Options& options() const { return options_; }

 private:
  std::vector<char> bytes_;
  Options options_;
  std::optional<PoolRace> race_;
};

}  // namespace memplan

#endif  // MEMPLAN_RACE_JOB_H_
