// What the overlap sweep works on: bytes of a pool that are taken for a while.
#ifndef MEMPLAN_VERIFIER_LIVE_ITEM_H_
#define MEMPLAN_VERIFIER_LIVE_ITEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units.h"

namespace memplan::verifier {

using ItemIndex = int32_t;

struct LiveItem {
  Bytes from = 0;     // inclusive
  Bytes to = 0;       // exclusive; items are never empty
  int32_t first = 0;  // tick, inclusive
  int32_t last = 0;   // tick, inclusive
  int32_t owner = 0;  // storage, or row of an interval problem
  MemId pool = 1;
  // Not 0: a result of the cond at place `born_late` - 1 of the graph's flows, which puts the first
  // data into it: until its branches have ended nothing of worth is there.
  int32_t born_late = 0;
};

// The items by when they begin and when they end.
class Schedule {
 public:
  // Ticks are 0 to `ticks` - 1.
  Schedule(const std::vector<LiveItem>& items, int32_t ticks);

  int32_t ticks() const { return static_cast<int32_t>(at_.size()); }
  // Calls fn(item) for each item that begins (ends) at `tick`, in the order of items.
  template <typename Fn>
  void ForBegins(int32_t tick, Fn fn) const {
    for (ItemIndex i = at_[tick].begins; i != kNone; i = after_[i].begins) fn(i);
  }
  template <typename Fn>
  void ForEnds(int32_t tick, Fn fn) const {
    for (ItemIndex i = at_[tick].ends; i != kNone; i = after_[i].ends) fn(i);
  }

 private:
  static constexpr ItemIndex kNone = -1;
  // Lists, one a tick and kind.
  struct Next {
    ItemIndex begins = kNone;
    ItemIndex ends = kNone;
  };
  std::vector<Next> at_;     // by tick: the first
  std::vector<Next> after_;  // by item: the next one of the same tick
};

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_LIVE_ITEM_H_
