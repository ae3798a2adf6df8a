// Plan JSON, from anybody's planner, matched to the graph or interval problem that it is for.
#ifndef MEMPLAN_PLAN_READER_H_
#define MEMPLAN_PLAN_READER_H_

#include <span>
#include <string>

#include "graph.h"
#include "interval_file.h"
#include "plan.h"
#include "result.h"

namespace memplan {

// What a plan JSON says. The columns of `plan` are as long as the graph's tensors (the problem's
// rows), with "none" where the JSON has no row, no entry or null; `allocated` is kNoBytes there.
// Submodules that the JSON leaves out have such columns too. `plan.options` holds `rules` alone.
struct PlanFile {
  Plan plan;
  bool has_rules = false;
  std::string graph_hash;  // as it stands; empty where there is none
};

// `json` ends with kJsonPadding zero bytes that do not count, and is written into. Errors:
// INVALID_JSON; INVALID_INPUT and TOO_LARGE with the JSON path, also for a tensor, submodule or
// method that the graph does not have and for one that is there twice.
Result<PlanFile> ReadPlan(std::span<char> json, const Program& program);
Result<PlanFile> ReadIntervalPlan(std::span<char> json, const IntervalFile& intervals);

}  // namespace memplan

#endif  // MEMPLAN_PLAN_READER_H_
