#include "verifier/live_item.h"

#include <utility>

namespace memplan::verifier {

Schedule::Schedule(const std::vector<LiveItem>& items, int32_t ticks)
    : at_(static_cast<size_t>(ticks)), after_(items.size()) {
  // From the last on, each before those that are there.
  for (size_t i = items.size(); i-- > 0;) {
    const auto item = static_cast<ItemIndex>(i);
    after_[i].begins = std::exchange(at_[items[i].first].begins, item);
    after_[i].ends = std::exchange(at_[items[i].last].ends, item);
  }
}

}  // namespace memplan::verifier
