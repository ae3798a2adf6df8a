// The slow methods side by side, until somebody stops them.
#ifndef MEMPLAN_AUTO_RACE_STAGE_H_
#define MEMPLAN_AUTO_RACE_STAGE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "auto/auto_state.h"
#include "squeeze.h"

namespace memplan {

// Exact search and squeeze in turns of steps. Search proves, and is better where there are few
// buffers; squeeze is better where there are many. Shares depend on the problem alone.
class RaceStage : public AutoStage {
 public:
  std::string_view name() const override { return searching_ ? "search" : "squeeze"; }
  int64_t Step(AutoState* state, int64_t budget) override;
  bool done() const override { return begun_ && !search_ && !squeeze_; }

 private:
  int64_t Begin(AutoState* state);
  void NextTurn();
  int64_t StepSearch(AutoState* state, int64_t budget);
  int64_t StepSqueeze(AutoState* state, int64_t budget);

  bool begun_ = false;
  std::unique_ptr<Planner> search_;   // null where it would not help, or has given up
  std::unique_ptr<Squeeze> squeeze_;  // likewise
  int32_t search_share_ = 0;          // of 16
  bool searching_ = false;
  int64_t turn_left_ = 0;  // steps
};

}  // namespace memplan

#endif  // MEMPLAN_AUTO_RACE_STAGE_H_
