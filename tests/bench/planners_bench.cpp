// The smallest plans and how soon: `auto` on interval problems, real networks and repeated
// densenets, each beside the best that is known elsewhere. Seconds are of CPU. Arguments: the
// folder of test data; a folder with problems that are not among it (MiniMalloc's I and K), or `-`;
// names of rows (none: all).
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

#include "densenet.h"
#include "interval_csv.h"
#include "interval_problem.h"
#include "plan.h"
#include "plan_job.h"
#include "planner.h"

namespace memplan {
namespace {

struct Row {
  std::string_view name;
  const char* file;  // null: a repeated densenet
  double limit;      // seconds
  int seeds;         // 1 to this; the median is told
  const char* known;
};

// MiniMalloc and idealloc natively, on two cores; see the README of the problems.
constexpr Row kRows[] = {
    {"A", "A.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 5.3 s"},
    {"B", "B.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 4.9 s"},
    {"C", "C.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 0.8 s"},
    {"E", "E.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 3.8 s"},
    {"F", "F.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 5.3 s"},
    {"G", "G.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 1.1 s"},
    {"H", "H.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 1.6 s"},
    {"I", "I.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 4.0 s"},
    {"K", "K.1048576.csv", 20, 1, "MiniMalloc, told 1048576: 0.6 s"},
    {"D", "D.1048576.csv", 20, 5, "MiniMalloc 1031168; bound 986112"},
    {"J", "J.1048576.csv", 20, 5, "MiniMalloc 1036288; bound 989184"},
    {"resnet50", "somas_resnet50.csv", 5, 1, "MiniMalloc at the bound in 0.6 s"},
    {"G_1", "iopddl_G_1.csv", 5, 1, "MiniMalloc at the bound in 3.4 s"},
    {"random_1000", "random_1000.csv", 5, 1, "MiniMalloc at the bound in 0.1 s"},
    {"random_50000", "random_50000.csv", 5, 1, "greedy by size 2.4% over"},
    {"Y_1", "iopddl_Y_1.csv", 5, 1, "idealloc 0.36% over in 35 s"},
    {"chain_10k", nullptr, 5, 1, ""},
    {"chain_1M", nullptr, 20, 1, "TFLite's planner: n^2, 15 s for 50k"},
    {"training_10k", nullptr, 5, 1, ""},
    {"training_1M", nullptr, 20, 1, "TFLite's planner: n^2, 15 s for 50k"},
};

// What each of MiniMalloc's problems is told to fit in.
constexpr Bytes kTold = 1048576;

double Seconds() {
#ifdef __EMSCRIPTEN__
  return EM_ASM_DOUBLE({
    const used = process.cpuUsage();
    return (used.user + used.system) / 1e6;
  });
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

// Of the module, which only grows; 0 natively.
double MemoryInBytes() {
#ifdef __wasm__
  return 65536.0 * static_cast<double>(__builtin_wasm_memory_size(0));
#else
  return 0;
#endif
}

std::optional<std::vector<char>> ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::vector<char>{std::istreambuf_iterator<char>(in), {}};
}

class Bench {
 public:
  Bench(std::string data, std::string more, std::vector<std::string_view> wanted)
      : data_(std::move(data)), more_(std::move(more)), wanted_(std::move(wanted)) {}

  void Print() const {
    std::printf("%-14s %8s %14s %10s %9s %-20s %s\n", "problem", "buffers", "peak", "over bound",
                "ms", "found by", "known");
    PrintRows();
    if (Wanted("told")) PrintTold();
    if (Wanted("networks")) PrintNetworks();
  }

 private:
  struct Outcome {
    Bytes peak = 0;
    Bytes bound = 0;
    double seconds = 0;
    std::string winner;
  };

  bool Wanted(std::string_view name) const {
    return wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
  }
  std::optional<Problem> Load(const Row& row) const;
  Outcome Plan(const Problem& problem, double limit, const SearchOptions& options) const;
  void PrintRows() const;
  Outcome PrintRow(const Row& row, const Problem& problem) const;
  void PrintTold() const;
  void PrintNetworks() const;

