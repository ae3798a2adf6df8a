#include "search/clique_search.h"

#include <algorithm>
#include <utility>

#include "row_sort.h"

namespace memplan {

CliqueSearch::CliqueSearch(const CliqueProblem& problem) : problem_(problem) {
  const int32_t n = problem.count();
  const int32_t cliques = problem.cliques.count();
  words_ = std::min<int32_t>(4 * n / 64 + 1, kLevels / 64);
  rest_ = n;
  levels_ = 2 * size_t(n);
  cells_.assign(levels_ + size_t(n) * words_, 0);
  twin_after_.assign(n, -1);
  for (int32_t b = 0; b < n; ++b) {
    if (problem.twin_before[b] >= 0) twin_after_[problem.twin_before[b]] = b;
  }
  for (int32_t q = 0; q < cliques; ++q) {
    Bytes least = 1;
    if (problem.clique_obstacles[q].empty()) {
      least = kMaxBytes;
      for (const int32_t b : problem.cliques[q]) least = std::min(least, problem.alignment[b]);
    }
    granule_.push_back(least);
  }
  is_touched_.assign(cliques, 0);
}

void CliqueSearch::Set(size_t cell, int64_t value) {
  trail_.push_back({cell, cells_[cell]});
  cells_[cell] = value;
}

void CliqueSearch::AddLevel(int32_t b, int32_t level) {
  const int32_t shared = std::min(level, words_ * 64 - 1);
  const size_t cell = levels_ + size_t(b) * words_ + (shared >> 6);
  const int64_t with =
      static_cast<int64_t>(static_cast<uint64_t>(cells_[cell]) | uint64_t{1} << (shared & 63));
  if (with != cells_[cell]) Set(cell, with);
}

void CliqueSearch::AddLevels(int32_t b, int32_t other) {
  for (int32_t w = 0; w < words_; ++w) {
    const size_t cell = levels_ + size_t(b) * words_ + w;
    const int64_t with = cells_[cell] | levels(other)[w];
    if (with != cells_[cell]) Set(cell, with);
  }
}

void CliqueSearch::Blame(int32_t b, uint64_t* conflict) {
  const int64_t* from = levels(b);
  for (int32_t w = 0; w < words_; ++w) conflict[w] |= static_cast<uint64_t>(from[w]);
}

void CliqueSearch::Fail(Bytes by) { missing_ = std::min(missing_, by); }

bool CliqueSearch::LiftLow(int32_t b, Bytes v) {
  if (v <= low(b)) return true;
  Set(b, v);
  lifted_.push_back(b);
  if (v + problem_.size[b] <= target_) return true;
  Fail(v + problem_.size[b] - target_);
  Blame(b, failure_.data());
  return false;
}

Bytes CliqueSearch::ObstaclesAbove(int32_t q, Bytes from) const {
  Bytes sum = 0;
  for (const CliqueProblem::Obstacle& o : problem_.clique_obstacles[q]) {
    sum += std::max<Bytes>(0, o.to - std::max(o.from, from));
  }
  return sum;
}

// For each t: what remains with low >= t lies in [t, target], clear of each
// other and of the obstacles. All offsets being multiples of the granule, each
// but the topmost takes whole granules.
bool CliqueSearch::CheckClique(int32_t q) {
  stack_.clear();
  for (const int32_t b : problem_.cliques[q]) {
    if (remains(b)) stack_.push_back(b);
  }
  work_ += static_cast<int64_t>(stack_.size());
  SortRows(&stack_,
           [&](int32_t a, int32_t b) { return low(a) != low(b) ? low(a) > low(b) : a < b; });
  Bytes sum = 0;
  Bytes most_padding = 0;
  for (size_t i = 0; i < stack_.size(); ++i) {
    const int32_t b = stack_[i];
    const Bytes rounded = AlignUp(problem_.size[b], granule_[q]);
    sum += rounded;
    most_padding = std::max(most_padding, rounded - problem_.size[b]);
    const Bytes end = low(b) + sum - most_padding + ObstaclesAbove(q, low(b));
    if (end <= target_) continue;
    Fail(end - target_);
    for (size_t j = 0; j <= i; ++j) Blame(stack_[j], failure_.data());
    return false;
  }
  return true;
}

// Hands lifted lows on to twins, then checks the cliques they are in.
bool CliqueSearch::Settle() {
  bool fits = true;
  for (size_t i = 0; fits && i < lifted_.size(); ++i) {
    const int32_t b = lifted_[i];
    const int32_t twin = twin_after_[b];
    if (twin >= 0 && remains(b)) {
      AddLevels(twin, b);
      fits = LiftLow(twin, problem_.NextFit(twin, low(b) + problem_.size[b]));
    }
    for (const int32_t q : problem_.cliques_of[b]) {
      if (is_touched_[q]) continue;
      is_touched_[q] = 1;
      touched_.push_back(q);
    }
  }
  for (const int32_t q : touched_) {
    is_touched_[q] = 0;
    fits = fits && CheckClique(q);
  }
  touched_.clear();
  lifted_.clear();
  return fits;
}

bool CliqueSearch::Place(int32_t b, Bytes v, int32_t level) {
  offset_[b] = v;
  placed_.push_back({b, v});
  const Bytes top = v + problem_.size[b];
  bool fits = true;
  for (const int32_t c : problem_.neighbours[b]) {
    if (!remains(c)) continue;
    AddLevel(c, level);
    if (top > rest(c)) Set(rest_ + c, problem_.NextFit(c, top));
    fits = fits && LiftLow(c, rest(c));
  }
  work_ += static_cast<int64_t>(problem_.neighbours[b].size()) / 4;
  return Settle() && fits;
}

bool CliqueSearch::Raise(int32_t b, Bytes v, int32_t level) {
  AddLevel(b, level);
  const bool fits = LiftLow(b, v);
  return Settle() && fits;
}

void CliqueSearch::Undo(const Frame& frame) {
  progress_.Save(placed_);
  while (placed_.size() > frame.placed) {
    offset_[placed_.back().buffer] = kNoBytes;
    placed_.pop_back();
  }
  for (size_t i = trail_.size(); i-- > frame.cells;) cells_[trail_[i].cell] = trail_[i].old;
  trail_.resize(frame.cells);
}

void CliqueSearch::Start(Bytes target, BufferRule rule, std::vector<int32_t> rank, int64_t patience,
                         const std::vector<PlacedBuffer>& kept) {
  const int32_t n = problem_.count();
  target_ = target;
  rule_ = rule;
  rank_ = std::move(rank);
  missing_ = kMaxBytes;
  progress_.Start(patience);
  work_ = 0;
  trail_.clear();
  placed_.clear();
  frames_.clear();
  failure_.assign(words_, 0);
  offset_.assign(n, kNoBytes);
  std::fill(cells_.begin(), cells_.end(), 0);
  outcome_ = AttemptOutcome::kRunning;
  bool fits = target >= problem_.pinned_end;
  if (!fits) Fail(problem_.pinned_end - target);
  for (int32_t b = 0; b < n; ++b) cells_[rest_ + b] = problem_.NextFit(b, problem_.base);
  for (int32_t b = 0; b < n; ++b) {
    cells_[b] = -1;
    fits = LiftLow(b, rest(b)) && fits;
  }
  fits = Settle() && fits;
  // Of the shared level, which is taken out of no conflict.
  for (const auto& [b, offset] : kept) fits = fits && Place(b, offset, kLevels);
  if (!fits) outcome_ = AttemptOutcome::kInfeasible;
}

int64_t CliqueSearch::Run(int64_t work) {
  const auto done = [&] { return work_ / kWorkPerStep; };
  while (outcome_ == AttemptOutcome::kRunning && done() < work && !out_of_patience()) {
    if (frames_.empty()) {
      Enter();
    } else {
      TryNext();
    }
  }
  // The rest stays, so that the sum does not depend on where calls end.
  const int64_t steps = done();
  work_ -= steps * kWorkPerStep;
  return steps;
}

int32_t CliqueSearch::LowestByRank() const {
  int32_t best = -1;
  for (int32_t b = 0; b < problem_.count(); ++b) {
    if (!remains(b)) continue;
    if (best < 0 || low(b) < low(best) || (low(b) == low(best) && rank_[b] < rank_[best])) best = b;
  }
  return best;
}

// From the clique with the least room, its lowest buffer, and from there down
// while a neighbour is lower: what it ends at has none that is.
int32_t CliqueSearch::DownFromTightest() const {
  int32_t at = -1;
  Bytes least = kMaxBytes;
  for (int32_t q = 0; q < problem_.cliques.count(); ++q) {
    Bytes sum = 0;
    int32_t lowest = -1;
    for (const int32_t b : problem_.cliques[q]) {
      if (!remains(b)) continue;
      sum += problem_.size[b];
      if (lowest < 0 || low(b) < low(lowest) ||
          (low(b) == low(lowest) && rank_[b] < rank_[lowest])) {
        lowest = b;
      }
    }
    if (lowest < 0 || target_ - low(lowest) - sum >= least) continue;
    least = target_ - low(lowest) - sum;
    at = lowest;
  }
  if (at < 0) return LowestByRank();  // what remains is in no clique with others
  for (bool moved = true; moved;) {
    moved = false;
    for (const int32_t c : problem_.neighbours[at]) {
      if (!remains(c) || low(c) >= low(at)) continue;
      at = c;
      moved = true;
      break;
    }
  }
  return at;
}

// How many of b's neighbours may hold it up above its low; *next is then where
// it lies at least. -1 where a neighbour is lower.
int32_t CliqueSearch::CountBelow(int32_t b, Bytes* next) {
  int32_t count = 0;
  Bytes least = kMaxBytes;
  for (const int32_t c : problem_.neighbours[b]) {
    if (!remains(c)) continue;
    if (low(c) < low(b)) return -1;
    if (low(c) >= low(b) + problem_.size[b]) continue;
    ++count;
    least = std::min(least, low(c) + problem_.size[c]);
  }
  work_ += static_cast<int64_t>(problem_.neighbours[b].size()) / 8;
  *next = count > 0 ? problem_.NextFit(b, least) : kNoBytes;
  return count;
}

int32_t CliqueSearch::WithFewest() {
  int32_t best = -1;
  int32_t fewest = 0;
  Bytes next = 0;
  for (int32_t b = 0; b < problem_.count(); ++b) {
    if (!remains(b)) continue;
    const int32_t count = CountBelow(b, &next);
    if (count < 0) continue;
    if (best < 0 || count < fewest || (count == fewest && rank_[b] < rank_[best])) {
      best = b;
      fewest = count;
    }
  }
  return best;
}

int32_t CliqueSearch::Choose() {
  work_ += 1 + problem_.count() / 8;
  switch (rule_) {
    case BufferRule::kLowest:
      return LowestByRank();
    case BufferRule::kTightest:
      work_ += static_cast<int64_t>(problem_.cliques.items.size()) / 4;
      return DownFromTightest();
    case BufferRule::kFewest:
      return WithFewest();
  }
  return LowestByRank();
}

void CliqueSearch::Enter() {
  if (static_cast<int32_t>(placed_.size()) == problem_.count()) {
    outcome_ = AttemptOutcome::kFound;
    return;
  }
  const int32_t level = static_cast<int32_t>(frames_.size());
  Frame frame = {};
  frame.buffer = Choose();
  frame.at = low(frame.buffer);
  CountBelow(frame.buffer, &frame.raised);
  frame.may_place = rest(frame.buffer) == frame.at;
  frame.cells = trail_.size();
  frame.placed = placed_.size();
  frames_.push_back(frame);
  conflicts_.resize(size_t(level + 1) * words_);
  std::fill(conflict(level), conflict(level) + words_, 0);
  Blame(frame.buffer, conflict(level));
  for (const int32_t c : problem_.neighbours[frame.buffer]) {
    if (remains(c)) Blame(c, conflict(level));
  }
  progress_.Count(placed_);
}

void CliqueSearch::TryNext() {
  const int32_t level = static_cast<int32_t>(frames_.size()) - 1;
  Frame& frame = frames_.back();
  if (frame.tried == 0 && !frame.may_place) ++frame.tried;
  std::fill(failure_.begin(), failure_.end(), 0);
  bool fits = false;
  if (frame.tried == 0) {
    fits = Place(frame.buffer, frame.at, level);
  } else if (frame.tried == 1 && frame.raised != kNoBytes) {
    fits = Raise(frame.buffer, frame.raised, level);
  } else {
    FailFrame();
    return;
  }
  ++frame.tried;
  if (fits) {
    Enter();
    return;
  }
  for (int32_t w = 0; w < words_; ++w) conflict(level)[w] |= failure_[w];
  Undo(frame);
}

// Hands the conflict of the newest frame up to the nearest one that is in it.
void CliqueSearch::FailFrame() {
  const int32_t level = static_cast<int32_t>(frames_.size()) - 1;
  const int32_t shared = words_ * 64 - 1;
  uint64_t* set = conflict(level);
  if (level < shared) set[level >> 6] &= ~(uint64_t{1} << (level & 63));
  int32_t to = level - 1;
  while (to >= 0) {
    const int32_t bit = std::min(to, shared);
    if ((set[bit >> 6] >> (bit & 63)) & 1) break;
    --to;
  }
  if (to < 0) {
    outcome_ = AttemptOutcome::kInfeasible;
    return;
  }
  for (int32_t w = 0; w < words_; ++w) conflict(to)[w] |= set[w];
  Undo(frames_[to]);
  frames_.resize(to + 1);
}

}  // namespace memplan
