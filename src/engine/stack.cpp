#include "engine/stack.h"

#include <algorithm>

#include "engine/radix_sort.h"
#include "row_sort.h"

namespace memplan {

Stack::Stack(const Problem& problem) : top_(problem.base) {
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    const Bytes pin = problem.pin_of(b);
    if (pin != kNoBytes && problem.is_live(b)) pinned_.emplace_back(pin, pin + problem.size[b]);
  }
  SortRows(&pinned_);
}

Bytes Stack::Take(Bytes size, Bytes alignment) {
  Bytes offset = AlignUp(top_, alignment);
  for (; next_pin_ < pinned_.size() && pinned_[next_pin_].first < offset + size; ++next_pin_) {
    offset = std::max(offset, AlignUp(pinned_[next_pin_].second, alignment));
  }
  if (offset > kMaxBytes || !FitsBytes(offset, size)) return kNoBytes;
  top_ = offset + size;
  return offset;
}

std::vector<BufferIndex> LiveByStart(const Problem& problem) {
  std::vector<uint64_t> keys, scratch;  // start, then index
  keys.reserve(problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    const uint32_t start = static_cast<uint32_t>(problem.lower[b]) ^ 0x80000000u;
    keys.push_back(uint64_t{start} << 32 | static_cast<uint32_t>(b));
  }
  SortByBits(&keys, 32, 64, &scratch);
  std::vector<BufferIndex> order;
  order.reserve(keys.size());
  for (const uint64_t key : keys) order.push_back(static_cast<BufferIndex>(key & 0xffffffffu));
  return order;
}

Placement PinnedOnly(const Problem& problem) {
  Placement placement;
  placement.offset.reserve(problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    const Bytes pin = problem.pin_of(b);
    placement.offset.push_back(pin == kNoBytes && !problem.is_live(b) ? 0 : pin);
  }
  return placement;
}

}  // namespace memplan
