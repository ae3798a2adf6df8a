// The verifier under `sound` against a machine that runs graphs in planned memory: what it lets
// pass must run right, and what runs wrong it must have seen.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph_machine.h"
#include "graph_reader.h"
#include "plan_job.h"
#include "plan_reader.h"
#include "random_graph.h"
#include "random_problem.h"
#include "verifier.h"

namespace memplan {
namespace {

std::vector<char> Bytes8(const std::string& text) { return {text.begin(), text.end()}; }

// A planned random graph.
struct Planned {
  std::unique_ptr<PlanJob> job;
  Plan plan;
  std::string message;      // where there is no plan
  bool is_refused = false;  // no plan could be right
  const Program& program() const { return *job->program(); }
};

Planned PlanOf(const std::string& json, const Options& options) {
  Planned planned;
  Result<std::unique_ptr<PlanJob>> job = PlanJob::Start(Bytes8(json), options);
  if (!job) {
    planned.is_refused = job.error().code == ErrorCode::kUnsupported;
    planned.message = job.error().path + ": " + job.error().message;
    return planned;
  }
  (*job)->Step(2000);
  Result<Plan> plan = (*job)->Finish();
  if (!plan) {
    planned.message = plan.error().message;
    return planned;
  }
  planned.job = std::move(*job);
  planned.plan = std::move(*plan);
  return planned;
}

Report Verify(const Program& program, const Plan& plan, const Options& options) {
  PlanFile file;
  file.plan = plan;
  file.has_rules = true;
  Result<Report> report = VerifySound(program, file, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? *report : Report{};
}

// What the options can be, told by a number.
Options SomeOptions(uint64_t seed) {
  Options options;
  options.move_results = seed % 2 == 0;
  options.alloc_graph_input = seed / 2 % 3 != 0;
  options.alloc_graph_output = seed / 6 % 3 != 0;
  options.alloc_mutable_buffers = seed / 18 % 4 != 0;
  const char* algorithms[] = {"naive", "greedy", "greedy_by_size", "auto"};
  options.algorithm = algorithms[seed / 3 % 4];
  return options;
}

RandomGraphOptions SomeGraph(uint64_t seed) {
  RandomGraphOptions options;
  options.nodes = 4 + static_cast<int>(seed % 13);
  options.depth = static_cast<int>(seed % 4);
  options.unbound = seed % 5 == 0;
  return options;
}

std::string RunAll(const Planned& planned, const Options& options, int tries) {
  for (int i = 0; i < tries; ++i) {
    std::string fault =
        RunInPlan(planned.program(), planned.plan, options, static_cast<uint64_t>(i) + 1, 3);
    if (!fault.empty()) return fault;
  }
  return {};
}

TEST(VerifierProperty, PlansPassAndRunRight) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Options options = SomeOptions(seed);
    const std::string json = RandomGraphJson(seed, SomeGraph(seed));
    const Planned planned = PlanOf(json, options);
    refused += planned.is_refused ? 1 : 0;
    if (planned.is_refused) continue;
    ASSERT_EQ(planned.message, "") << seed << "\n" << json;
    const Report report = Verify(planned.program(), planned.plan, options);
    ASSERT_TRUE(report.ok) << seed << ": " << report.errors[0].message << "\n" << json;
    ASSERT_EQ(RunAll(planned, options, 3), "") << seed << "\n" << json;
  }
  EXPECT_LT(refused, 100);
}

}  // namespace
}  // namespace memplan
