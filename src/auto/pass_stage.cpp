#include "auto/pass_stage.h"

#include <algorithm>
#include <utility>

namespace memplan {
namespace {

// More left over than this, or than one in so many, is a flat load, where repair hardly helps.
constexpr int64_t kMostLeftOver = 500;
constexpr int64_t kLeastPerLeftOver = 10;

}  // namespace

int64_t PassStage::Step(AutoState* state, int64_t budget) {
  if (!placed_) return Place(state);
  return Mend(state, budget);
}

int64_t PassStage::Place(AutoState* state) {
  placed_ = true;
  PassResult pass = RunOrderPass(state->packing(), state->tree(), pass_);
  if (!pass.finished) {
    if (pass_.fit == Fit::kFirst) state->passes_are_slow = true;
    state->Charge(name_, pass.steps);
    done_ = true;
    return pass.steps;
  }
  state->Offer(name_, pass.offset, pass.steps);
  pass_steps_ = pass.steps;
  left_over_ = static_cast<int64_t>(pass.left_over.size());
  done_ = repairs_ == 0 || left_over_ == 0 || left_over_ > kMostLeftOver ||
          left_over_ * kLeastPerLeftOver > state->packing().count();
  if (!done_) {
    for (const ItemIndex item : pass.left_over) pass.offset[item] = -1;
    under_ceiling_ = std::move(pass.offset);
  }
  return pass.steps;
}

void PassStage::BeginTry(AutoState* state) {
  RepairSettings settings;
  settings.ceiling = state->packing().bound;
  settings.move_limit = 1000 + 20 * left_over_;
  settings.growth_limit = 200;
  settings.step_limit = 100'000 + 4 * pass_steps_;
  settings.seed = state->options().seed * 16 + static_cast<uint64_t>(tries_);
  repair_ = std::make_unique<Repair>(state->packing(), state->conflicts(), state->highest_load(),
                                     settings, under_ceiling_);
  ++tries_;
  try_steps_ = 0;
}

int64_t PassStage::Mend(AutoState* state, int64_t budget) {
  int64_t used = 0;
  if (!repair_) {
    BeginTry(state);
    used += 1 + state->packing().count() / 10;
  }
  used += repair_->Step(budget - used);
  try_steps_ += used;
  if (repair_->state() == Repair::State::kRunning) return used;
  if (repair_->state() == Repair::State::kSolved) {
    state->Offer("repair", repair_->offset(), try_steps_);
    done_ = true;
  } else {
    state->Charge("repair", try_steps_);
    done_ = tries_ == repairs_;
  }
  repair_.reset();
  if (done_) under_ceiling_.clear();
  return used;
}

}  // namespace memplan
