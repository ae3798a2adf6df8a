// The smallest plans and how soon: `auto` on interval problems and repeated densenets, each beside
// the best that is known elsewhere. Arguments: the folder of the interval problems, then names of
// rows (none: all).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "densenet.h"
#include "interval_csv.h"
#include "interval_problem.h"
#include "planner.h"

namespace memplan {
namespace {

struct Row {
  std::string_view name;
  const char* file;  // null: a repeated densenet
  double limit;      // seconds
  const char* known;
};

// MiniMalloc and idealloc natively, on two cores; see the README of the problems.
constexpr Row kRows[] = {
    {"A", "A.1048576.csv", 20, "MiniMalloc, told 1048576: 5.3 s"},
    {"B", "B.1048576.csv", 20, "MiniMalloc, told 1048576: 4.9 s"},
    {"C", "C.1048576.csv", 20, "MiniMalloc, told 1048576: 0.8 s"},
    {"D", "D.1048576.csv", 20, "MiniMalloc 1031168; optimum 986112"},
    {"E", "E.1048576.csv", 20, "MiniMalloc, told 1048576: 3.8 s"},
    {"F", "F.1048576.csv", 20, "MiniMalloc, told 1048576: 5.3 s"},
    {"G", "G.1048576.csv", 20, "MiniMalloc, told 1048576: 1.1 s"},
    {"H", "H.1048576.csv", 20, "MiniMalloc, told 1048576: 1.6 s"},
    {"J", "J.1048576.csv", 20, "MiniMalloc 1036288; bound 989184"},
    {"resnet50", "somas_resnet50.csv", 5, "MiniMalloc at the bound in 0.6 s"},
    {"G_1", "iopddl_G_1.csv", 5, "MiniMalloc at the bound in 3.4 s"},
    {"random_1000", "random_1000.csv", 5, "MiniMalloc at the bound in 0.1 s"},
    {"random_50000", "random_50000.csv", 5, "greedy by size 2.4% over"},
    {"Y_1", "iopddl_Y_1.csv", 5, "idealloc 0.36% over in 35 s"},
    {"chain_10k", nullptr, 5, ""},
    {"chain_1M", nullptr, 20, "TFLite's planner: n^2, 15 s for 50k"},
    {"training_10k", nullptr, 5, ""},
    {"training_1M", nullptr, 20, "TFLite's planner: n^2, 15 s for 50k"},
};

double Seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Of the module, which only grows; 0 natively.
double MemoryInBytes() {
#ifdef __wasm__
  return 65536.0 * static_cast<double>(__builtin_wasm_memory_size(0));
#else
  return 0;
#endif
}

Problem Load(const Row& row, const std::string& folder) {
  if (row.file == nullptr) {
    const int32_t tensors = row.name.ends_with("1M") ? 1'000'000 : 10'000;
    return row.name.starts_with("chain") ? DensenetChain(tensors) : DensenetTraining(tensors);
  }
  std::ifstream in(folder + "/" + row.file, std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
  Result<IntervalFile> file = ReadIntervalCsv(text);
  if (!file) return {};
  auto pools = MakeIntervalProblems(*file, {}, false);
  return pools && !pools->empty() ? std::move((*pools)[0].problem) : Problem{};
}

void Report(const Row& row, const std::string& folder) {
  const Problem problem = Load(row, folder);
  const double memory = MemoryInBytes(), begin = Seconds();
  const std::unique_ptr<Planner> planner = FindPlanner("auto")->make(problem, {});
  while (!planner->done() && Seconds() - begin < row.limit) planner->Step(10'000);
  const double took = Seconds() - begin;
  const Bytes peak = planner->best() ? planner->best()->peak : 0, bound = planner->lower_bound();
  std::printf("%-14s %8d %14lld %9.5f%% %9.1f %-20s", row.name.data(), problem.count(),
              static_cast<long long>(peak),
              100.0 * static_cast<double>(peak - bound) / static_cast<double>(bound), 1e3 * took,
              planner->winner().data());
  if (memory > 0 && problem.count() > 500'000) {
    // The problem itself was there before: 16 bytes a buffer.
    std::printf(" %.0f bytes a buffer", 16 + (MemoryInBytes() - memory) / problem.count());
  }
  std::printf(" %s\n", row.known);
  std::fflush(stdout);
}

}  // namespace
}  // namespace memplan

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "tests/data/intervals";
  std::printf("%-14s %8s %14s %10s %9s %-20s %s\n", "problem", "buffers", "peak", "over bound",
              "ms", "found by", "known");
  for (const memplan::Row& row : memplan::kRows) {
    const auto wanted = [&](const char* name) { return row.name == name; };
    if (argc > 2 && std::none_of(argv + 2, argv + argc, wanted)) continue;
    memplan::Report(row, folder);
  }
  return 0;
}
