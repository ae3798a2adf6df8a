#include "executorch/algorithm.h"

#include <array>

#include "executorch/greedy_2024.h"
#include "executorch/greedy_2026.h"
#include "executorch/naive.h"
#include "executorch/suite.h"

namespace memplan::executorch {
namespace {

constexpr std::array kAlgorithms = {
    Algorithm{Rules::kExecutorch2024, "naive", "every tensor after the last, nothing shared", true,
              Naive2024},
    Algorithm{Rules::kExecutorch2024, "greedy",
              "in order of first use, into the free shared object of the closest size", false,
              Greedy2024},
    Algorithm{Rules::kExecutorch2026, "naive", "every tensor after the last, nothing shared", false,
              Naive2026},
    Algorithm{Rules::kExecutorch2026, "greedy",
              "largest first, into the first shared object with room for its lifetime", false,
              Greedy2026},
    Algorithm{Rules::kExecutorch2026, "greedy_no_overlap",
              "greedy, where a shared object holds one tensor at a time", false, GreedyNoOverlap},
    Algorithm{Rules::kExecutorch2026, "suite_naive_greedy", "naive, then greedy; the smaller",
              false, SuiteNaiveGreedy},
    Algorithm{Rules::kExecutorch2026, "suite_greedy_naive", "greedy, then naive; the smaller",
              false, SuiteGreedyNaive},
};

}  // namespace

void Settle(const Task& task, const Outcome& outcome) {
  for (size_t i = 0; i < task.tensors->size(); ++i) {
    const TensorIndex t = (*task.tensors)[i];
    task.state->mem_id[t] = outcome.mem_id[i];
    task.state->offset[t] = outcome.offset[i];
    if (!outcome.object.empty()) task.state->object[t] = outcome.object[i];
  }
}

const Algorithm* FindAlgorithm(Rules rules, std::string_view name) {
  if (name.empty()) name = "greedy";
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.rules == rules && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::string ListAlgorithms(Rules rules) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.rules != rules) continue;
    if (!names.empty()) names += ", ";
    names += algorithm.name;
  }
  return names;
}

}  // namespace memplan::executorch
