#include "auto/race_stage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bounds.h"
#include "planners/search.h"

namespace memplan {
namespace {

constexpr int64_t kRound = 64'000;  // steps of both together
constexpr int32_t kShares = 16;

// How many 16ths of the steps search gets; 0: none. Measured: at 2,500 random buffers it is far
// ahead of squeeze, at 10,000 it finds nothing in ten seconds.
int32_t SearchShare(const Problem& problem) {
  const BufferIndex count = problem.count();
  if (problem.has_gaps() || !problem.conflicts.empty()) {
    // Then it works on sets of conflicts, which are many sooner.
    return count <= 300 ? 12 : count <= 800 ? 4 : 0;
  }
  if (count <= 1'500) return 15;
  return count <= 5'000 ? 12 : count <= 20'000 ? 2 : 0;
}

}  // namespace

int64_t RaceStage::Step(AutoState* state, int64_t budget) {
  if (!begun_) return Begin(state);
  if (turn_left_ <= 0 || (searching_ ? !search_ : !squeeze_)) NextTurn();
  budget = std::min(budget, turn_left_);
  const int64_t used =
      std::max<int64_t>(1, searching_ ? StepSearch(state, budget) : StepSqueeze(state, budget));
  turn_left_ -= used;
  return used;
}

int64_t RaceStage::Begin(AutoState* state) {
  begun_ = true;
  // Costs more than the passes' own, and says more where there are pins or explicit conflicts.
  if (const Result<Bytes> bound = LowerBound(state->problem())) state->RaiseBound(*bound);
  search_share_ = SearchShare(state->problem());
  if (search_share_ > 0) {
    SearchStart start;
    if (state->has_plan()) start.placement = &state->best();
    start.lower_bound = state->bound();
    search_ = MakeSearch(state->problem(), state->options(), start);
  }
  std::vector<int64_t> offset = state->BestInUnits();
  if (!offset.empty()) {
    squeeze_ = std::make_unique<Squeeze>(
        state->packing(), state->tree(), state->conflicts(), state->highest_load(),
        std::move(offset), state->best().peak, !state->passes_are_slow, state->options().seed);
  }
  return 1 + state->packing().count() / 10;
}

void RaceStage::NextTurn() {
  searching_ = search_ && (!searching_ || !squeeze_);
  const int32_t share = searching_ ? search_share_ : kShares - search_share_;
  turn_left_ = kRound * share / kShares;
}

int64_t RaceStage::StepSearch(AutoState* state, int64_t budget) {
  const int64_t used = search_->Step(budget);
  state->RaiseBound(search_->lower_bound());
  const Placement* placement = search_->best();
  if (placement && (!state->has_plan() || placement->peak < state->best().peak)) {
    state->Offer("search", *placement, used);
  } else {
    state->Charge("search", used);
  }
  if (search_->done()) search_.reset();
  return used;
}

int64_t RaceStage::StepSqueeze(AutoState* state, int64_t budget) {
  const Bytes before = squeeze_->peak();
  const int64_t used = squeeze_->Step(budget);
  if (squeeze_->peak() < before) {
    state->Offer("squeeze", squeeze_->offset(), used);
  } else {
    state->Charge("squeeze", used);
  }
  if (squeeze_->done()) squeeze_.reset();
  return used;
}

}  // namespace memplan
