#include "verifier/live_item.h"

namespace memplan::verifier {
namespace {

// A counting sort: places of the items by `tick`, and where each tick's begin.
void SortByTick(const std::vector<LiveItem>& items, int32_t ticks, int32_t LiveItem::*tick,
                std::vector<uint32_t>* at, std::vector<ItemIndex>* sorted) {
  at->assign(static_cast<size_t>(ticks) + 1, 0);
  for (const LiveItem& item : items) ++(*at)[item.*tick];
  uint32_t sum = 0;
  for (uint32_t& entry : *at) {
    const uint32_t count = entry;
    entry = sum;
    sum += count;
  }
  sorted->resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    (*sorted)[(*at)[items[i].*tick]++] = static_cast<ItemIndex>(i);
  }
  // Each entry has run on to the next tick's.
  for (size_t i = at->size() - 1; i > 0; --i) (*at)[i] = (*at)[i - 1];
  (*at)[0] = 0;
}

}  // namespace

Schedule::Schedule(const std::vector<LiveItem>& items, int32_t ticks) {
  SortByTick(items, ticks, &LiveItem::first, &begin_at_, &begins_);
  SortByTick(items, ticks, &LiveItem::last, &end_at_, &ends_);
}

}  // namespace memplan::verifier
