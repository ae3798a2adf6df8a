// An interval file to the placement problems of its pools, and what to say of them in its terms.
#ifndef MEMPLAN_INTERVAL_PROBLEM_H_
#define MEMPLAN_INTERVAL_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "capacity_error.h"
#include "interval_file.h"
#include "problem.h"
#include "result.h"

namespace memplan {

// The rows of one mem_id.
struct IntervalProblem {
  MemId mem_id = 1;
  Problem problem;            // buffers in tie order
  std::vector<int32_t> row;   // of each buffer: its row in the file
  std::vector<int64_t> time;  // of each tick; empty where tick t is time first_time + t
  int64_t first_time = 0;

  int64_t TimeOf(Tick tick) const { return time.empty() ? first_time + tick : time[tick]; }
};

// One problem for each mem_id that rows have, by mem_id; none where there are no rows. `capacity`
// is the option's: one for every pool, or one per mem_id, at the index mem_id, as a plan's
// buffer_sizes are; the file's counts for pools of which it says nothing.
//
// Errors, with the JSON path or the line: TOO_LARGE where the bytes live at one time sum
// to more than kMaxBytes or a pinned buffer ends above it; INVALID_INPUT where a pin is no multiple
// of its alignment; PINS_COLLIDE where two pinned buffers that exclude each other overlap, with
// both ids, steps and bytes.
Result<std::vector<IntervalProblem>> MakeIntervalProblems(const IntervalFile& file,
                                                          std::span<const Bytes> capacity,
                                                          bool capacity_per_pool);

// Why nothing fits the capacity, in the file's ids and times.
Error IntervalCapacityError(const IntervalFile& file, const IntervalProblem& pool,
                            const CapacityVerdict& verdict);

}  // namespace memplan

#endif  // MEMPLAN_INTERVAL_PROBLEM_H_
