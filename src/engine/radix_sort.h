// Sorting many small numbers.
#ifndef MEMPLAN_ENGINE_RADIX_SORT_H_
#define MEMPLAN_ENGINE_RADIX_SORT_H_

#include <cstdint>
#include <vector>

namespace memplan {

// Sorts keys whose bits below `from_bit` rise already and whose bits from `to_bit` are zero;
// `scratch` is working space that a caller keeps.
void SortByBits(std::vector<uint64_t>* keys, int from_bit, int to_bit,
                std::vector<uint64_t>* scratch);

// The places of keys, larger ones first, else as they were.
std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key);

// `values` by their keys (at the same place), larger first, else as they were.
std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key,
                                 const std::vector<int32_t>& values);

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_RADIX_SORT_H_
