// The largest value of any range of an array.
#ifndef MEMPLAN_ENGINE_RANGE_MAX_H_
#define MEMPLAN_ENGINE_RANGE_MAX_H_

#include <cstdint>
#include <span>
#include <vector>

namespace memplan {

// Answers after O(n) preparation, in at most two scans of a block and two
// look-ups; a table over blocks instead of over values, for its memory. The
// values must outlive it.
class RangeMax {
 public:
  explicit RangeMax(std::span<const int64_t> values);

  // Over [from, to), which must not be empty.
  int64_t Max(int32_t from, int32_t to) const;

 private:
  static constexpr int kBlockLog = 4;

  std::span<const int64_t> values_;
  std::vector<std::vector<int64_t>> table_;  // [k][i]: of blocks i to i + 2^k - 1
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_RANGE_MAX_H_
