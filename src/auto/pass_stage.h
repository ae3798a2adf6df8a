// One pass, and the repair of what it left over.
#ifndef MEMPLAN_AUTO_PASS_STAGE_H_
#define MEMPLAN_AUTO_PASS_STAGE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "auto/auto_state.h"
#include "engine/order_planner.h"
#include "repair.h"

namespace memplan {

// Runs the pass of the planner `name` under the bound as its ceiling. Where few items are left over
// the repair tries to fit them in, up to `repairs` times with other seeds.
class PassStage : public AutoStage {
 public:
  PassStage(std::string_view name, const OrderPass& pass, int32_t repairs)
      : name_(name), pass_(pass), repairs_(repairs) {}

  std::string_view name() const override { return repair_ || tries_ > 0 ? "repair" : name_; }
  int64_t Step(AutoState* state, int64_t budget) override;
  bool done() const override { return done_; }

 private:
  int64_t Place(AutoState* state);
  int64_t Mend(AutoState* state, int64_t budget);
  void BeginTry(AutoState* state);

  std::string_view name_;
  OrderPass pass_;
  int32_t repairs_;
  bool placed_ = false;
  bool done_ = false;
  std::vector<int64_t> under_ceiling_;  // the pass's plan without what was left over
  int64_t left_over_ = 0;
  int64_t pass_steps_ = 0;
  int32_t tries_ = 0;
  std::unique_ptr<Repair> repair_;
  int64_t try_steps_ = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_AUTO_PASS_STAGE_H_