  std::string data_;
  std::string more_;
  std::vector<std::string_view> wanted_;
};

// Nothing where neither folder has it.
std::optional<Problem> Bench::Load(const Row& row) const {
  if (row.file == nullptr) {
    const int32_t tensors = row.name.ends_with("1M") ? 1'000'000 : 10'000;
    return row.name.starts_with("chain") ? DensenetChain(tensors) : DensenetTraining(tensors);
  }
  auto text = ReadFile(std::filesystem::path(data_) / "intervals" / row.file);
  if (!text) text = ReadFile(std::filesystem::path(more_) / row.file);
  if (!text) return std::nullopt;
  Result<IntervalFile> file = ReadIntervalCsv(*text);
  if (!file) return std::nullopt;
  auto pools = MakeIntervalProblems(*file, {}, false);
  if (!pools || pools->empty()) return std::nullopt;
  return std::move((*pools)[0].problem);
}

Bench::Outcome Bench::Plan(const Problem& problem, double limit,
                           const SearchOptions& options) const {
  const double begin = Seconds();
  const std::unique_ptr<Planner> planner = FindPlanner("auto")->make(problem, options);
  while (!planner->done() && Seconds() - begin < limit) planner->Step(10'000);
  Outcome outcome;
  outcome.seconds = Seconds() - begin;
  outcome.peak = planner->best() ? planner->best()->peak : 0;
  outcome.bound = planner->lower_bound();
  outcome.winner = planner->winner();
  return outcome;
}

// The median of the seeds by peak, then by time.
Bench::Outcome Bench::PrintRow(const Row& row, const Problem& problem) const {
  const double memory = MemoryInBytes();
  std::vector<Outcome> outcomes;
  for (int seed = row.seeds > 1 ? 1 : 0; seed <= (row.seeds > 1 ? row.seeds : 0); ++seed) {
    outcomes.push_back(Plan(problem, row.limit, {.seed = static_cast<uint64_t>(seed)}));
  }
  std::sort(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) {
    return a.peak != b.peak ? a.peak < b.peak : a.seconds < b.seconds;
  });
  const Outcome median = outcomes[outcomes.size() / 2];
  std::printf(
      "%-14s %8d %14lld %9.5f%% %9.1f %-20s", row.name.data(), problem.count(),
      static_cast<long long>(median.peak),
      100.0 * static_cast<double>(median.peak - median.bound) / static_cast<double>(median.bound),
      1e3 * median.seconds, median.winner.c_str());
  if (memory > 0 && problem.count() > 500'000) {
    // The problem itself was there before: 16 bytes a buffer.
    std::printf(" %.0f bytes a buffer", 16 + (MemoryInBytes() - memory) / problem.count());
  }
  std::printf(" %s", row.known);
  if (row.seeds > 1) {
    const Outcome& last = outcomes.back();
    std::printf("; seeds 1 to %d, worst %lld after %.1f s", row.seeds,
                static_cast<long long>(last.peak), last.seconds);
  }
  std::printf("\n");
  std::fflush(stdout);
  return median;
}

void Bench::PrintRows() const {
  double sum = 0;
  int proven = 0;
  int summed = 0;
  for (const Row& row : kRows) {
    if (!Wanted(row.name)) continue;
    const std::optional<Problem> problem = Load(row);
    if (!problem) {
      std::printf("%-14s not here\n", row.name.data());
      continue;
    }
    const Outcome outcome = PrintRow(row, *problem);
    if (row.name.size() > 1 || row.seeds > 1) continue;
    sum += outcome.seconds;
    proven += outcome.peak == outcome.bound;
    ++summed;
  }
  if (summed > 1) {
    std::printf("%-14s %8d of them proven, %.2f s in sum. MiniMalloc, told 1048576: 27 s\n",
                "A-C, E-I, K", proven, sum);
  }
}

// MiniMalloc's problems, each until it fits in what MiniMalloc is told.
void Bench::PrintTold() const {
  double sum = 0;
  int fitting = 0;
  int summed = 0;
  for (const Row& row : kRows) {
    if (row.name.size() > 1) continue;
    const std::optional<Problem> problem = Load(row);
    if (!problem) continue;
    const Outcome outcome = Plan(*problem, 20, {.stop_at = kTold});
    sum += outcome.seconds;
    fitting += outcome.peak <= kTold;
    ++summed;
  }
  std::printf("%-14s %8d of %d within 1048576, %.2f s in sum. MiniMalloc: 32.4 s\n", "A-K, stopAt",
              fitting, summed, sum);
}

// The networks of the corpus: reading not counted.
void Bench::PrintNetworks() const {
  double sum = 0, worst = 0;
  int optimal = 0;
  int count = 0;
  std::string slowest;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(data_) / "corpus/graphs")) {
    const std::string name = entry.path().stem().string();
    if (name.ends_with("_plan")) continue;
    std::optional<std::vector<char>> text = ReadFile(entry.path());
    if (!text) continue;
    auto job = PlanJob::Start(std::move(*text), {});
    if (!job) continue;
    ++count;
    const double begin = Seconds();
    while ((*job)->Step(10'000) && Seconds() - begin < 5) {
    }
    const double took = Seconds() - begin;
    const Result<memplan::Plan> plan = (*job)->Finish();
    optimal += plan && plan->optimal;
    sum += took;
    if (took > worst) {
      worst = took;
      slowest = name;
    }
  }
  std::printf("%-14s %8d of %d proven optimal, %.1f ms in sum, at most %.1f ms (%s)\n", "networks",
              optimal, count, 1e3 * sum, 1e3 * worst, slowest.c_str());
}

}  // namespace
}  // namespace memplan

int main(int argc, char** argv) {
  const std::vector<std::string_view> names(argv + std::min(argc, 3), argv + argc);
  memplan::Bench(argc > 1 ? argv[1] : "tests/data", argc > 2 ? argv[2] : "-", names).Print();
  return 0;
}
