// Random placement problems for tests, the same on every machine.
#ifndef MEMPLAN_TESTS_CORE_RANDOM_PROBLEM_H_
#define MEMPLAN_TESTS_CORE_RANDOM_PROBLEM_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "problem.h"

namespace memplan {

// splitmix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [from, to], both inclusive.
  int64_t Between(int64_t from, int64_t to) {
    return from + static_cast<int64_t>(Next() % static_cast<uint64_t>(to - from + 1));
  }
  bool OneIn(int64_t n) { return Between(1, n) == 1; }

 private:
  uint64_t state_;
};

struct RandomProblemOptions {
  int32_t buffers = 20;
  Tick ticks = 20;
  Tick longest = 8;
  Bytes largest = 64;
  bool alignments = false;
  bool pins = false;
  bool gaps = false;
  bool conflicts = false;
  bool base = false;
};

// Buffers in tie order. Pins never collide; some buffers are never live or of
// size 0.
inline Problem RandomProblem(const RandomProblemOptions& options, uint64_t seed) {
  Random random(seed);
  struct Row {
    Tick lower, upper;
    Bytes size, alignment, pin;
    std::vector<Gap> gaps;
  };
  std::vector<Row> rows;
  for (int32_t i = 0; i < options.buffers; ++i) {
    Row row{};
    row.lower = static_cast<Tick>(random.Between(0, options.ticks - 1));
    row.upper = static_cast<Tick>(row.lower + random.Between(1, options.longest));
    row.size = random.Between(1, options.largest);
    if (random.OneIn(30)) row.size = 0;
    if (random.OneIn(30)) row.upper = row.lower;
    row.alignment = options.alignments ? Bytes{1} << random.Between(0, 5) : 1;
    row.pin = kNoBytes;
    Tick from = row.lower + 1;
    while (options.gaps && row.upper - from >= 2 && random.OneIn(2)) {
      const Tick start = static_cast<Tick>(random.Between(from, row.upper - 2));
      const Tick end = static_cast<Tick>(random.Between(start + 1, row.upper - 1));
      row.gaps.push_back({start, end});
      from = end + 1;
    }
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.size != b.size) return a.size > b.size;
    if (a.lower != b.lower) return a.lower < b.lower;
    return a.upper < b.upper;
  });
  Problem problem;
  if (options.base && random.OneIn(2)) problem.base = random.Between(1, 100);
  if (options.gaps) problem.first_gap.push_back(0);
  for (const Row& row : rows) {
    problem.lower.push_back(row.lower);
    problem.upper.push_back(row.upper);
    problem.size.push_back(row.size);
    if (options.alignments) problem.alignment.push_back(row.alignment);
    if (options.gaps) {
      problem.gaps.insert(problem.gaps.end(), row.gaps.begin(), row.gaps.end());
      problem.first_gap.push_back(static_cast<uint32_t>(problem.gaps.size()));
    }
  }
  if (options.conflicts) {
    for (int32_t i = 0; i < options.buffers / 2; ++i) {
      const auto a = static_cast<BufferIndex>(random.Between(0, options.buffers - 1));
      const auto b = static_cast<BufferIndex>(random.Between(0, options.buffers - 1));
      if (a != b) problem.conflicts.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(problem.conflicts.begin(), problem.conflicts.end());
    problem.conflicts.erase(std::unique(problem.conflicts.begin(), problem.conflicts.end()),
                            problem.conflicts.end());
  }
  if (options.pins) {
    problem.pin.assign(problem.size.size(), kNoBytes);
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (!random.OneIn(8)) continue;
      const Bytes alignment = problem.alignment_of(b);
      const Bytes lowest = AlignUp(problem.base, alignment) / alignment;
      problem.pin[b] = alignment * random.Between(lowest, lowest + 3 * options.largest / alignment);
      for (BufferIndex other = 0; other < b; ++other) {
        if (problem.pin[other] == kNoBytes || !Conflicts(problem, b, other)) continue;
        const bool overlap = problem.pin[b] < problem.pin[other] + problem.size[other] &&
                             problem.pin[other] < problem.pin[b] + problem.size[b];
        if (overlap) problem.pin[b] = kNoBytes;
        if (overlap) break;
      }
    }
  }
  return problem;
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_CORE_RANDOM_PROBLEM_H_
