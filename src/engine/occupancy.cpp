#include "engine/occupancy.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan {
namespace {

// Past `at` and all runs that end at or before `offset`, as `at` does. Mostly that is the next one;
// else doubling steps, then a binary search.
const ByteRun* Gallop(const ByteRun* at, const ByteRun* end, int64_t offset) {
  ++at;
  if (at == end || at->to > offset) return at;
  ptrdiff_t step = 1;
  while (step < end - at && at[step].to <= offset) {
    at += step;
    step *= 2;
  }
  const ByteRun* stop = step < end - at ? at + step : end;
  return std::lower_bound(at + 1, stop, offset,
                          [](const ByteRun& run, int64_t a) { return run.to <= a; });
}

}  // namespace

Occupancy::Occupancy(const Packing& packing, const SlotTree& tree)
    : packing_(packing), tree_(tree), lists_(tree.list_count()) {
  if (!packing.first_conflict.empty()) placed_.assign(packing.count(), kNone);
}

void Occupancy::Put(ItemIndex item, int64_t offset) {
  if (item != collected_) Collect(item);
  const int64_t end = offset + packing_.size[item];
  for (size_t i = 0; i < added_count_; ++i) lists_.Add(added_[i], offset, end);
  if (!placed_.empty()) placed_[item] = offset;
}

void Occupancy::AddCursor(std::span<const ByteRun> runs) {
  if (runs.empty()) return;
  cursors_[cursor_count_] = {runs.data(), runs.data() + runs.size()};
  next_from_[cursor_count_] = runs.front().from;
  ++cursor_count_;
}

void Occupancy::MakeRoom(size_t spans) {
  const size_t most = 2 * SlotTree::kMostVisited * spans;
  if (asked_.size() >= most) return;
  asked_.resize(most);
  added_.resize(2 * most);
  cursors_.resize(most + 1);  // one for conflicts
  next_from_.resize(most + 1);
}

void Occupancy::Collect(ItemIndex item) {
  collected_ = item;
  const std::span<const SlotSpan> spans = packing_.spans(item);
  MakeRoom(spans.size());
  uint32_t* asked = asked_.data();
  uint32_t* added = added_.data();
  for (const SlotSpan& span : spans) {
    tree_.Visit(
        span,
        [&](uint32_t some, int level) {
          *asked++ = some;
          *added++ = some;
          // Asked for by what lies below.
          if (level > 0) *added++ = some + 1;
        },
        [&](uint32_t some) {
          *asked++ = some + 1;
          *added++ = some;
        });
  }
  added_count_ = static_cast<size_t>(added - added_.data());
  cursor_count_ = 0;
  for (const uint32_t* list = asked_.data(); list != asked; ++list) AddCursor(lists_.runs(*list));
  if (!placed_.empty()) CollectConflicts(item);
}

void Occupancy::CollectConflicts(ItemIndex item) {
  conflicting_.clear();
  for (const ItemIndex other : packing_.conflicts_of(item)) {
    if (placed_[other] == kNone) continue;
    conflicting_.push_back({placed_[other], placed_[other] + packing_.size[other]});
  }
  if (conflicting_.empty()) return;
  SortRows(&conflicting_, [](const auto& a, const auto& b) { return a.from < b.from; });
  size_t kept = 0;
  for (size_t i = 1; i < conflicting_.size(); ++i) {
    ByteRun& last = conflicting_[kept];
    if (conflicting_[i].from <= last.to) {
      last.to = std::max(last.to, conflicting_[i].to);
    } else {
      conflicting_[++kept] = conflicting_[i];
    }
  }
  AddCursor({conflicting_.data(), kept + 1});
}

int64_t Occupancy::Climb(int64_t offset, int64_t size, int64_t alignment, int64_t highest) {
  // Round the lists until none of them is in the way any more. Most looks find nothing, so they
  // read one small array.
  int64_t* const next_from = next_from_.data();
  const size_t count = cursor_count_;
  int64_t steps = 0;
  for (bool moved = true; moved;) {
    moved = false;
    if (offset > highest) {
      offset = kNone;
      break;
    }
    int64_t gap_end = kMost;
    for (size_t i = 0; i < count; ++i) {
      int64_t next = next_from[i];
      if (next < offset + size) {
        const auto [begin, end] = cursors_[i];
        const ByteRun* at = begin;
        do {
          ++steps;
          if (at->to > offset) {
            offset = AlignUp(at->to, alignment);
            moved = true;
          }
          at = Gallop(at, end, offset);
          next = at == end ? kMost : at->from;
        } while (next < offset + size);
        cursors_[i].at = at;
        next_from[i] = next;
      }
      gap_end = std::min(gap_end, next);
    }
    gap_end_ = gap_end;
  }
  steps_ += steps;
  return offset;
}

int64_t Occupancy::FirstFit(ItemIndex item, int64_t highest) {
  Collect(item);
  const int64_t alignment = packing_.alignment_of(item);
  return Climb(AlignUp(packing_.floor, alignment), packing_.size[item], alignment, highest);
}

int64_t Occupancy::BestFit(ItemIndex item, int64_t highest) {
  Collect(item);
  const int64_t alignment = packing_.alignment_of(item);
  const int64_t size = packing_.size[item];
  int64_t offset = AlignUp(packing_.floor, alignment);
  int64_t best = kNone, best_gap = 0;
  while (true) {
    offset = Climb(offset, size, alignment, highest);
    if (offset == kNone) return best;
    const int64_t end = gap_end_;
    if (end == kMost) return best == kNone ? offset : best;
    if (best == kNone || end - offset < best_gap) {
      best = offset;
      best_gap = end - offset;
    }
    if (best_gap == size) return best;
    offset = AlignUp(end, alignment);
  }
}

}  // namespace memplan
