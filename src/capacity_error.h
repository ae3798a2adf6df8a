// What to say when nothing fits a capacity.
#ifndef MEMPLAN_CAPACITY_ERROR_H_
#define MEMPLAN_CAPACITY_ERROR_H_

#include <cstdint>
#include <string>

#include "problem.h"
#include "result.h"

namespace memplan {

// How far a planner came with a problem that has a capacity, of which it found no plan that fits.
struct CapacityVerdict {
  bool proven = false;        // nothing fits, however long one looks
  Bytes lower_bound = 0;      // no plan is smaller
  Bytes smallest = kNoBytes;  // the smallest plan found, whether it fits or not
  bool chosen = false;        // other choices than those made beforehand might fit
};

// How the input calls a problem's buffers and ticks.
class ProblemNames {
 public:
  virtual ~ProblemNames() = default;
  virtual std::string BufferName(BufferIndex buffer) const = 0;
  virtual int64_t TimeOf(Tick tick) const = 0;
};

// DOES_NOT_FIT where that is proven, else NOT_FOUND_IN_TIME, with details for the tick where most
// bytes are live: what lives there, what is missing, the three largest culprits. `required` is what
// is live there if that alone is too much; else the least that is known to be needed (proven) or
// to be enough. TOO_LARGE where there is no capacity: only kMaxBytes can be in the way then.
Error MakeCapacityError(const Problem& problem, MemId mem_id, const ProblemNames& names,
                        const CapacityVerdict& verdict);

}  // namespace memplan

#endif  // MEMPLAN_CAPACITY_ERROR_H_
