// Placing in time order, for problems where nothing else is quick.
#ifndef MEMPLAN_AUTO_FREE_LIST_STAGE_H_
#define MEMPLAN_AUTO_FREE_LIST_STAGE_H_

#include <string_view>

#include "auto/auto_state.h"

namespace memplan {

// The planner free_list.
class FreeListStage : public AutoStage {
 public:
  std::string_view name() const override { return "free_list"; }
  int64_t Step(AutoState* state, int64_t budget) override;
  bool done() const override { return done_; }

 private:
  bool done_ = false;
};

}  // namespace memplan

#endif  // MEMPLAN_AUTO_FREE_LIST_STAGE_H_
