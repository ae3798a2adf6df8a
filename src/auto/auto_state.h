// What the stages of `auto` know together: the problem made ready, the best plan, the results.
#ifndef MEMPLAN_AUTO_AUTO_STATE_H_
#define MEMPLAN_AUTO_AUTO_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/conflict_index.h"
#include "engine/packing.h"
#include "engine/slot_tree.h"
#include "placement.h"
#include "planner.h"
#include "problem.h"

namespace memplan {

class AutoState {
 public:
  AutoState(const Problem& problem, const SearchOptions& options);

  const Problem& problem() const { return problem_; }
  const SearchOptions& options() const { return options_; }
  const Packing& packing() const { return packing_; }
  const SlotTree& tree() const { return tree_; }
  // Made when first asked for.
  const ConflictIndex& conflicts();
  const std::vector<int64_t>& highest_load();

  // A complete plan that `algorithm` found with so many steps; `offset` in units, or a placement
  // of the problem. One row of the results an algorithm, with its smallest peak and all its steps.
  void Offer(std::string_view algorithm, const std::vector<int64_t>& offset, int64_t steps);
  void Offer(std::string_view algorithm, const Placement& placement, int64_t steps);
  // Steps that found nothing.
  void Charge(std::string_view algorithm, int64_t steps);
  void RaiseBound(Bytes bound);

  bool has_plan() const { return !winner_.empty(); }
  const Placement& best() const { return best_; }
  // The best plan in units; empty where there is none, or somebody put it between units.
  std::vector<int64_t> BestInUnits() const;
  std::string_view winner() const { return winner_; }
  const std::vector<PlannerResult>& results() const { return results_; }
  Bytes bound() const { return bound_; }
  // No smaller plan exists, or the caller wants none.
  bool Enough() const;
  // A pass took too many steps, so what is built of passes is too slow here.
  bool passes_are_slow = false;

 private:
  PlannerResult& RowOf(std::string_view algorithm);
  void Keep(std::string_view algorithm, Placement placement);

  const Problem& problem_;
  SearchOptions options_;
  Packing packing_;
  SlotTree tree_;
  std::optional<ConflictIndex> conflicts_;
  std::vector<int64_t> highest_load_;
  Placement best_;
  std::string_view winner_;
  std::vector<PlannerResult> results_;
  Bytes bound_ = 0;
};

// A part of auto's work.
class AutoStage {
 public:
  virtual ~AutoStage() = default;
  // As in the table of planners, or the name of the method.
  virtual std::string_view name() const = 0;
  // Works for about `budget` steps; returns the steps used, at least 1.
  virtual int64_t Step(AutoState* state, int64_t budget) = 0;
  virtual bool done() const = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_AUTO_AUTO_STATE_H_
