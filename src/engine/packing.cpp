#include "engine/packing.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "row_sort.h"

namespace memplan {
namespace {

// The first tick of each slot's last start and such never matter again, so the
// map from ticks to slots lives only while a packing is made.
class SlotMap {
 public:
  explicit SlotMap(const Problem& problem) {
    Gather(problem);
    constexpr uint8_t kStarts = 1, kEnds = 2;
    std::vector<uint8_t> changes(Width(), 0);
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (!problem.is_live(b)) continue;
      changes[At(problem.lower[b])] |= kStarts;
      changes[At(problem.upper[b])] |= kEnds;
      for (const Gap& gap : problem.gaps_of(b)) {
        changes[At(gap.from)] |= kEnds;
        changes[At(gap.to)] |= kStarts;
      }
    }
    lower_.resize(Width());
    upper_.resize(Width());
    int32_t slots = 0;
    bool ended = true;
    for (size_t at = 0; at < Width(); ++at) {
      upper_[at] = slots;
      if (changes[at] & kEnds) ended = true;
      if ((changes[at] & kStarts) && ended) {
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

// By first slot, end slot and tie order: counted by both at once, then moved twice.
void SetOrder(const SlotMap& slots, Packing* packing) {
  struct Row {
    SlotSpan hull;
    BufferIndex buffer;
  };
  const Problem& problem = packing->problem;
  const size_t keys = static_cast<size_t>(slots.slot_count()) + 2;
  std::vector<uint32_t> by_lo(keys, 0), by_hi(keys, 0);  // where each goes next
  std::vector<Row> rows;
  rows.reserve(problem.size.size());
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    const SlotSpan hull{slots.Lower(problem.lower[b]), slots.Upper(problem.upper[b])};
    rows.push_back({hull, b});
    ++by_lo[hull.lo + 1];
    ++by_hi[hull.hi + 1];
  }
  std::partial_sum(by_lo.begin(), by_lo.end(), by_lo.begin());
  std::partial_sum(by_hi.begin(), by_hi.end(), by_hi.begin());
  std::vector<Row> sorted(rows.size());
  for (const Row& row : rows) sorted[by_hi[row.hull.hi]++] = row;
  packing->buffer.resize(rows.size());
  packing->hull.resize(rows.size());
  for (const Row& row : sorted) {
    const uint32_t item = by_lo[row.hull.lo]++;
    packing->buffer[item] = row.buffer;
    packing->hull[item] = row.hull;
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

// Divides whole multiples of one number: the odd part of it has an inverse modulo 2^64 (Hensel's,
// Granlund & Montgomery 1994, section 9), and a product takes a fraction of a division's time.
class ExactDivision {
 public:
  explicit ExactDivision(Bytes divisor) : shift_(std::countr_zero(static_cast<uint64_t>(divisor))) {
    const uint64_t odd = static_cast<uint64_t>(divisor) >> shift_;
    // Right in the lowest 3 bits, then in twice as many each time.
    inverse_ = odd;
    for (int bits = 3; bits < 64; bits *= 2) inverse_ *= 2 - odd * inverse_;
  }
  int64_t operator()(Bytes multiple) const {
    return static_cast<int64_t>((static_cast<uint64_t>(multiple) >> shift_) * inverse_);
  }

 private:
  int shift_;
  uint64_t inverse_;
};

// The largest number that all of these are multiples of: sizes rounded up to `least`, pins, and
// `base`; 0 where there is none but 0. Also tells whether a size was rounded up.
Bytes CommonDivisor(const Problem& problem, Bytes least, Bytes base, bool* padded) {
  Bytes unit = base;
  const auto add = [&unit](Bytes bytes) {
    if (unit == 0 || bytes % unit != 0) unit = std::gcd(unit, bytes);
  };
  Bytes last = 0;  // equal sizes follow each other
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    if (problem.pin_of(b) != kNoBytes) add(problem.pin[b]);
    if (problem.size[b] == last) continue;
    last = problem.size[b];
    const Bytes rounded = AlignUp(last, least);
    *padded |= rounded != last;
    add(rounded);
  }
  return unit;
}

void SetUnits(Packing* packing) {
  const Problem& problem = packing->problem;
  const Bytes least = LeastAlignment(*packing);
  const Bytes base = AlignUp(problem.base, least);
  Bytes unit = CommonDivisor(problem, least, base, &packing->padded);
  if (unit == 0) unit = least;
  // An alignment must be a whole number of units, or divide the unit.
  const auto divide = [&unit](Bytes alignment) {
    if (unit % alignment == 0 || alignment % unit == 0) return false;
    unit = std::gcd(unit, alignment);
    return true;
  };
  if (problem.alignment.empty()) {
    divide(problem.uniform_alignment);
  } else {
    for (bool changed = true; changed;) {
      changed = false;
      for (const BufferIndex b : packing->buffer) changed |= divide(problem.alignment[b]);
    }
  }
  const ExactDivision in_units(unit);
  packing->unit = unit;
  packing->floor = in_units(base);
  packing->size.reserve(packing->buffer.size());
  for (const BufferIndex b : packing->buffer) {
    packing->size.push_back(in_units(AlignUp(problem.size[b], least)));
  }
}

void SetAlignmentsAndPins(Packing* packing) {
  const Problem& problem = packing->problem;
  const Bytes unit = packing->unit;
  if (problem.alignment.empty() && problem.pin.empty()) return;  // units hold the one alignment
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
  for (ItemIndex item = 0; item < static_cast<ItemIndex>(packing.pin.size()); ++item) {
    if (packing.pin[item] >= 0) bound = std::max(bound, packing.EndOf(item, packing.pin[item]));
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
  placement.offset.assign(problem.size.size(), 0);
  for (size_t b = 0; b < problem.pin.size(); ++b) {
    placement.offset[b] = std::max<Bytes>(0, problem.pin[b]);
  }
  Bytes peak = problem.count() > 0 ? problem.base : 0;
  for (ItemIndex item = 0; item < count(); ++item) {
    const bool placed = offset[item] >= 0;
    placement.offset[buffer[item]] = placed ? offset[item] * unit : kNoBytes;
    if (placed) peak = std::max(peak, EndOf(item, offset[item]));
  }
  placement.peak = peak;
  return placement;
}

}  // namespace memplan
