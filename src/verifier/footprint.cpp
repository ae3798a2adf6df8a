#include "verifier/footprint.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan::verifier {

Footprint MakeFootprint(std::vector<ByteRange> ranges) {
  SortRows(&ranges, [](const ByteRange& a, const ByteRange& b) {
    return a.pool != b.pool ? a.pool < b.pool : a.from < b.from;
  });
  size_t kept = 0;
  for (const ByteRange& range : ranges) {
    if (range.from >= range.to) continue;
    if (kept > 0 && ranges[kept - 1].pool == range.pool && range.from <= ranges[kept - 1].to) {
      ranges[kept - 1].to = std::max(ranges[kept - 1].to, range.to);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
  ranges.shrink_to_fit();
  return ranges;
}

const ByteRange* FindOverlap(const Footprint& footprint, const ByteRange& range) {
  // The first that ends after the range begins; those before it do not reach in.
  const auto at = std::partition_point(footprint.begin(), footprint.end(), [&](const ByteRange& r) {
    return r.pool < range.pool || (r.pool == range.pool && r.to <= range.from);
  });
  if (at == footprint.end() || at->pool != range.pool || at->from >= range.to) return nullptr;
  return &*at;
}

}  // namespace memplan::verifier
