#include "engine/radix_sort.h"

#include <algorithm>
#include <array>

namespace memplan {

void SortByBits(std::vector<uint64_t>* keys, int from_bit, int to_bit,
                std::vector<uint64_t>* scratch) {
  constexpr int kDigit = 11;
  constexpr uint32_t kDigits = 1u << kDigit;
  constexpr size_t kFew = 384;  // below it, comparing is quicker than counting
  if (keys->size() < kFew) {
    std::sort(keys->begin(), keys->end());
    return;
  }
  scratch->resize(keys->size());
  for (int bit = from_bit; bit < to_bit; bit += kDigit) {
    const int width = std::min(kDigit, to_bit - bit);
    const uint64_t mask = (uint64_t{1} << width) - 1;
    std::array<uint32_t, kDigits> start{};
    for (const uint64_t key : *keys) ++start[(key >> bit) & mask];
    uint32_t sum = 0;
    for (uint32_t& count : start) {
      const uint32_t next = sum + count;
      count = sum;
      sum = next;
    }
    for (const uint64_t key : *keys) (*scratch)[start[(key >> bit) & mask]++] = key;
    keys->swap(*scratch);
  }
}

}  // namespace memplan
