#include "search/valley_state.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan {

ValleyState::ValleyState(const SectionProblem& problem) : problem_(problem) {
  const int32_t n = problem.count();
  const int32_t sections = problem.sections;
  floor_ = sections;
  count_ = 2 * size_t(sections);
  crossing_ = 3 * size_t(sections);
  witness_ = 4 * size_t(sections);
  last_ = 5 * size_t(sections);
  low_ = 6 * size_t(sections);
  cells_.assign(low_ + n, 0);
  size_.assign(problem.size.begin(), problem.size.end());
  limit_.assign(n, 0);
  capacity_.assign(sections, 0);
  load_.assign(sections, 0);
  latest_.assign(sections, 0);
  is_crowded_.assign(sections, 0);
  root_crossing_.assign(sections, 0);
  std::vector<int32_t> width(sections, 0);
  size_t places = 0;
  for (int32_t b = 0; b < n; ++b) {
    place_at_.push_back(places);
    places += problem.hi[b] - problem.lo[b];
    for (int32_t s = problem.lo[b]; s < problem.hi[b]; ++s) {
      load_[s] += size_[b];
      ++width[s];
      if (s + 1 < problem.hi[b]) ++root_crossing_[s];
    }
  }
  items_at_.push_back(0);
  for (int32_t s = 0; s < sections; ++s) items_at_.push_back(items_at_[s] + width[s]);
  items_.assign(places, 0);
  place_.assign(places, 0);
  words_ = std::min<int32_t>(2 * n / 64 + 1, kLevels / 64);
  levels_.assign(size_t(sections) * words_, 0);
}

bool ValleyState::Reset(Bytes target, bool check_crowded) {
  check_crowded_ = check_crowded;
  const int32_t n = problem_.count();
  const int32_t sections = problem_.sections;
  trail_.clear();
  placed_.clear();
  spans_.clear();
  std::fill(levels_.begin(), levels_.end(), 0);
  std::fill(cells_.begin(), cells_.end(), 0);
  std::fill(capacity_.begin(), capacity_.end(), 0);
  for (int32_t b = 0; b < n; ++b) {
    limit_[b] =
        static_cast<int64_t>(std::clamp<int64_t>(problem_.EndLimit(b, target), -1, kNever / 2));
    for (int32_t s = problem_.lo[b]; s < problem_.hi[b]; ++s) {
      const int32_t at = static_cast<int32_t>(cells_[count_ + s]++);
      items_[items_at_[s] + at] = b;
      place_[place_at_[b] + s - problem_.lo[b]] = at;
      capacity_[s] = std::max(capacity_[s], limit_[b]);
    }
  }
  for (int32_t s = 0; s < sections; ++s) {
    latest_[s] = capacity_[s] - load_[s];
    cells_[crossing_ + s] = root_crossing_[s];
    cells_[witness_ + s] = remaining(s)[0];
    cells_[last_ + s] = -1;
  }
  for (int32_t s = 0; s < sections; ++s) {
    if (slack(s) < 0) return FailAt(s, -slack(s));
  }
  for (int32_t b = 0; b < n; ++b) {
    if (size_[b] > limit_[b]) return FailAt(problem_.lo[b], size_[b] - limit_[b]);
  }
  return true;
}

void ValleyState::Touch(int32_t from, int32_t to, int32_t level) {
  const int32_t shared = std::min(level, words_ * 64 - 1);
  const uint64_t bit = uint64_t{1} << (shared & 63);
  uint64_t* word = levels_.data() + size_t(from) * words_ + (shared >> 6);
  for (int32_t s = from; s < to; ++s, word += words_) *word |= bit;
  if (static_cast<size_t>(level) >= spans_.size()) spans_.resize(level + 1, {kLevels, 0});
  LevelSpan& span = spans_[level];
  if (span.from >= span.to) {
    span = {from, to};
  } else {
    span = {std::min(span.from, from), std::max(span.to, to)};
  }
}

void ValleyState::Undo(Mark mark, int32_t level, int32_t top_level) {
  while (placed_.size() > mark.placed) {
    const int32_t b = placed_.back().buffer;
    placed_.pop_back();
    // What took b out of the lists swapped it to the place just past their
    // ends.
    for (int32_t s = problem_.lo[b]; s < problem_.hi[b]; ++s) {
      ++cells_[count_ + s];
      latest_[s] -= size_[b];
    }
    for (int32_t s = problem_.lo[b]; s + 1 < problem_.hi[b]; ++s) ++cells_[crossing_ + s];
  }
  for (size_t i = trail_.size(); i-- > mark.cells;) cells_[trail_[i].cell] = trail_[i].old;
  trail_.resize(mark.cells);
  top_level = std::min(top_level, static_cast<int32_t>(spans_.size()) - 1);
  for (int32_t l = level; l <= top_level; ++l) {
    LevelSpan& span = spans_[l];
    if (l < words_ * 64 - 1) {
      const uint64_t keep = ~(uint64_t{1} << (l & 63));
      uint64_t* word = levels_.data() + size_t(span.from) * words_ + (l >> 6);
      for (int32_t s = span.from; s < span.to; ++s, word += words_) *word &= keep;
    }
    span = {0, 0};
  }
}

