#include "executorch/overlap_count.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan::executorch {
namespace {

// Counts in positions 0 to n - 1, summed over prefixes: a Fenwick tree.
class PrefixCounts {
 public:
  explicit PrefixCounts(size_t n) : sums_(n + 1, 0) {}

  void Add(size_t position, int32_t count) {
    for (size_t i = position + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += count;
  }
  // Of the positions below `end`.
  int64_t Below(size_t end) const {
    int64_t sum = 0;
    for (size_t i = end; i > 0; i -= i & (~i + 1)) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<int32_t> sums_;
};

size_t NumberBelow(const std::vector<Bytes>& sorted, Bytes value) {
  return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}
size_t NumberUpTo(const std::vector<Bytes>& sorted, Bytes value) {
  return std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

// Extents that are live, and how many of them begin below or end up to a byte.
class LiveExtents {
 public:
  explicit LiveExtents(const std::vector<Extent>& extents)
      : begins_(extents.size()), ends_(extents.size()) {
    for (const Extent& extent : extents) {
      from_.push_back(extent.from);
      to_.push_back(extent.to);
    }
    SortRows(&from_);
    SortRows(&to_);
  }

  void Add(const Extent& extent, int32_t count) {
    begins_.Add(NumberBelow(from_, extent.from), count);
    ends_.Add(NumberBelow(to_, extent.to), count);
  }
  int64_t CountSharingBytes(const Extent& extent) const {
    return begins_.Below(NumberBelow(from_, extent.to)) - ends_.Below(NumberUpTo(to_, extent.from));
  }

 private:
  std::vector<Bytes> from_, to_;  // sorted
  PrefixCounts begins_, ends_;
};

}  // namespace

int64_t CountInBytes(const std::vector<Extent>& extents) {
  std::vector<Bytes> to;
  to.reserve(extents.size());
  for (const Extent& extent : extents) to.push_back(extent.to);
  SortRows(&to);
  const auto count = static_cast<int64_t>(extents.size());
  int64_t pairs = count * (count - 1) / 2;
  for (const Extent& extent : extents) {
    pairs -= static_cast<int64_t>(NumberUpTo(to, extent.from));  // those wholly below it
  }
  return pairs;
}

int64_t CountInBytesAndTime(const std::vector<Extent>& extents) {
  std::vector<const Extent*> by_first;
  for (const Extent& extent : extents) {
    if (extent.lifetime.exists() && extent.lifetime.first <= extent.lifetime.last) {
      by_first.push_back(&extent);
    }
  }
  std::vector<const Extent*> by_last = by_first;
  SortRows(&by_first,
           [](const Extent* a, const Extent* b) { return a->lifetime.first < b->lifetime.first; });
  SortRows(&by_last,
           [](const Extent* a, const Extent* b) { return a->lifetime.last < b->lifetime.last; });
  LiveExtents live(extents);
  int64_t pairs = 0;
  auto dying = by_last.begin();
  for (const Extent* extent : by_first) {
    for (; (*dying)->lifetime.last < extent->lifetime.first; ++dying) live.Add(**dying, -1);
    pairs += live.CountSharingBytes(*extent);
    live.Add(*extent, 1);
  }
  return pairs;
}

}  // namespace memplan::executorch
