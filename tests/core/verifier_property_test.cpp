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

// Plans random graphs and checks that each passes and runs right.
void CheckPlans(uint64_t first, uint64_t last, bool inplace) {
  int refused = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    Options options = SomeOptions(seed);
    options.inplace = inplace;
    RandomGraphOptions graph = SomeGraph(seed);
    graph.shapes = inplace;
    const std::string json = RandomGraphJson(seed, graph);
    const Planned planned = PlanOf(json, options);
    refused += planned.is_refused ? 1 : 0;
    if (planned.is_refused) continue;
    ASSERT_EQ(planned.message, "") << seed << "\n" << json;
    const Report report = Verify(planned.program(), planned.plan, options);
    ASSERT_TRUE(report.ok) << seed << ": " << report.errors[0].message << "\n" << json;
    ASSERT_EQ(RunAll(planned, options, 3), "") << seed << "\n" << json;
  }
  EXPECT_LT(refused, static_cast<int>(last - first) / 20);
}

TEST(VerifierProperty, PlansPassAndRunRight) { CheckPlans(0, 1000, false); }
TEST(VerifierProperty, PlansWithResultsInPlacePassAndRunRight) { CheckPlans(0, 1000, true); }

// The graph's plan of the tensor that `at` counts to, over all graphs of the plan.
GraphPlan* Locate(GraphPlan* plan, size_t* at) {
  if (*at < plan->mem_id.size()) return plan;
  *at -= plan->mem_id.size();
  for (GraphPlan& submodule : plan->submodules) {
    if (GraphPlan* found = Locate(&submodule, at)) return found;
  }
  return nullptr;
}

size_t CountTensors(const GraphPlan& plan) {
  size_t count = plan.mem_id.size();
  for (const GraphPlan& submodule : plan.submodules) count += CountTensors(submodule);
  return count;
}

// Changes one tensor of a plan in a way that may be wrong: moved by a few steps or to where another
// is, to another pool, or left out. False where that changes nothing.
bool Mutate(Random* random, Plan* plan) {
  const size_t count = CountTensors(plan->top);
  size_t t = random->Next() % count, other = random->Next() % count;
  GraphPlan* graph = Locate(&plan->top, &t);
  GraphPlan* from = Locate(&plan->top, &other);
  if (graph->mem_id[t] == kNoPool) return false;
  const MemId pool = graph->mem_id[t];
  const Bytes offset = graph->mem_offset[t];
  switch (random->Next() % 4) {
    case 0:
      graph->mem_offset[t] = std::max<Bytes>(0, offset + 16 * random->Between(-6, 6));
      break;
    case 1:
      if (from->mem_id[other] == kNoPool) return false;
      graph->mem_id[t] = from->mem_id[other];
      graph->mem_offset[t] = from->mem_offset[other];
      break;
    case 2:
      graph->mem_offset[t] = 16 * random->Between(0, offset / 16);
      break;
    default:
      graph->mem_id[t] = kNoPool;
      graph->mem_offset[t] = kNoBytes;
      break;
  }
  return graph->mem_id[t] != pool || graph->mem_offset[t] != offset;
}

// What runs wrong must have been seen. The other way round is not so: a plan can be wrong by the
// rules and run right by luck of the draw, or for all draws (a tensor that nobody reads).
void CheckMutants(uint64_t first, uint64_t last, bool inplace) {
  int wrong = 0, passed = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    Options options = SomeOptions(seed);
    options.inplace = inplace;
    RandomGraphOptions graph = SomeGraph(seed);
    graph.shapes = inplace;
    Planned planned = PlanOf(RandomGraphJson(seed, graph), options);
    if (planned.job == nullptr) continue;
    const Plan right = planned.plan;
    Random random(seed);
    for (int i = 0; i < 10; ++i) {
      planned.plan = right;
      for (Bytes& size : planned.plan.top.buffer_sizes) size += 256;
      if (!Mutate(&random, &planned.plan)) continue;
      const Report report = Verify(planned.program(), planned.plan, options);
      const std::string fault = RunAll(planned, options, 4);
      wrong += fault.empty() ? 0 : 1;
      passed += report.ok ? 1 : 0;
      ASSERT_TRUE(fault.empty() || !report.ok) << seed << " mutant " << i << ": " << fault;
    }
  }
  EXPECT_GT(wrong, static_cast<int>(last - first));
  EXPECT_GT(passed, static_cast<int>(last - first) / 4);
}

TEST(VerifierProperty, PlansThatRunWrongAreFaults) { CheckMutants(0, 600, false); }
TEST(VerifierProperty, PlansInPlaceThatRunWrongAreFaults) { CheckMutants(0, 300, true); }

}  // namespace
}  // namespace memplan
