// Where a name stands in a column of names.
#ifndef MEMPLAN_NAME_INDEX_H_
#define MEMPLAN_NAME_INDEX_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "names.h"

namespace memplan {

// For readers of files that speak of a graph's rows by name, mostly in the rows' own order: the row
// after the last one found is tried first. Otherwise a look-up is a binary search in an index that
// the first such look-up makes. Unlike Names::Find it knows one column only, and works on sealed
// names.
class NameIndex {
 public:
  // Both must outlive it. Names in the column are different from each other.
  NameIndex(const Names* names, const std::vector<NameId>* column)
      : names_(names), column_(column) {}

  // The row of that name; -1 where there is none.
  int32_t Find(std::string_view name);

 private:
  const Names* names_;
  const std::vector<NameId>* column_;
  size_t expected_ = 0;
  std::vector<int32_t> sorted_;  // rows by name; empty before it is needed
};

}  // namespace memplan

#endif  // MEMPLAN_NAME_INDEX_H_
