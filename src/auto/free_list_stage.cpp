#include "auto/free_list_stage.h"

#include "engine/free_list.h"

namespace memplan {

int64_t FreeListStage::Step(AutoState* state, int64_t) {
  const int64_t steps = state->packing().count() + 1;
  state->Offer(name(), PlaceInTimeBothWays(state->packing()), steps);
  done_ = true;
  return steps;
}

}  // namespace memplan
