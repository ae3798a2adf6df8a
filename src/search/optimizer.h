// Narrows the range of the least peak, attempt by attempt, until its ends meet.
#ifndef MEMPLAN_SEARCH_OPTIMIZER_H_
#define MEMPLAN_SEARCH_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "placement.h"
#include "search/attempt_engine.h"
#include "search/beginnings.h"
#include "search/restarts.h"
#include "units.h"

namespace memplan {

// What is known of the least peak and what is wanted, in bytes.
struct PeakRange {
  Bytes lower = 0;  // proven: no plan's peak is below
  Bytes upper = 0;  // only plans below are of use: the best peak, or the capacity and one
  Bytes good_enough = kNoBytes;  // a plan this small ends the search

  bool settled(bool found) const { return lower >= upper || (found && upper <= good_enough); }
};

class Optimizer {
 public:
  // `found`: there is a plan of peak range.upper already.
  Optimizer(std::unique_ptr<AttemptEngine> engine, const PeakRange& range, bool found,
            uint64_t seed);

  // Works until `work` (about microseconds) is done or the range is settled;
  // returns the work done.
  int64_t Run(int64_t work);
  bool settled() const { return range_.settled(found_); }
  const PeakRange& range() const { return range_; }
  // Null until it finds a plan itself; its peak is range().upper.
  const Placement* best() const { return best_.offset.empty() ? nullptr : &best_; }

 private:
  Bytes LeastTarget() const;
  Bytes ChooseTarget();
  void Begin();
  void Continue(const Beginning& from);
  void Conclude();

  std::unique_ptr<AttemptEngine> engine_;
  Portfolio portfolio_;
  PeakRange range_;
  bool found_;
  Placement best_;
  // Under a higher target more is placed anyhow: those of attempts for the least
  // one, which stay good, and those of all attempts since the last plan.
  Beginnings least_beginnings_;
  Beginnings beginnings_;
  Attempt attempt_;
  std::vector<PlacedBuffer> kept_;  // of the attempt's: a part of an earlier one
  int64_t attempt_work_ = 0;
  Bytes target_ = 0;
  int64_t attempts_ = 0;
  bool running_ = false;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_OPTIMIZER_H_
