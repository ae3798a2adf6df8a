#include "engine/range_max.h"

#include <algorithm>
#include <bit>

namespace memplan {

RangeMax::RangeMax(std::span<const int64_t> values) : values_(values) {
  const size_t whole = values.size() >> kBlockLog;
  if (whole == 0) return;
  std::vector<int64_t>& blocks = table_.emplace_back(whole);
  for (size_t i = 0; i < whole; ++i) {
    const auto first = values.begin() + (i << kBlockLog);
    blocks[i] = *std::max_element(first, first + (1 << kBlockLog));
  }
  for (size_t width = 1; 2 * width <= whole; width *= 2) {
    const std::vector<int64_t>& half = table_.back();
    std::vector<int64_t> level(whole - 2 * width + 1);
    for (size_t i = 0; i < level.size(); ++i) level[i] = std::max(half[i], half[i + width]);
    table_.push_back(std::move(level));
  }
}

int64_t RangeMax::Max(int32_t from, int32_t to) const {
  const int32_t first = (from + (1 << kBlockLog) - 1) >> kBlockLog, last = to >> kBlockLog;
  if (first >= last) return *std::max_element(values_.begin() + from, values_.begin() + to);
  const int level = std::bit_width(static_cast<uint32_t>(last - first)) - 1;
  int64_t max = std::max(table_[level][first], table_[level][last - (1 << level)]);
  for (int32_t i = from; i < first << kBlockLog; ++i) max = std::max(max, values_[i]);
  for (int32_t i = last << kBlockLog; i < to; ++i) max = std::max(max, values_[i]);
  return max;
}

}  // namespace memplan
