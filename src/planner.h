// The one table of planners, and what each must offer.
#ifndef MEMPLAN_PLANNER_H_
#define MEMPLAN_PLANNER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "placement.h"
#include "problem.h"

namespace memplan {

// What a planner honours beyond size and lifetime. A problem that asks for more
// answers UNSUPPORTED.
enum Honours : uint32_t {
  kHonoursAlignment = 1,  // different alignments in one problem; a uniform one
                          // is always honoured
  kHonoursPins = 2,
  kHonoursGaps = 4,  // without it gaps count as live, which is safe but can waste bytes
  kHonoursConflicts = 8,
  kHonoursAll = 15,
};

// What a job wants from a planner that searches; the others ignore it.
struct SearchOptions {
  uint64_t seed = 0;
  Bytes stop_at = kNoBytes;  // good enough: a peak this small ends the search
};

// What one planner reached, for the table that `auto` reports.
struct PlannerResult {
  std::string_view algorithm;
  Bytes peak = kNoBytes;  // kNoBytes where it found nothing that fits
  int64_t steps = 0;
};

// A planner at work on one problem. Deterministic: the same problem, options
// and sum of budgets give the same state, whatever the sizes of the single
// steps are (a step boundary never changes a decision).
class Planner {
 public:
  virtual ~Planner() = default;

  // Works for about `budget` steps (a step is a bounded amount of work, around
  // a microsecond); returns the steps used. A one-pass planner does all its
  // work in the first call.
  virtual int64_t Step(int64_t budget) = 0;
  // True when further steps change nothing: placed, proven, or given up for
  // good.
  virtual bool done() const = 0;
  // The best complete placement so far; null before there is one, and where
  // none fits the capacity.
  virtual const Placement* best() const = 0;
  // No plan is smaller, as far as is proven yet. At least max live.
  virtual Bytes lower_bound() const = 0;
  // True where it is proven that nothing fits the problem's capacity.
  virtual bool infeasible() const { return false; }
  // The peak of the smallest complete plan found, even one that does not fit the capacity;
  // kNoBytes before there is one.
  virtual Bytes smallest_peak() const { return best() ? best()->peak : kNoBytes; }

  // For planners that run others (auto): who found best(), all results in the
  // order they ran, and what is running now, for progress.
  virtual std::string_view winner() const { return {}; }
  virtual std::vector<PlannerResult> results() const { return {}; }
  virtual std::string_view phase() const { return {}; }
};

struct PlannerInfo {
  std::string_view name;        // as in the `algorithm` option
  std::string_view summary;     // one line, for a reader who chooses
  std::string_view source;      // paper or upstream function
  int order = 0;                // place in the table shown to people; auto runs by its own order
  uint32_t honours = 0;         // of Honours
  bool shared_objects = false;  // whole slots only; its placements name objects
  bool searches = false;        // works in many steps
  // `problem` outlives the planner.
  std::unique_ptr<Planner> (*make)(const Problem& problem, const SearchOptions& options) = nullptr;
};

// A planner's file holds one static PlannerRegistration; nothing else knows the
// planner by name.
struct PlannerRegistration {
  explicit PlannerRegistration(const PlannerInfo& info);
};

// All planners, by (order, name).
const std::vector<PlannerInfo>& AllPlanners();
// Null where no planner has that name.
const PlannerInfo* FindPlanner(std::string_view name);

// A planner made of one function that places everything at once.
using PlaceFunction = Placement (*)(const Problem& problem);
std::unique_ptr<Planner> MakeOnePass(const Problem& problem, PlaceFunction place);

}  // namespace memplan

#endif  // MEMPLAN_PLANNER_H_
