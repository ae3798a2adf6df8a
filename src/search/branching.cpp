#include "search/branching.h"

#include <algorithm>
#include <numeric>

#include "row_sort.h"

namespace memplan {

int64_t Log2Fixed(int64_t value) {
  int whole = 0;
  while ((value >> whole) > 1) ++whole;
  // The mantissa in [1, 2) with 30 fraction bits; squaring it yields one bit of
  // the logarithm at a time.
  uint64_t mantissa = whole > 30 ? static_cast<uint64_t>(value) >> (whole - 30)
                                 : static_cast<uint64_t>(value) << (30 - whole);
  int64_t result = whole;
  for (int bit = 0; bit < 16; ++bit) {
    mantissa = (mantissa * mantissa) >> 30;
    result <<= 1;
    if (mantissa >> 31) {
      result |= 1;
      mantissa >>= 1;
    }
  }
  return result;
}

std::vector<int32_t> RankBuffers(const SectionProblem& problem, const CandidateKey& key) {
  const int32_t n = problem.count();
  std::vector<int64_t> load(problem.sections, 0);
  for (int32_t b = 0; b < n; ++b) {
    for (int32_t s = problem.lo[b]; s < problem.hi[b]; ++s) load[s] += problem.size[b];
  }
  std::vector<int64_t> value(n);
  for (int32_t b = 0; b < n; ++b) {
    const int64_t fullest =
        *std::max_element(load.begin() + problem.lo[b], load.begin() + problem.hi[b]);
    value[b] = key.width * Log2Fixed(problem.hi[b] - problem.lo[b]) +
               key.size * Log2Fixed(problem.size[b]) + key.load * Log2Fixed(fullest);
  }
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  SortRows(&order, [&](int32_t a, int32_t b) {
    return value[a] != value[b] ? value[a] > value[b] : a < b;
  });
  std::vector<int32_t> rank(n);
  for (int32_t i = 0; i < n; ++i) rank[order[i]] = i;
  return rank;
}

Brancher::Brancher(const SectionProblem& problem)
    : problem_(problem),
      twin_before_(problem.count(), -1),
      failures_(problem.sections, 0),
      past_failures_(problem.sections, 0),
      valley_(problem.sections, 0),
      supports_(problem.sections + 1, 0),
      candidates_(problem.sections + 1, 0) {
  for (int32_t b = 1; b < problem.count(); ++b) {
    if (problem.lo[b] == problem.lo[b - 1] && problem.hi[b] == problem.hi[b - 1] &&
        problem.bytes[b] == problem.bytes[b - 1]) {
      twin_before_[b] = b - 1;
    }
  }
}

void Brancher::SetRules(SectionRule section, CandidateRule candidate, std::vector<int32_t> rank) {
  section_rule_ = section;
  candidate_rule_ = candidate;
  rank_ = std::move(rank);
}

void Brancher::ForgetFailures() { std::fill(failures_.begin(), failures_.end(), 0); }

void Brancher::FindValleys(const ValleyState& state, SectionRange range) {
  int32_t supports = 0;
  supports_[range.from] = 0;
  for (int32_t from = range.from; from < range.to;) {
    const int64_t floor = state.floor(from);
    int32_t to = from + 1;
    while (to < range.to && state.floor(to) == floor) ++to;
    const bool valley = (from == range.from || state.floor(from - 1) > floor) &&
                        (to == range.to || state.floor(to) > floor);
    for (int32_t s = from; s < to; ++s) {
      valley_[s] = valley ? floor : -1;
      supports += valley && state.top(s) == floor;
      supports_[s + 1] = supports;
      candidates_[s] = 0;
    }
    from = to;
  }
  candidates_[range.to] = 0;
}

bool Brancher::MayLieAtFloor(const ValleyState& state, int32_t b) const {
  if (!Supported(b)) return false;
  const int32_t twin = twin_before_[b];
  if (twin >= 0 && state.remains(twin)) return false;
  const int32_t lo = problem_.lo[b];
  const int32_t under = state.last_placed(lo);
  return under < 0 || state.top(lo) != state.low(b) || problem_.lo[under] != lo ||
         problem_.hi[under] != problem_.hi[b] || state.size(under) >= state.size(b) ||
         state.end_limit(under) < state.end_limit(b);
}

void Brancher::CountCandidates(const ValleyState& state, SectionRange range) {
  const int32_t end = problem_.first[range.to];
  for (int32_t b = problem_.first[range.from]; b < end; ++b) {
    const int32_t lo = problem_.lo[b];
    if (state.low(b) != valley_[lo] || !MayLieAtFloor(state, b)) continue;
    ++candidates_[lo];
    --candidates_[problem_.hi[b]];
  }
  int32_t count = 0;
  for (int32_t s = range.from; s < range.to; ++s) {
    count += candidates_[s];
    candidates_[s] = count;
  }
}

std::pair<int64_t, int64_t> Brancher::Score(const ValleyState& state, int32_t s) const {
  const int64_t count = candidates_[s];
  const int64_t slack = state.slack(s);
  const int64_t floor = valley_[s];
  const int64_t failures = failures_[s] + 1;
  if (count == 0 || (count == 1 && slack == 0)) return {count - 2, slack};
  switch (section_rule_) {
    case SectionRule::kLowestLeft:
      return {floor, 0};
    case SectionRule::kFewest:
      return {count, slack};
    case SectionRule::kFewestPerFail:
      return {((count + (slack > 0)) << 20) / failures, slack};
    case SectionRule::kLowestFewest:
      return {floor, count};
    case SectionRule::kFewestHalf:
      return {2 * count + (slack > 0), floor};
    case SectionRule::kLowestBlended:
      return {count + 16 * floor / state.capacity(s), slack};
    case SectionRule::kLeastSlack:
      return {slack, count};
    case SectionRule::kFewestThenFail:
      return {count, -failures};
    case SectionRule::kHalfThenSlack:
      return {2 * count + (slack > 0), slack};
    case SectionRule::kFewestPerPast:
      return {((count + (slack > 0)) << 40) / (past_failures_[s] + 1), slack};
  }
  return {0, 0};
}

int32_t Brancher::BestSection(const ValleyState& state, SectionRange range) const {
  int32_t best = -1;
  std::pair<int64_t, int64_t> least;
  for (int32_t s = range.from; s < range.to; ++s) {
    if (valley_[s] < 0) continue;
    const auto score = Score(state, s);
    if (best >= 0 && score >= least) continue;
    best = s;
    least = score;
  }
  return best;
}

int64_t Brancher::WasteFloor(const ValleyState& state, const Branch& branch) const {
  int64_t least = ValleyState::kNever;
  const auto consider = [&](int32_t b) {
    const int64_t low = state.low(b);
    if (low == ValleyState::kNever) return;
    const bool over = problem_.lo[b] <= branch.section && branch.section < problem_.hi[b];
    if (low > branch.floor) {
      least = std::min(least, over ? low : low + state.size(b));
    } else if (!over && Supported(b)) {
      least = std::min(least, low + state.size(b));
    }
  };
  const int32_t* over = state.remaining(branch.valley_from);
  for (int32_t i = 0, count = state.remaining_count(branch.valley_from); i < count; ++i) {
    consider(over[i]);
  }
  const int32_t end = problem_.first[branch.valley_to];
  for (int32_t b = problem_.first[branch.valley_from + 1]; b < end; ++b) consider(b);
  return least;
}

// Smaller is better, before the rank.
int64_t Brancher::Handicap(const ValleyState& state, const Branch& branch, int32_t b) const {
  const int walls = (problem_.lo[b] == branch.valley_from) + (problem_.hi[b] == branch.valley_to);
  switch (candidate_rule_) {
    case CandidateRule::kKey:
      return 0;
    case CandidateRule::kMostWalls:
      return -walls;
    case CandidateRule::kWholeFloor:
      return walls < 2;
    case CandidateRule::kLeastSlack: {
      int64_t least = ValleyState::kNever;
      for (int32_t s = problem_.lo[b]; s < problem_.hi[b]; ++s) {
        least = std::min(least, state.slack(s));
      }
      return least;
    }
  }
  return 0;
}

void Brancher::SortCandidates(const ValleyState& state, const Branch& branch, int32_t* begin,
                              int32_t* end) {
  ranked_.clear();
  for (const int32_t* b = begin; b != end; ++b) {
    ranked_.push_back({Handicap(state, branch, *b), rank_[*b], *b});
  }
  SortRows(&ranked_, [](const Ranked& a, const Ranked& b) {
    return a.handicap != b.handicap ? a.handicap < b.handicap : a.rank < b.rank;
  });
  for (const Ranked& ranked : ranked_) *begin++ = ranked.buffer;
}

Branch Brancher::Choose(const ValleyState& state, SectionRange range,
                        std::vector<int32_t>* candidates) {
  FindValleys(state, range);
  CountCandidates(state, range);
  Branch branch;
  const int32_t s = BestSection(state, range);
  branch.section = s;
  branch.floor = valley_[s];
  branch.valley_from = s;
  branch.valley_to = s + 1;
  while (branch.valley_from > range.from && state.floor(branch.valley_from - 1) == branch.floor) {
    --branch.valley_from;
  }
  while (branch.valley_to < range.to && state.floor(branch.valley_to) == branch.floor) {
    ++branch.valley_to;
  }
  const size_t start = candidates->size();
  const int32_t* over = state.remaining(s);
  for (int32_t i = 0, count = state.remaining_count(s); i < count; ++i) {
    if (state.low(over[i]) == branch.floor && MayLieAtFloor(state, over[i])) {
      candidates->push_back(over[i]);
    }
  }
  SortCandidates(state, branch, candidates->data() + start,
                 candidates->data() + candidates->size());
  branch.waste_floor = WasteFloor(state, branch);
  branch.may_waste = branch.waste_floor < ValleyState::kNever &&
                     branch.waste_floor - branch.floor <= state.slack(s);
  return branch;
}

}  // namespace memplan
