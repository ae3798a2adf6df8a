#include "engine/packing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "row_sort.h"

namespace memplan {
namespace {

// The first tick of each slot's last start and such never matter again, so the
// map from ticks to slots lives only while a packing is made.
class SlotMap {
 public:
  explicit SlotMap(const Problem& problem) {
    Gather(problem);
    std::vector<uint8_t> starts(Width(), 0), ends(Width(), 0);
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (!problem.is_live(b)) continue;
      starts[At(problem.lower[b])] = 1;
      ends[At(problem.upper[b])] = 1;
      for (const Gap& gap : problem.gaps_of(b)) {
        ends[At(gap.from)] = 1;
        starts[At(gap.to)] = 1;
      }
    }
    lower_.resize(Width());
    upper_.resize(Width());
    int32_t slots = 0;
    bool ended = true;
    for (size_t at = 0; at < Width(); ++at) {
      upper_[at] = slots;
      if (ends[at]) ended = true;
      if (starts[at] && ended) {
        ++slots;
        ended = false;
      }
      lower_[at] = slots - 1;
    }
    slot_count_ = slots;
  }

  int32_t slot_count() const { return slot_count_; }
  // The first slot of what starts at a tick, the end slot of what ends there.
  int32_t Lower(Tick tick) const { return lower_[At(tick)]; }
  int32_t Upper(Tick tick) const { return upper_[At(tick)]; }

 private:
  // Ticks are dense as a rule and index the tables directly; where they are
  // not, they are ranked first.
  void Gather(const Problem& problem) {
    int64_t least = INT32_MAX, most = INT32_MIN;
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (!problem.is_live(b)) continue;
      least = std::min<int64_t>(least, problem.lower[b]);
      most = std::max<int64_t>(most, problem.upper[b]);
    }
    if (least > most) return;
    first_ = static_cast<Tick>(least);
    width_ = static_cast<size_t>(most - least) + 1;
    if (width_ <= 8 * problem.size.size() + 1024) return;
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (!problem.is_live(b)) continue;
      ranked_.insert(ranked_.end(), {problem.lower[b], problem.upper[b]});
      for (const Gap& gap : problem.gaps_of(b)) ranked_.insert(ranked_.end(), {gap.from, gap.to});
    }
    SortRows(&ranked_);
    ranked_.erase(std::unique(ranked_.begin(), ranked_.end()), ranked_.end());
    width_ = ranked_.size();
  }
  size_t Width() const { return width_; }
  size_t At(Tick tick) const {
    if (ranked_.empty()) return static_cast<size_t>(static_cast<int64_t>(tick) - first_);
    return std::lower_bound(ranked_.begin(), ranked_.end(), tick) - ranked_.begin();
  }

  Tick first_ = 0;
  size_t width_ = 0;
  std::vector<Tick> ranked_;
  std::vector<int32_t> lower_, upper_;
  int32_t slot_count_ = 0;
};

// Stable counting sort of `order` by key[item] in [0, keys).
template <typename Key>
void CountingSort(int32_t keys, Key key, std::vector<BufferIndex>* order) {
  std::vector<uint32_t> start(static_cast<size_t>(keys) + 1, 0);
  for (const BufferIndex b : *order) ++start[key(b) + 1];
  for (int32_t k = 0; k < keys; ++k) start[k + 1] += start[k];
  std::vector<BufferIndex> sorted(order->size());
  for (const BufferIndex b : *order) sorted[start[key(b)]++] = b;
  *order = std::move(sorted);
}

void SetOrder(const SlotMap& slots, Packing* packing) {
  const Problem& problem = packing->problem;
  std::vector<BufferIndex>& order = packing->buffer;
  order.reserve(problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.is_live(b)) order.push_back(b);
  }
  CountingSort(
      slots.slot_count() + 1, [&](BufferIndex b) { return slots.Upper(problem.upper[b]); }, &order);
  CountingSort(
      slots.slot_count() + 1, [&](BufferIndex b) { return slots.Lower(problem.lower[b]); }, &order);
  packing->hull.reserve(order.size());
  for (const BufferIndex b : order) {
    packing->hull.push_back({slots.Lower(problem.lower[b]), slots.Upper(problem.upper[b])});
  }
}

// A gap in which no slot lies joins its neighbours.
void SetSpans(const SlotMap& slots, Packing* packing) {
  const Problem& problem = packing->problem;
  if (!problem.has_gaps()) return;
  packing->first_span.push_back(0);
  std::vector<SlotSpan>& list = packing->span_list;
  for (ItemIndex item = 0; item < packing->count(); ++item) {
    SlotSpan open = packing->hull[item];
    for (const Gap& gap : problem.gaps_of(packing->buffer[item])) {
      const int32_t from = slots.Upper(gap.from), to = slots.Lower(gap.to);
      if (from >= to) continue;
      list.push_back({open.lo, from});
      open.lo = to;
    }
    list.push_back(open);
    packing->first_span.push_back(static_cast<uint32_t>(list.size()));
  }
  if (list.size() == packing->buffer.size()) {
    packing->first_span.clear();
    list.clear();
  }
}

Bytes LeastAlignment(const Packing& packing) {
  const Problem& problem = packing.problem;
  if (problem.alignment.empty() || packing.buffer.empty()) return problem.uniform_alignment;
  Bytes least = problem.alignment[packing.buffer[0]];
  for (const BufferIndex b : packing.buffer) least = std::min(least, problem.alignment[b]);
  return least;
}

