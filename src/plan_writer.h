// Plans, errors, reports and the table of planners as text.
#ifndef MEMPLAN_PLAN_WRITER_H_
#define MEMPLAN_PLAN_WRITER_H_

#include <string>

#include "graph.h"
#include "interval_file.h"
#include "plan.h"
#include "result.h"
#include "verifier.h"

namespace memplan {

enum class PlanForm : uint8_t {
  kWhole,  // plan JSON as FORMAT.md has it
  // The same with a number in place of each graph's `tensors`: 0, 1, … in the order of the text.
  // For a reader that takes the tensors as columns, graph by graph in that order.
  kHead,
};

// Plan JSON, without white space, keys in a fixed order. Of `program` and `intervals` one is null.
std::string WritePlanJson(const Plan& plan, const Program* program, const IntervalFile* intervals,
                          PlanForm form = PlanForm::kWhole);

// MiniMalloc's CSV with offsets: header `id,lower,upper,size,offset`, then a line a buffer, in the
// file's order.
std::string WritePlanCsv(const Plan& plan, const IntervalFile& intervals);

// {"code","message"} and, where there are any, "path" and "details".
std::string WriteErrorJson(const Error& error);

// {"ok","reuse_pairs","errors"}.
std::string WriteReportJson(const Report& report);

// [{"name","summary","source","honours","shared_objects","searches"}], the table of planners in
// order.
std::string WriteAlgorithmsJson();

}  // namespace memplan

#endif  // MEMPLAN_PLAN_WRITER_H_
