#include "name_index.h"

#include <algorithm>
#include <numeric>

namespace memplan {

int32_t NameIndex::Find(std::string_view name) {
  const std::vector<NameId>& column = *column_;
  if (expected_ < column.size() && (*names_)[column[expected_]] == name) {
    return static_cast<int32_t>(expected_++);
  }
  if (sorted_.size() != column.size()) {
    sorted_.resize(column.size());
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::sort(sorted_.begin(), sorted_.end(),
              [&](int32_t a, int32_t b) { return (*names_)[column[a]] < (*names_)[column[b]]; });
  }
  const auto at = std::lower_bound(
      sorted_.begin(), sorted_.end(), name,
      [&](int32_t row, std::string_view wanted) { return (*names_)[column[row]] < wanted; });
  if (at == sorted_.end() || (*names_)[column[*at]] != name) return -1;
  expected_ = static_cast<size_t>(*at) + 1;
  return *at;
}

}  // namespace memplan
