#include "engine/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>

namespace memplan {
namespace {

std::vector<int32_t> InsertedByKey(const std::vector<int64_t>& key) {
  std::vector<int32_t> places(key.size());
  for (size_t i = 0; i < key.size(); ++i) {
    size_t at = i;
    for (; at > 0 && key[places[at - 1]] < key[i]; --at) places[at] = places[at - 1];
    places[at] = static_cast<int32_t>(i);
  }
  return places;
}

}  // namespace

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
    // All alike here.
    if (start[(keys->front() >> bit) & mask] == keys->size()) continue;
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

std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key) {
  constexpr size_t kFew = 32;  // below it, putting them in order one by one is quicker
  if (key.size() < kFew) return InsertedByKey(key);
  const auto [least, most] = std::minmax_element(key.begin(), key.end());
  const auto below = [most = static_cast<uint64_t>(*most)](int64_t k) {
    return most - static_cast<uint64_t>(k);
  };
  const int bits = static_cast<int>(std::bit_width(below(*least)));
  // Thirty-two bits of the key at a time, low ones first, above the place so far.
  std::vector<uint64_t> keyed(key.size()), scratch;
  for (size_t i = 0; i < keyed.size(); ++i) keyed[i] = below(key[i]) << 32 | i;
  SortByBits(&keyed, 32, 32 + std::min(32, bits), &scratch);
  std::vector<int32_t> places(key.size());
  for (size_t i = 0; i < keyed.size(); ++i) places[i] = static_cast<int32_t>(keyed[i]);
  if (bits <= 32) return places;
  for (size_t i = 0; i < keyed.size(); ++i) keyed[i] = below(key[places[i]]) >> 32 << 32 | i;
  SortByBits(&keyed, 32, bits, &scratch);
  std::vector<int32_t> sorted(key.size());
  for (size_t i = 0; i < keyed.size(); ++i) sorted[i] = places[static_cast<uint32_t>(keyed[i])];
  return sorted;
}

std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key,
                                 const std::vector<int32_t>& values) {
  std::vector<int32_t> sorted = SortedByKey(key);
  for (int32_t& place : sorted) place = values[place];
  return sorted;
}

}  // namespace memplan
