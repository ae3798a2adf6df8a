#include "auto/race_stage.h"

#include <algorithm>
#include <utility>

namespace memplan {

int64_t RaceStage::Step(AutoState* state, int64_t budget) {
  if (!begun_) return Begin(state);
  return StepSqueeze(state, budget);
}

int64_t RaceStage::Begin(AutoState* state) {
  begun_ = true;
  std::vector<int64_t> offset = state->BestInUnits();
  if (!state->passes_are_slow && !offset.empty()) {
    squeeze_ = std::make_unique<Squeeze>(state->packing(), state->tree(), state->conflicts(),
                                         state->highest_load(), std::move(offset),
                                         state->best().peak, state->options().seed);
  }
  done_ = squeeze_ == nullptr;
  return 1 + state->packing().count() / 10;
}

int64_t RaceStage::StepSqueeze(AutoState* state, int64_t budget) {
  const Bytes before = squeeze_->peak();
  const int64_t used = squeeze_->Step(budget);
  if (squeeze_->peak() < before) {
    state->Offer("squeeze", squeeze_->offset(), used);
  } else {
    state->Charge("squeeze", used);
  }
  done_ = squeeze_->done();
  return std::max<int64_t>(1, used);
}

}  // namespace memplan
