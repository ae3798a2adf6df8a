#include "race_job.h"

#include <utility>

namespace memplan {

RaceJob::RaceJob(std::vector<char> bytes, Options options)
    : bytes_(std::move(bytes)), options_(std::move(options)) {}

Result<Plan> RaceJob::Finish() {
  if (race_->steps() == 0) race_->Step(1);
  if (race_->IsTooLarge()) {
    return Fail(ErrorCode::kTooLarge, "the pools together need more than 2^53 - 1 bytes",
                rows_path());
  }
  return MakePlan();
}

Status RaceJob::StartRace(std::vector<const Problem*> problems) {
  Result<PoolRace> race =
      PoolRace::Start(options_.algorithm, std::move(problems), {options_.seed, options_.stop_at});
  if (!race) return tl::unexpected(race.error());
  race_.emplace(std::move(*race));
  return {};
}

}  // namespace memplan
