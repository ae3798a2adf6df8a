#include "row_sort.h"

#include <algorithm>
#include <cstring>

namespace memplan {
namespace {

// Up to this many rows are put in order one by one.
constexpr size_t kFew = 8;

class Sorter {
 public:
  Sorter(size_t row_size, RowOrder comes_before, const void* order)
      : row_size_(row_size), comes_before_(comes_before), order_(order) {}

  void Sort(char* rows, size_t count) {
    if (count > kFew) kept_.resize(count / 2 * row_size_);
    SortPart(rows, count);
  }

 private:
  void SortPart(char* rows, size_t count) {
    if (count <= kFew) return Insert(rows, rows + count * row_size_);
    const size_t half = count / 2;
    char* const middle = rows + half * row_size_;
    SortPart(rows, half);
    SortPart(middle, count - half);
    if (comes_before_(order_, middle, middle - row_size_)) {
      Merge(rows, middle, rows + count * row_size_);
    }
  }

  void Insert(char* rows, const char* end) const {
    for (char* row = rows + row_size_; row < end; row += row_size_) {
      for (char* place = row; place > rows; place -= row_size_) {
        if (!comes_before_(order_, place, place - row_size_)) break;
        std::swap_ranges(place - row_size_, place, place);
      }
    }
  }

  void Merge(char* to, const char* right, const char* end) {
    const char* left = kept_.data();
    const char* const left_end = std::copy(static_cast<const char*>(to), right, kept_.data());
    while (left < left_end && right < end) {
      const char*& first = comes_before_(order_, right, left) ? right : left;
      // For so few bytes a call of memcpy takes longer than the copy.
      for (size_t at = 0; at < row_size_; at += sizeof(uint32_t)) {
        std::memcpy(to + at, first + at, sizeof(uint32_t));
      }
      to += row_size_;
      first += row_size_;
    }
    std::copy(left, left_end, to);
  }

  const size_t row_size_;
  const RowOrder comes_before_;
  const void* const order_;
  std::vector<char> kept_;
};

}  // namespace

void SortBytes(void* rows, size_t count, size_t row_size, RowOrder comes_before,
               const void* order) {
  Sorter(row_size, comes_before, order).Sort(static_cast<char*>(rows), count);
}

}  // namespace memplan
