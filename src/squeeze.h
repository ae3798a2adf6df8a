// Makes a plan smaller, a ceiling at a time.
#ifndef MEMPLAN_SQUEEZE_H_
#define MEMPLAN_SQUEEZE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/conflict_index.h"
#include "engine/packing.h"
#include "engine/slot_tree.h"
#include "engine/splitmix.h"
#include "repair.h"

namespace memplan {

// Sets a ceiling between the bound and the best plan, builds a plan under it that lacks some items
// (the best plan without what is above, or a pass in some order), and repairs it; over and over,
// with other weights and orders. Never done by itself unless the bound is met; deterministic in
// steps.
class Squeeze {
 public:
  // `offset` is a whole plan in units, `peak` its peak in bytes. Without `uses_passes` each attempt
  // starts from the best plan. All but offset outlive it.
  Squeeze(const Packing& packing, const SlotTree& tree, const ConflictIndex& conflicts,
          const std::vector<int64_t>& highest_load, std::vector<int64_t> offset, Bytes peak,
          bool uses_passes, uint64_t seed);

  // Returns the steps used, about `budget` save where one pass takes more.
  int64_t Step(int64_t budget);
  bool done() const { return peak_ <= packing_.bound; }
  // Grows smaller from time to time.
  Bytes peak() const { return peak_; }
  const std::vector<int64_t>& offset() const { return best_; }

 private:
  // Sets up the next attempt; returns its steps.
  int64_t BeginAttempt();
  void EndAttempt();
  Bytes ChooseCeiling();
  std::vector<int64_t> CutAt(Bytes ceiling) const;
  std::vector<int64_t> BuildUnder(Bytes ceiling, int64_t* steps);
  std::vector<ItemIndex> RandomOrder();

  const Packing& packing_;
  const SlotTree& tree_;
  const ConflictIndex& conflicts_;
  const std::vector<int64_t>& highest_load_;
  std::vector<int64_t> best_;
  Bytes peak_;
  bool uses_passes_;
  SplitMix random_;
  std::unique_ptr<Repair> repair_;
  int64_t slice_ = 0;     // steps of an attempt's repair
  int32_t failures_ = 0;  // since the last success
};

}  // namespace memplan

#endif  // MEMPLAN_SQUEEZE_H_
