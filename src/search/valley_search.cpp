#include "search/valley_search.h"

#include <algorithm>
#include <utility>

#include "row_sort.h"

namespace memplan {

ValleySearch::ValleySearch(const SectionProblem& problem) : state_(problem), brancher_(problem) {}

void ValleySearch::Start(const Attempt& attempt, Bytes target,
                         const std::vector<PlacedBuffer>& kept) {
  frames_.clear();
  candidates_.clear();
  parts_.clear();
  conflicts_.clear();
  progress_.Start(attempt.patience);
  work_ = 0;
  missing_ = ValleyState::kNever;
  outcome_ = AttemptOutcome::kRunning;
  brancher_.SetRules(attempt.section_rule, attempt.candidate_rule,
                     RankBuffers(state_.problem(), attempt.key));
  brancher_.ForgetFailures();
  if (!state_.Reset(target, attempt.check_crowded)) {
    missing_ = state_.failed_by();
    outcome_ = AttemptOutcome::kInfeasible;
    return;
  }
  for (const auto& [b, offset] : kept) {
    // Of the root's level, which nothing takes back.
    if (state_.Place(b, offset, 0)) continue;
    outcome_ = AttemptOutcome::kInfeasible;
    return;
  }
  // The root's parts hang on a frame without a branch of its own: when one of
  // them fails, it has nothing left to try.
  frames_.push_back({});
  frames_[0].parent = -1;
  conflicts_.resize(state_.words(), 0);
  Split({0, state_.problem().sections});
  Descend(0);
}

int64_t ValleySearch::Run(int64_t work) {
  work_ = 0;
  while (outcome_ == AttemptOutcome::kRunning && work_ < work && !out_of_patience()) {
    TryNext();
  }
  return work_;
}

// Cuts `range` where nothing remaining crosses, leaves out sections that are
// done, and appends the parts to parts_, narrowest first.
void ValleySearch::Split(SectionRange range) {
  const size_t start = parts_.size();
  int32_t from = range.from;
  for (int32_t s = range.from; s < range.to; ++s) {
    if (s + 1 < range.to && state_.crossing(s) > 0) continue;
    if (state_.remaining_count(from) > 0) parts_.push_back({from, s + 1});
    from = s + 1;
  }
  SortRows(parts_.begin() + start, parts_.end(),
           [](SectionRange a, SectionRange b) { return a.to - a.from < b.to - b.from; });
}

void ValleySearch::StartConflict(int32_t level, const Branch& branch) {
  const int32_t words = state_.words();
  conflicts_.resize(size_t(level + 1) * words);
  uint64_t* into = conflict(level);
  std::fill(into, into + words, 0);
  const SectionRange range = frames_[level].range;
  const int32_t from = std::max(branch.valley_from - 1, range.from);
  const int32_t to = std::min(branch.valley_to + 1, range.to);
  const int32_t used = std::min(words, (level >> 6) + 1);
  for (int32_t s = from; s < to; ++s) {
    const uint64_t* levels = state_.levels_of(s);
    for (int32_t w = 0; w < used; ++w) into[w] |= levels[w];
  }
}

void ValleySearch::Enter(int32_t parent, SectionRange range) {
  const int32_t level = static_cast<int32_t>(frames_.size());
  Frame frame = {};
  frame.parent = parent;
  frame.range = range;
  frame.first_candidate = static_cast<int32_t>(candidates_.size());
  frame.first_part = static_cast<int32_t>(parts_.size());
  const Branch branch = brancher_.Choose(state_, range, &candidates_);
  frame.section = branch.section;
  frame.floor = branch.floor;
  frame.waste_floor = branch.waste_floor;
  frame.may_waste = branch.may_waste;
  if (!branch.may_waste && branch.waste_floor < ValleyState::kNever) {
    missing_ = std::min(missing_, branch.waste_floor - branch.floor - state_.slack(branch.section));
  }
  frame.candidates = static_cast<int32_t>(candidates_.size()) - frame.first_candidate;
  frame.mark = state_.mark();
  frames_.push_back(frame);
  StartConflict(level, branch);
  progress_.Count(state_.placed());
  const SectionProblem& problem = state_.problem();
  work_ += 1 + (problem.first[range.to] - problem.first[range.from] + range.to - range.from) / 256;
}

bool ValleySearch::Apply(Frame* frame, int32_t level) {
  const int32_t k = frame->tried++;
  if (k == frame->candidates) return state_.Raise(frame->section, frame->waste_floor, level);
  return state_.Place(candidates_[frame->first_candidate + k], frame->floor, level);
}

// Tries the next child of the newest frame.
void ValleySearch::TryNext() {
  const int32_t level = static_cast<int32_t>(frames_.size()) - 1;
  Frame& frame = frames_[level];
  if (frame.tried >= frame.candidates + frame.may_waste) {
    FailFrame(level);
    return;
  }
  if (!Apply(&frame, level)) {
    missing_ = std::min(missing_, state_.failed_by());
    brancher_.CountFailure(state_.failed_section());
    FailChild(level);
    return;
  }
  Split(frame.range);
  Descend(level);
}

// Goes on to the first of the parts that Split has just appended.
void ValleySearch::Descend(int32_t level) {
  frames_[level].next_part = frames_[level].first_part;
  frames_[level].end_part = static_cast<int32_t>(parts_.size());
  Ascend(level);
}

// Goes on with the next unsolved part of `level` or, all of them being solved,
// of the nearest frame above that has one.
void ValleySearch::Ascend(int32_t level) {
  while (level >= 0 && frames_[level].next_part == frames_[level].end_part) {
    level = frames_[level].parent;
  }
  if (level < 0) {
    outcome_ = AttemptOutcome::kFound;
    return;
  }
  Enter(level, parts_[frames_[level].next_part++]);
}

void ValleySearch::PopTo(int32_t level) {
  const int32_t top = static_cast<int32_t>(frames_.size()) - 1;
  Frame& frame = frames_[level];
  progress_.Save(state_.placed());
  state_.Undo(frame.mark, level, top);
  parts_.resize(frame.first_part);
  candidates_.resize(frame.first_candidate + frame.candidates);
  frames_.resize(level + 1);
}

// The newest child of `level`, which is the newest frame, failed by itself.
void ValleySearch::FailChild(int32_t level) {
  const uint64_t* levels = state_.levels_of(state_.failed_section());
  uint64_t* into = conflict(level);
  for (int32_t w = 0; w < std::min(state_.words(), (level >> 6) + 1); ++w) into[w] |= levels[w];
  PopTo(level);
}

// All children of `level` failed. Hands the conflict up to the nearest frame
// whose decision is in it.
void ValleySearch::FailFrame(int32_t level) {
  const int32_t words = state_.words();
  const int32_t shared = words * 64 - 1;
  const auto clear = [&](uint64_t* set, int32_t l) {
    if (l < shared) set[l >> 6] &= ~(uint64_t{1} << (l & 63));
  };
  const auto has = [&](const uint64_t* set, int32_t l) {
    const int32_t bit = std::min(l, shared);
    return (set[bit >> 6] >> (bit & 63)) & 1;
  };
  clear(conflict(level), level);
  int32_t to = frames_[level].parent;
  while (to > 0 && !has(conflict(level), to)) to = frames_[to].parent;
  if (to <= 0) {
    outcome_ = AttemptOutcome::kInfeasible;
    return;
  }
  uint64_t* into = conflict(to);
  const uint64_t* from = conflict(level);
  for (int32_t w = 0; w < words; ++w) into[w] |= from[w];
  PopTo(to);
}

}  // namespace memplan