void ValleyState::TakeOut(int32_t b, int64_t top) {
  const int32_t lo = problem_.lo[b];
  const int32_t hi = problem_.hi[b];
  int32_t* place = place_.data() + place_at_[b];
  for (int32_t s = lo; s < hi; ++s) {
    int32_t* items = items_.data() + items_at_[s];
    const int32_t end = static_cast<int32_t>(--cells_[count_ + s]);
    const int32_t at = place[s - lo];
    const int32_t other = items[end];
    items[at] = other;
    place_[place_at_[other] + s - problem_.lo[other]] = at;
    items[end] = b;
    place[s - lo] = end;
    latest_[s] += size_[b];
    Set(s, top);
    Set(last_ + s, b);
  }
  for (int32_t s = lo; s + 1 < hi; ++s) --cells_[crossing_ + s];
}

void ValleyState::Widen(int32_t from, int32_t to) {
  changed_from_ = std::min(changed_from_, from);
  changed_to_ = std::max(changed_to_, to);
}

bool ValleyState::FailAt(int32_t s, int64_t by) {
  failed_section_ = s;
  failed_by_ = by;
  return false;
}

bool ValleyState::LiftLow(int32_t b, int64_t v, int32_t level) {
  if (low(b) >= v) return true;
  Set(low_ + b, v);
  const int32_t lo = problem_.lo[b];
  const int32_t hi = problem_.hi[b];
  Touch(lo, hi, level);
  Widen(lo, hi);
  if (check_crowded_) {
    for (int32_t s = lo; s < hi; ++s) {
      if (v <= latest_[s] || is_crowded_[s]) continue;
      is_crowded_[s] = 1;
      crowded_.push_back(s);
    }
  }
  return v + size_[b] <= limit_[b] || FailAt(lo, v + size_[b] - limit_[b]);
}

bool ValleyState::LiftOver(int32_t b, int64_t v, int32_t level) {
  const int32_t lo = problem_.lo[b];
  const int32_t* over = remaining(lo);
  for (int32_t i = 0, count = remaining_count(lo); i < count; ++i) {
    if (!LiftLow(over[i], v, level)) return false;
  }
  for (int32_t c = problem_.first[lo + 1]; c < problem_.first[problem_.hi[b]]; ++c) {
    if (!LiftLow(c, v, level)) return false;
  }
  return true;
}

bool ValleyState::Settle() {
  for (int32_t s = changed_from_; s < changed_to_; ++s) {
    const int64_t old = floor(s);
    if (old == kNever || low(static_cast<int32_t>(cells_[witness_ + s])) == old) continue;
    const int32_t* over = remaining(s);
    int64_t least = kNever;
    int32_t witness = 0;
    for (int32_t i = 0, count = remaining_count(s); i < count; ++i) {
      const int64_t l = low(over[i]);
      if (l >= least) continue;
      least = l;
      witness = over[i];
      if (l == old) break;
    }
    Set(witness_ + s, witness);
    if (least == old) continue;
    Set(floor_ + s, least);
    if (least == kNever) continue;
    if (least > latest_[s]) return FailAt(s, least - latest_[s]);
  }
  return true;
}

// Those over s with low >= t take their sizes from t on, for each t. Up to
// `latest` that is the sum of all, and for t > v nothing has changed.
bool ValleyState::CheckCrowded(int32_t s, int64_t v) {
  late_.clear();
  int64_t above = 0;    // sizes with low >= v
  int64_t between = 0;  // sizes with low in (latest, v)
  const int64_t latest = latest_[s];
  const int32_t* over = remaining(s);
  for (int32_t i = 0, count = remaining_count(s); i < count; ++i) {
    const int64_t l = low(over[i]);
    const int64_t size = size_[over[i]];
    above += l >= v ? size : 0;
    between += l > latest && l < v ? size : 0;
  }
  if (v + above > capacity_[s]) return FailAt(s, v + above - capacity_[s]);
  if (v + above + between <= capacity_[s]) return true;
  for (int32_t i = 0, count = remaining_count(s); i < count; ++i) {
    const int64_t l = low(over[i]);
    if (l > latest && l < v) late_.emplace_back(l, size_[over[i]]);
  }
  SortRows(&late_);
  for (size_t i = late_.size(); i-- > 0;) {
    above += late_[i].second;
    const int64_t end = late_[i].first + above;
    if (end > capacity_[s]) return FailAt(s, end - capacity_[s]);
  }
  return true;
}

bool ValleyState::CheckCrowded(int64_t v) {
  bool fits = true;
  for (const int32_t s : crowded_) {
    is_crowded_[s] = 0;
    fits = fits && CheckCrowded(s, v);
  }
  crowded_.clear();
  return fits;
}

bool ValleyState::Place(int32_t b, int64_t v, int32_t level) {
  const int32_t lo = problem_.lo[b];
  const int32_t hi = problem_.hi[b];
  changed_from_ = lo;
  changed_to_ = hi;
  const int64_t top = v + size_[b];
  placed_.push_back({b, v});
  Set(low_ + b, kNever);
  TakeOut(b, top);
  Touch(lo, hi, level);
  for (int32_t s = lo; s < hi; ++s) Set(floor_ + s, top);
  const bool fits = LiftOver(b, top, level) && Settle();
  return CheckCrowded(top) && fits;
}

bool ValleyState::Raise(int32_t s, int64_t v, int32_t level) {
  changed_from_ = s;
  changed_to_ = s + 1;
  const int32_t* over = remaining(s);
  bool fits = true;
  for (int32_t i = 0, count = remaining_count(s); fits && i < count; ++i) {
    fits = LiftLow(over[i], v, level);
  }
  fits = fits && Settle();
  return CheckCrowded(v) && fits;
}

}  // namespace memplan
