// What the optimiser needs of a search that answers one question completely: is
// there a plan no higher than a target?
#ifndef MEMPLAN_SEARCH_ATTEMPT_ENGINE_H_
#define MEMPLAN_SEARCH_ATTEMPT_ENGINE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "placement.h"
#include "problem.h"
#include "search/progress.h"
#include "search/restarts.h"
#include "units.h"

namespace memplan {

enum class AttemptOutcome : uint8_t { kRunning, kFound, kInfeasible };

class AttemptEngine {
 public:
  virtual ~AttemptEngine() = default;

  // Begins an attempt, dropping the one before. `kept` is placed beforehand, in
  // this order: the first of Deepest() of an attempt of the same direction of
  // time. Where there is any, kInfeasible proves nothing.
  virtual void Start(const Attempt& attempt, Bytes target,
                     const std::vector<PlacedBuffer>& kept) = 0;
  // Goes on until decided, until `work` (about microseconds) is done or until
  // the attempt's patience is at an end. Returns the work done, at most one
  // node's more than `work`. Where it stops changes no decision.
  virtual int64_t Run(int64_t work) = 0;
  virtual AttemptOutcome outcome() const = 0;
  virtual bool out_of_patience() const = 0;
  // What was placed when most was, in the order of placing.
  virtual std::vector<PlacedBuffer> Deepest() = 0;

  // After kFound: the plan.
  virtual void Read(Placement* placement) const = 0;
  // After kInfeasible with nothing kept: no plan's peak is below this, more than the target.
  virtual Bytes proven() const = 0;

  // The least peak >= `bytes` that a plan could have, as far as is plain.
  virtual Bytes Reachable(Bytes bytes) const = 0;
  virtual Bytes lower_bound() const = 0;
  virtual int32_t buffers() const = 0;
};

// For problems with HasSectionForm; null where the buffers' sections number more
// than `limit` together.
std::unique_ptr<AttemptEngine> MakeSectionEngine(const Problem& problem, size_t limit);
// For any problem without colliding pins; null where it has more than `limit`
// conflicting pairs.
std::unique_ptr<AttemptEngine> MakeCliqueEngine(const Problem& problem, size_t limit);

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_ATTEMPT_ENGINE_H_
