// Sorting where the size of the code counts more than the last bit of speed.
#ifndef MEMPLAN_ROW_SORT_H_
#define MEMPLAN_ROW_SORT_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace memplan {

// Whether row `a` comes before row `b`; `order` is what SortBytes was given.
using RowOrder = bool (*)(const void* order, const void* a, const void* b);

// Sorts `count` rows of `row_size` bytes (a multiple of 4) by merging: rows neither of which comes
// before the other stay as they are. All sorts of rows are this one function, of which only the
// order is compiled anew; std::sort is a kilobyte for each type and order, std::stable_sort four.
void SortBytes(void* rows, size_t count, size_t row_size, RowOrder comes_before, const void* order);

// Sorts [begin, end), which lie one after the other in memory.
template <typename Iterator, typename Less>
void SortRows(Iterator begin, Iterator end, const Less& less) {
  using Row = typename std::iterator_traits<Iterator>::value_type;
  static_assert(std::is_trivially_copy_constructible_v<Row> &&
                std::is_trivially_destructible_v<Row> && sizeof(Row) % sizeof(uint32_t) == 0);
  if (end - begin < 2) return;
  SortBytes(
      static_cast<void*>(std::addressof(*begin)), static_cast<size_t>(end - begin), sizeof(Row),
      [](const void* order, const void* a, const void* b) {
        return (*static_cast<const Less*>(order))(*static_cast<const Row*>(a),
                                                  *static_cast<const Row*>(b));
      },
      &less);
}

template <typename Row, typename Less>
void SortRows(std::vector<Row>* rows, const Less& less) {
  SortRows(rows->begin(), rows->end(), less);
}

template <typename Row>
void SortRows(std::vector<Row>* rows) {
  SortRows(rows->begin(), rows->end(), [](const Row& a, const Row& b) { return a < b; });
}

}  // namespace memplan

#endif  // MEMPLAN_ROW_SORT_H_
