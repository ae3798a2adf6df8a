// A graph given as JSON text, planned: what the tests of single rooms look at.
#ifndef MEMPLAN_TESTS_PLANNED_H_
#define MEMPLAN_TESTS_PLANNED_H_

#include <memory>
#include <string_view>
#include <vector>

#include "plan.h"
#include "plan_job.h"
#include "result.h"

namespace memplan {

// The job must outlive the plan, whose names are views.
struct Planned {
  std::unique_ptr<PlanJob> job;
  Plan plan;
  Error error;  // where there is no plan
  bool ok = false;

  explicit Planned(std::string_view text, const Options& options = {}) {
    auto started = PlanJob::Start(std::vector<char>(text.begin(), text.end()), options);
    if (!started) {
      error = started.error();
      return;
    }
    job = std::move(*started);
    // More than any small graph needs.
    for (int turn = 0; turn < 100 && job->Step(100'000); ++turn) {
    }
    Result<Plan> finished = job->Finish();
    if (!finished) {
      error = finished.error();
      return;
    }
    plan = std::move(*finished);
    ok = true;
  }
};

}  // namespace memplan

#endif  // MEMPLAN_TESTS_PLANNED_H_
