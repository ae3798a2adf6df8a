#include "executorch/suite.h"

#include <utility>
#include <vector>

#include "executorch/greedy_2026.h"
#include "executorch/naive.h"
#include "executorch/upstream_error.h"

namespace memplan::executorch {
namespace {

using Run = Result<Outcome> (*)(const Task& task);

// True where `a` sums to less than `b`, of the same length. 2^16 sizes of up to 2^53 do not fit one
// word, so upper and lower halves are summed apart.
bool SumsToLess(const std::vector<Bytes>& a, const std::vector<Bytes>& b) {
  constexpr int kHalf = 32;
  constexpr Bytes kLow = (Bytes{1} << kHalf) - 1;
  Bytes high = 0;
  Bytes low = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    high += (a[i] >> kHalf) - (b[i] >> kHalf);
    low += (a[i] & kLow) - (b[i] & kLow);
  }
  high += low >> kHalf;
  return high < 0;
}

Result<Outcome> TakeBetter(const Task& task, Run first, Run second) {
  Result<Outcome> one = first(task);
  if (!one) return one;
  Result<Outcome> two = second(task);
  if (!two) return two;
  if (one->sizes.size() != two->sizes.size()) {
    return FailAsUpstream("SUITE_DISAGREE",
                          "The algorithms of the suite answer with sizes for different numbers of "
                          "mem_ids, which executorch-2026 refuses");
  }
  return SumsToLess(two->sizes, one->sizes) ? std::move(two) : std::move(one);
}

}  // namespace

Result<Outcome> SuiteNaiveGreedy(const Task& task) {
  return TakeBetter(task, Naive2026, Greedy2026);
}

Result<Outcome> SuiteGreedyNaive(const Task& task) {
  return TakeBetter(task, Greedy2026, Naive2026);
}

}  // namespace memplan::executorch
