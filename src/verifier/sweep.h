// Time run over live items: who meets whom in the same bytes.
#ifndef MEMPLAN_VERIFIER_SWEEP_H_
#define MEMPLAN_VERIFIER_SWEEP_H_

#include <vector>

#include "verifier/live_item.h"
#include "verifier/live_set.h"

namespace memplan::verifier {

// An item begins in a set of items that never meet; false where it meets one.
template <typename Visitor>
bool Begin(const std::vector<LiveItem>&, ItemIndex item, DisjointSet* set, Visitor*) {
  return set->Insert(item);
}

// The same in a set of any items: false where the visitor says so of one that it meets.
template <typename Visitor>
bool Begin(const std::vector<LiveItem>& items, ItemIndex item, OverlappingSet* set,
           Visitor* visitor) {
  const LiveItem& live = items[item];
  bool goes_on = true;
  set->ForOverlaps(live.pool, live.from, live.to, [&](ItemIndex other) {
    goes_on = visitor->Meets(item, other);
    return goes_on;
  });
  if (goes_on) set->Insert(item);
  return goes_on;
}

// Goes through the ticks in order. At each, items begin, then visitor->During(tick, set), then
// items born late begin, then visitor->After(tick, set), then items end. Whenever an item begins in
// an OverlappingSet, visitor->Meets(item, live) is called for each live one in its bytes; where
// that returns false, or two meet in a DisjointSet, the sweep ends at once and returns false.
// O(log) an item that meets nobody.
template <typename Set, typename Visitor>
bool Sweep(const std::vector<LiveItem>& items, const Schedule& schedule, Set* set,
           Visitor* visitor) {
  bool goes_on = true;
  const auto begin = [&](ItemIndex item) {
    if (goes_on) goes_on = Begin(items, item, set, visitor);
  };
  for (int32_t tick = 0; tick < schedule.ticks(); ++tick) {
    bool any_late = false;
    schedule.ForBegins(tick, [&](ItemIndex item) {
      if (items[item].born_late != 0) {
        any_late = true;
      } else {
        begin(item);
      }
    });
    if (goes_on) visitor->During(tick, *set);
    if (any_late) {
      schedule.ForBegins(tick, [&](ItemIndex item) {
        if (items[item].born_late != 0) begin(item);
      });
    }
    if (goes_on) visitor->After(tick, *set);
    if (!goes_on) return false;
    schedule.ForEnds(tick, [&](ItemIndex item) { set->Remove(item); });
  }
  return true;
}

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_SWEEP_H_
