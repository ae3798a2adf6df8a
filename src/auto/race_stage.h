// The slow methods side by side, until somebody stops them.
#ifndef MEMPLAN_AUTO_RACE_STAGE_H_
#define MEMPLAN_AUTO_RACE_STAGE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "auto/auto_state.h"
#include "squeeze.h"

namespace memplan {

// Exact search and squeeze in turns of steps. Search proves, and is better on small problems;
// squeeze is better on large ones.
class RaceStage : public AutoStage {
 public:
  std::string_view name() const override { return turn_ == Turn::kSearch ? "search" : "squeeze"; }
  int64_t Step(AutoState* state, int64_t budget) override;
  bool done() const override { return done_; }

 private:
  enum class Turn : uint8_t { kSearch, kSqueeze };

  int64_t Begin(AutoState* state);
  int64_t StepSqueeze(AutoState* state, int64_t budget);

  bool begun_ = false;
  bool done_ = false;
  Turn turn_ = Turn::kSqueeze;
  std::unique_ptr<Squeeze> squeeze_;
};

}  // namespace memplan

#endif  // MEMPLAN_AUTO_RACE_STAGE_H_