void SetUnits(Packing* packing) {
  const Problem& problem = packing->problem;
  const Bytes least = LeastAlignment(*packing);
  const Bytes base = AlignUp(problem.base, least);
  Bytes unit = base;
  for (const BufferIndex b : packing->buffer) {
    const Bytes rounded = AlignUp(problem.size[b], least);
    packing->padded |= rounded != problem.size[b];
    unit = std::gcd(unit, rounded);
    if (problem.pin_of(b) != kNoBytes) unit = std::gcd(unit, problem.pin[b]);
  }
  if (unit == 0) unit = least;
  // An alignment must be a whole number of units, or divide the unit.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BufferIndex b : packing->buffer) {
      const Bytes a = problem.alignment_of(b);
      if (unit % a == 0 || a % unit == 0) continue;
      unit = std::gcd(unit, a);
      changed = true;
    }
  }
  packing->unit = unit;
  packing->floor = base / unit;
  packing->size.reserve(packing->buffer.size());
  for (const BufferIndex b : packing->buffer) {
    packing->size.push_back(AlignUp(problem.size[b], least) / unit);
  }
}

void SetAlignmentsAndPins(Packing* packing) {
  const Problem& problem = packing->problem;
  const Bytes unit = packing->unit;
  bool aligned = false, pinned = false;
  for (const BufferIndex b : packing->buffer) {
    aligned |= problem.alignment_of(b) > unit;
    pinned |= problem.pin_of(b) != kNoBytes;
  }
  for (const BufferIndex b : packing->buffer) {
    if (aligned) packing->alignment.push_back(std::max<Bytes>(1, problem.alignment_of(b) / unit));
    if (pinned) packing->pin.push_back(problem.pin[b] == kNoBytes ? -1 : problem.pin[b] / unit);
  }
}

void SetConflicts(Packing* packing) {
  const Problem& problem = packing->problem;
  if (problem.conflicts.empty()) return;
  std::vector<ItemIndex> item_of(problem.size.size(), -1);
  for (ItemIndex item = 0; item < packing->count(); ++item) item_of[packing->buffer[item]] = item;
  const auto for_each = [&](auto visit) {
    for (const auto& [a, b] : problem.conflicts) {
      if (item_of[a] < 0 || item_of[b] < 0) continue;
      visit(item_of[a], item_of[b]);
      visit(item_of[b], item_of[a]);
    }
  };
  std::vector<uint32_t>& first = packing->first_conflict;
  first.assign(packing->buffer.size() + 1, 0);
  for_each([&](ItemIndex a, ItemIndex) { ++first[a + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  packing->conflict.resize(first.back());
  std::vector<uint32_t> next(first.begin(), first.end());
  for_each([&](ItemIndex a, ItemIndex b) { packing->conflict[next[a]++] = b; });
}

void SetLoad(Packing* packing) {
  packing->load.assign(static_cast<size_t>(packing->slot_count) + 1, 0);
  for (ItemIndex item = 0; item < packing->count(); ++item) {
    for (const SlotSpan& span : packing->spans(item)) {
      packing->load[span.lo] += packing->size[item];
      packing->load[span.hi] -= packing->size[item];
    }
  }
  std::partial_sum(packing->load.begin(), packing->load.end(), packing->load.begin());
  packing->load.pop_back();
}

// The largest number of bytes that rounding added to one item of each slot:
// the topmost item of a slot may end that much earlier.
std::vector<Bytes> LargestPadding(const Packing& packing) {
  // Spans paint the nodes of a tree over the slots that they are made of; a slot's largest is that
  // of its leaf and all above.
  const auto leaves = static_cast<size_t>(packing.slot_count);
  std::vector<Bytes> painted(2 * leaves, 0);
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    const Bytes bytes =
        packing.size[item] * packing.unit - packing.problem.size[packing.buffer[item]];
    for (const SlotSpan& span : packing.spans(item)) {
      for (size_t lo = leaves + span.lo, hi = leaves + span.hi; lo < hi; lo /= 2, hi /= 2) {
        if (lo & 1) {
          painted[lo] = std::max(painted[lo], bytes);
          ++lo;
        }
        if (hi & 1) {
          --hi;
          painted[hi] = std::max(painted[hi], bytes);
        }
      }
    }
  }
  for (size_t node = 2; node < painted.size(); ++node) {
    painted[node] = std::max(painted[node], painted[node / 2]);
  }
  painted.erase(painted.begin(), painted.begin() + packing.slot_count);
  return painted;
}

Bytes Bound(const Packing& packing) {
  if (packing.problem.count() == 0) return 0;
  Bytes bound = packing.problem.base;
  std::vector<Bytes> padding;
  if (packing.padded) padding = LargestPadding(packing);
  for (int32_t slot = 0; slot < packing.slot_count; ++slot) {
    const Bytes end = (packing.floor + packing.load[slot]) * packing.unit;
    bound = std::max(bound, end - (padding.empty() ? 0 : padding[slot]));
  }
  for (ItemIndex item = 0; item < packing.count(); ++item) {
    if (packing.pin_of(item) >= 0) {
      bound = std::max(bound, packing.EndOf(item, packing.pin[item]));
    }
  }
  return bound;
}

}  // namespace

Packing::Packing(const Problem& of) : problem(of) {
  {
    const SlotMap slots(problem);
    slot_count = slots.slot_count();
    SetOrder(slots, this);
    SetSpans(slots, this);
  }
  SetUnits(this);
  SetAlignmentsAndPins(this);
  SetConflicts(this);
  SetLoad(this);
  bound = Bound(*this);
}

Placement Packing::ToPlacement(std::span<const int64_t> offset) const {
  Placement placement;
  placement.offset.reserve(problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    placement.offset.push_back(std::max<Bytes>(0, problem.pin_of(b)));
  }
  for (ItemIndex item = 0; item < count(); ++item) {
    placement.offset[buffer[item]] = offset[item] < 0 ? kNoBytes : offset[item] * unit;
  }
  MeasurePeak(problem, &placement);
  return placement;
}

}  // namespace memplan
