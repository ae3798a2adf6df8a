// Plans files one after the other and prints each plan, or why there is none, as JSON on a line of
// its own: what tests/bindings/native_plans.test.ts sets beside the package's plans.
//
//   memplan_plan_lines RULES ALGORITHM STEPS INPLACE FILE...
//
// RULES is 0 (sound), 1 or 2 (ExecuTorch of 2024, 2026), INPLACE 0 or 1. Status 2 where a file
// cannot be read.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "plan_job.h"
#include "plan_writer.h"

namespace memplan {
namespace {

std::string PlanLine(std::vector<char> bytes, const Options& options, int64_t steps) {
  auto job = PlanJob::Start(std::move(bytes), options);
  if (!job) return WriteErrorJson(job.error());
  (*job)->Step(steps);
  const Result<Plan> plan = (*job)->Finish();
  if (!plan) return WriteErrorJson(plan.error());
  return WritePlanJson(*plan, (*job)->program(), (*job)->intervals());
}

int PrintAll(int count, char** arguments) {
  Options options;
  options.rules = static_cast<Rules>(std::atoi(arguments[0]));
  options.algorithm = arguments[1];
  const int64_t steps = std::atoll(arguments[2]);
  options.inplace = std::atoi(arguments[3]) != 0;
  for (int i = 4; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    if (!file) return 2;
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    std::puts(PlanLine(std::move(bytes), options, steps).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace memplan

int main(int count, char** arguments) {
  return count < 6 ? 2 : memplan::PrintAll(count - 1, arguments + 1);
}
