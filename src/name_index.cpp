#include "name_index.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan {

int32_t NameIndex::Find(std::string_view name) {
  const std::vector<NameId>& column = *column_;
  if (expected_ < column.size() && (*names_)[column[expected_]] == name) {
    return static_cast<int32_t>(expected_++);
  }
  if (sorted_.size() != column.size()) {
    struct Row {
      std::string_view name;
      int32_t row;
    };
    std::vector<Row> rows;
    rows.reserve(column.size());
    for (const NameId id : column) {
      rows.push_back({(*names_)[id], static_cast<int32_t>(rows.size())});
    }
    SortRows(&rows, [](const Row& a, const Row& b) { return a.name < b.name; });
    for (const Row& row : rows) sorted_.push_back(row.row);
  }
  const auto at = std::lower_bound(
      sorted_.begin(), sorted_.end(), name,
      [&](int32_t row, std::string_view wanted) { return (*names_)[column[row]] < wanted; });
  if (at == sorted_.end() || (*names_)[column[*at]] != name) return -1;
  expected_ = static_cast<size_t>(*at) + 1;
  return *at;
}

}  // namespace memplan
