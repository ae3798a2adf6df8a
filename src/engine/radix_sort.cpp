#include "engine/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace memplan {
namespace {

std::vector<int32_t> InsertedByKey(const std::vector<int64_t>& key,
                                   const std::vector<int32_t>& values) {
  std::vector<int32_t> places(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    size_t at = i;
    for (; at > 0 && key[places[at - 1]] < key[i]; --at) places[at] = places[at - 1];
    places[at] = static_cast<int32_t>(i);
  }
  for (int32_t& place : places) place = values[place];
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

std::vector<int32_t> SortedByKey(const std::vector<int64_t>& key,
                                 const std::vector<int32_t>& values) {
  constexpr size_t kFew = 32;  // below it, putting them in order one by one is quicker
  if (values.size() < kFew) return InsertedByKey(key, values);
  const auto [least, most] = std::minmax_element(key.begin(), key.end());
  const auto below = [most = static_cast<uint64_t>(*most)](int64_t k) {
    return most - static_cast<uint64_t>(k);
  };
  // Thirty-two bits of the key at a time, low ones first, above the place so far.
  std::vector<int32_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<uint64_t> keyed(values.size()), scratch;
  for (int shift = 0; shift < 64 && (shift == 0 || below(*least) >> shift != 0); shift += 32) {
    for (size_t i = 0; i < keyed.size(); ++i) keyed[i] = below(key[places[i]]) >> shift << 32 | i;
    const int bits = std::min(32, static_cast<int>(std::bit_width(below(*least) >> shift)));
    SortByBits(&keyed, 32, 32 + bits, &scratch);
    const std::vector<int32_t> before = std::move(places);
    places.clear();
    for (const uint64_t k : keyed) places.push_back(before[static_cast<uint32_t>(k)]);
  }
  for (int32_t& place : places) place = values[place];
  return places;
}

}  // namespace memplan
