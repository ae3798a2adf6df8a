// Nanoseconds a tensor of placing alone, on repeated densenets. Prints a JSON line for each figure;
// scripts/bench.mjs runs it natively and as wasm and divides the one by the other. Arguments:
// sizes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "densenet.h"
#include "planner.h"

namespace memplan {
namespace {

double Milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// The best of some runs, in milliseconds.
double Measure(const PlannerInfo& info, const Problem& problem, Bytes* peak) {
  double best = 1e300;
  double spent = 0;
  for (int run = 0; run < 5 && (run < 1 || spent < 2000); ++run) {
    const double begin = Milliseconds();
    const std::unique_ptr<Planner> planner = info.make(problem, SearchOptions{});
    while (!planner->done()) planner->Step(1 << 16);
    const double took = Milliseconds() - begin;
    best = std::min(best, took);
    spent += took;
    *peak = planner->best() ? planner->best()->peak : kNoBytes;
  }
  return best;
}

void Report(std::string_view form, const Problem& problem) {
  for (const std::string_view name : {"naive", "greedy", "greedy_by_size", "auto"}) {
    const PlannerInfo* info = FindPlanner(name);
    if (!info) continue;
    Bytes peak = 0;
    const double ms = Measure(*info, problem, &peak);
    std::printf("{\"form\":\"%s\",\"algorithm\":\"%s\",\"tensors\":%d,\"ms\":%.4f,\"peak\":%lld}\n",
                form.data(), name.data(), problem.count(), ms, static_cast<long long>(peak));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace memplan

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {10000, 100000};
  for (const int size : sizes) {
    memplan::Report("chain", memplan::DensenetChain(size));
    memplan::Report("training", memplan::DensenetTraining(size));
  }
  return 0;
}
