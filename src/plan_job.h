// The whole way from bytes to a plan, in steps: read → lifetimes → select →
// place → verify.
#ifndef MEMPLAN_PLAN_JOB_H_
#define MEMPLAN_PLAN_JOB_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graph.h"
#include "graph_reader.h"
#include "graph_rows.h"
#include "interval_file.h"
#include "options.h"
#include "plan.h"
#include "result.h"
#include "verifier.h"

namespace memplan {

// Reads graph JSON, methods JSON, buffers JSON or CSV, told by content. `bytes` is written into and
// gets padding at its end; the result's names point into it, so it must stay where it is (moving
// the vector keeps that). Of a large input it holds the names alone afterwards.
// With `rows` the bytes are laid out as it says instead.
Result<JsonInput> ReadInput(std::vector<char>* bytes, bool keep_shapes = false,
                            const RowLayout* rows = nullptr);

struct Progress {
  std::string_view phase;      // the planner at work: "greedy_by_size", "repair", "search"
  Bytes best_peak = kNoBytes;  // summed over pools; kNoBytes before there is a plan
  Bytes lower_bound = 0;       // likewise
  int64_t steps = 0;           // used so far
};

// One planning job. Not copyable; owns the bytes it was started with, since
// names are views into them.
class PlanJob {
 public:
  // Reads and prepares. `bytes` is UTF-8: graph JSON, methods JSON, buffers
  // JSON or CSV, told by content; the reader writes into it (strings are
  // unescaped in place).
  static Result<std::unique_ptr<PlanJob>> Start(std::vector<char> bytes, const Options& options,
                                                const RowLayout* rows = nullptr);
  virtual ~PlanJob() = default;

  // Works for about `budget` steps (of planner.h); false when nothing is left
  // to do. Rules without a search finish at the first call.
  virtual bool Step(int64_t budget) = 0;
  virtual Progress progress() const = 0;
  // Ends the job with the best plan so far. DOES_NOT_FIT / NOT_FOUND_IN_TIME
  // where there is a capacity and nothing fits; otherwise there is always a
  // plan. Under `sound` the plan has passed the verifier's overlap check. Call
  // once.
  virtual Result<Plan> Finish() = 0;

  // Null / empty for interval problems, and the other way round.
  virtual const Program* program() const = 0;
  virtual const IntervalFile* intervals() const = 0;
};

// Verifies a plan in plan JSON (anybody's) against a graph or interval problem.
Result<Report> VerifyPlan(std::vector<char> input, std::vector<char> plan_json,
                          const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_PLAN_JOB_H_
