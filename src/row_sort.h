// Sorting where the size of the code counts more than the last bit of speed.
#ifndef MEMPLAN_ROW_SORT_H_
#define MEMPLAN_ROW_SORT_H_

#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace memplan {

// Sorts by the C library's qsort, which is there once for all types; std::sort is some kilobytes
// for each. `Less` is a lambda without captures and must tell any two rows apart whose order
// matters: libraries differ in what they do with equal ones.
template <typename T, typename Less>
void SortRows(std::vector<T>* rows, Less) {
  static_assert(std::is_empty_v<Less> && std::is_trivially_copy_constructible_v<T> &&
                std::is_trivially_destructible_v<T>);
  if (rows->size() < 2) return;
  std::qsort(static_cast<void*>(rows->data()), rows->size(), sizeof(T),
             [](const void* a, const void* b) {
               const T& first = *static_cast<const T*>(a);
               const T& second = *static_cast<const T*>(b);
               return Less{}(first, second) ? -1 : Less{}(second, first) ? 1 : 0;
             });
}

template <typename T>
void SortRows(std::vector<T>* rows) {
  SortRows(rows, [](const T& a, const T& b) { return a < b; });
}

}  // namespace memplan

#endif  // MEMPLAN_ROW_SORT_H_
