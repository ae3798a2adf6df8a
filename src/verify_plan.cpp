#include <utility>

#include "executorch/verifier.h"
#include "json_walker.h"
#include "message.h"
#include "plan_job.h"
#include "plan_reader.h"

namespace memplan {
namespace {

// The ExecuTorch rules know one graph at a time: methods are checked one after the other, and what
// is said of them says where.
Report VerifyByExecutorch(const Program& program, const Plan& plan, const Options& options) {
  if (program.graph != nullptr) return VerifyExecutorch(program, plan.top, options);
  Report whole;
  for (const GraphPlan& method : plan.methods) {
    Report report = VerifyExecutorch(program, method, options);
    whole.ok &= report.ok;
    const bool counts = whole.reuse_pairs >= 0 && report.reuse_pairs >= 0;
    whole.reuse_pairs = counts ? whole.reuse_pairs + report.reuse_pairs : -1;
    for (Fault& fault : report.errors) {
      fault.graph = program.names[method.graph->name];
      whole.errors.push_back(std::move(fault));
    }
  }
  return whole;
}

// Of two texts the message says which one is wrong; so does the path where it counts bytes.
tl::unexpected<Error> InPlan(Error error) {
  error.message = Message({"in the plan: ", error.message});
  if (error.path.starts_with("byte ")) error.path = Message({"plan ", error.path});
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<Report> VerifyPlan(std::vector<char> input, std::vector<char> plan_json,
                          const Options& options) {
  Result<JsonInput> problem = ReadInput(&input, options.inplace);
  if (!problem) return tl::unexpected(problem.error());
  const size_t size = plan_json.size();
  plan_json.resize(size + kJsonPadding, '\0');
  const std::span<char> json{plan_json.data(), size};
  if (problem->intervals != nullptr) {
    Result<PlanFile> plan = ReadIntervalPlan(json, *problem->intervals);
    if (!plan) return InPlan(plan.error());
    return VerifyIntervals(*problem->intervals, *plan, options);
  }
  Result<PlanFile> plan = ReadPlan(json, *problem->program);
  if (!plan) return InPlan(plan.error());
  if (options.rules == Rules::kSound) return VerifySound(*problem->program, *plan, options);
  return VerifyByExecutorch(*problem->program, plan->plan, options);
}

}  // namespace memplan
