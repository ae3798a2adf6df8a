// Mends a plan that lacks a few buffers, under a ceiling.
#ifndef MEMPLAN_REPAIR_H_
#define MEMPLAN_REPAIR_H_

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "engine/conflict_index.h"
#include "engine/packing.h"
#include "engine/splitmix.h"

namespace memplan {

struct RepairSettings {
  Bytes ceiling = 0;         // no item may end above it
  int tightness_halves = 4;  // exponent of the tightness of an item's slots, in halves
  int degree_halves = 1;     // exponent of the number of its conflicts, in halves
  int64_t move_limit = INT64_MAX;
  int64_t step_limit = INT64_MAX;
  int32_t growth_limit = INT32_MAX;  // gives up when so many more are unplaced than at first
  uint64_t seed = 0;
};

// Guided ejection, after Nagata & Braysy 2009 (A powerful route minimization heuristic for the
// vehicle routing problem with time windows): takes an unplaced item, and if no gap below the
// ceiling holds it, puts it where what must go is least missed, which goes to the unplaced ones.
// Missed most is what was hard to place before (a counter an item), what lives in a slot with no
// slack, and what has many conflicts. Counted in moves, never by the clock; decisions are in whole
// numbers.
class Repair {
 public:
  enum class State : uint8_t { kRunning, kSolved, kFailed };

  // `offset` in units, -1 where unplaced; what is placed is valid and ends at or below the ceiling.
  // `highest_load` as HighestLoads has it. All but the settings and offsets outlive the repair.
  Repair(const Packing& packing, const ConflictIndex& conflicts,
         const std::vector<int64_t>& highest_load, const RepairSettings& settings,
         std::vector<int64_t> offset);

  // Makes moves until about `budget` steps are used; returns the steps used.
  int64_t Step(int64_t budget);
  State state() const { return state_; }
  int64_t moves() const { return moves_; }
  // Whole where solved.
  const std::vector<int64_t>& offset() const { return offset_; }
  std::vector<int64_t> TakeOffset() { return std::move(offset_); }

 private:
  // A placed conflict of the item in question.
  struct Range {
    int64_t from;
    int64_t to;
    ItemIndex item;
  };
  // What a place costs: pinned items, which cannot go, count before all else.
  struct Cost {
    int32_t pinned = 0;
    int64_t missed = 0;
    void Add(const Cost& other) {
      pinned += other.pinned;
      missed += other.missed;
    }
    void Remove(const Cost& other) {
      pinned -= other.pinned;
      missed -= other.missed;
    }
    friend auto operator<=>(const Cost&, const Cost&) = default;
  };
  struct Choice {
    int64_t offset = -1;
    Cost cost;
    uint32_t ties = 0;
  };

  void SetWeights(const std::vector<int64_t>& highest_load);
  int64_t HighestOffset(ItemIndex item) const;
  int64_t Move();
  void ListConflicts(ItemIndex item);
  void SortKeys();
  void SortByOffset();
  int64_t SmallestGap(ItemIndex item) const;
  int64_t CheapestPlace(ItemIndex item);
  void Consider(int64_t offset, const Cost& cost, Choice* choice);
  void Eject(int64_t from, int64_t to);
  void AddToPool(ItemIndex item);
  Cost CostOf(ItemIndex item) const;

  const Packing& packing_;
  const ConflictIndex& conflicts_;
  RepairSettings settings_;
  std::vector<int64_t> offset_;
  std::vector<uint32_t> weight_;    // how much an item is missed, its counter left out
  std::vector<uint16_t> hardness_;  // how often an item had to push others out
  std::priority_queue<std::pair<int64_t, ItemIndex>> pool_;  // largest size x conflicts first
  int size_shift_ = 0;  // keeps size x conflicts within 63 bits
  size_t pool_at_first_ = 0;
  SplitMix random_;
  int64_t moves_ = 0;
  int64_t steps_ = 0;
  State state_ = State::kRunning;
  std::vector<Range> ranges_;             // of the item in question, by offset
  std::vector<Cost> costs_;               // of the ranges
  std::vector<uint64_t> keys_, scratch_;  // for sorting
  std::vector<Range> unsorted_;
};

}  // namespace memplan

#endif  // MEMPLAN_REPAIR_H_
