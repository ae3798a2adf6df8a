// Which section of which valley the exact search decides next, and by what.
#ifndef MEMPLAN_SEARCH_BRANCHING_H_
#define MEMPLAN_SEARCH_BRANCHING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "search/valley_state.h"

namespace memplan {

// How a section is chosen; all are complete. A candidate is a buffer that may
// lie at the floor of the section.
enum class SectionRule : uint8_t {
  kLowestLeft,      // lowest valley, its leftmost section (the textbook skyline)
  kFewest,          // fewest candidates, then least slack
  kFewestPerFail,   // (candidates + [slack > 0]) / failures seen in the section
  kLowestFewest,    // lowest valley, fewest candidates
  kFewestHalf,      // candidates + half where slack > 0, then lowest valley
  kLowestBlended,   // candidates, and one more for each 1/16 of the capacity
  kLeastSlack,      // least slack
  kFewestThenFail,  // fewest candidates, then most failures
  kHalfThenSlack,   // candidates + half where slack > 0, then least slack
  kFewestPerPast,   // as kFewestPerFail, failures counted over all attempts
};
inline constexpr int kSectionRules = 10;

// What puts one candidate of a section before another; equal ones go by the key.
enum class CandidateRule : uint8_t {
  kKey,         // the key alone
  kMostWalls,   // those that touch both walls of the valley, then those that touch one
  kWholeFloor,  // those that touch both walls
  kLeastSlack,  // those over the section of least slack
};
inline constexpr int kCandidateRules = 4;

// Exponents in 1/256 of the key that orders candidates, largest first:
// width^a * size^b * load^c, width counted in sections, load being the fullest
// section of the buffer.
struct CandidateKey {
  int32_t width = 256;
  int32_t size = 256;
  int32_t load = 0;
};

// 0 for the buffer of the largest key; ties by number. Whole numbers only, so
// every machine ranks alike.
std::vector<int32_t> RankBuffers(const SectionProblem& problem, const CandidateKey& key);

// log2(value) in 1/65536, rounded down; value >= 1.
int64_t Log2Fixed(int64_t value);

// A range of sections that no remaining buffer leaves.
struct SectionRange {
  int32_t from = 0;  // inclusive
  int32_t to = 0;    // exclusive
};

// The children of a node. Some buffer of `candidates` lies at `floor` (in this
// order), or all that remains over `section` lies at `waste_floor` or higher.
struct Branch {
  int32_t section = 0;
  int32_t valley_from = 0;  // of its valley, inclusive
  int32_t valley_to = 0;    // exclusive
  int64_t floor = 0;
  int64_t waste_floor = 0;
  bool may_waste = false;
};

// Finds branches. The plan it must not lose, call it P, is one that minimises
// sum(size^2 * offset) among the plans within the capacity, twins (equal
// sections and bytes) in the order of their numbers. Let all decisions so far
// hold in P, so that low[b] <= P[b] for all that remains.
//
// Over each section, what remains lies above what is placed: a buffer is placed
// only at a floor, and floor <= low of all that remains over it. As P is
// minimal, each buffer lies at 0 or on the end of another that it overlaps, its
// support. Facts used:
//
// (1) If the support of c is placed (or the ground), P[c] = low[c], since
//     P[c] = end of the support <= low[c] <= P[c].
// (2) A buffer with low = v, the floor of a valley (a run of sections with equal
//     floor between higher ones), lies within the valley, since floor <= low all
//     over its span and lower floors are beyond the walls only.
// (3) If P[b] = v for such b, then its support is placed: one that remains would
//     lie below v over a section whose floor is v. So some section of b has
//     top = v ("supported"; a floor raised by waste supports nothing).
//
// Completeness at section s of valley V with floor v. Let c0 be the lowest in P
// over s. If P[c0] = v it is a candidate. Otherwise take c1, the support of c0,
// c2, the support of c1, and so on to the first, ck, whose support is placed.
// None of c1 … ck is over s. If some cj is not wholly within V, take the first
// such: it overlaps V (it overlaps c(j-1), or s itself) and remains over a wall,
// so low[cj] > v. If j = 0, P[c0] >= low[c0] with c0 over s: term A. Else P[c0]
// >= P[cj] + size >= low[cj] + size: term C. If all are within V: P[ck] =
// low[ck] by (1). If that is above v: A (k = 0) or C (k > 0). If it is v, then k
// > 0 and ck is supported by (3): P[c0] >= v + size[ck], term B. So P[c0] >=
// waste_floor = min of
//   A: low of each buffer over s with low > v,
//   B: v + size of each supported buffer of V with low = v that is not over s,
//   C: low + size of each buffer with low > v over V, but not over s.
// Without C the search would be wrong: a buffer that stands on the wall can
// carry the next one over s.
//
// Further candidates left out: one of which a twin with a smaller number remains
// (that would lie above it); and one larger than the buffer of the same span
// that it would stand on, all over (swapping the two lowers the sum, since the
// weight size^2 grows faster than the size; the swap keeps both within the end
// limits where the lower one's is no smaller).
class Brancher {
 public:
  explicit Brancher(const SectionProblem& problem);

  void SetRules(SectionRule section, CandidateRule candidate, std::vector<int32_t> rank);
  // A branch for a range with something left; appends its candidates.
  Branch Choose(const ValleyState& state, SectionRange range, std::vector<int32_t>* candidates);

  void ForgetFailures();
  void CountFailure(int32_t section) {
    ++failures_[section];
    ++past_failures_[section];
  }

 private:
  void FindValleys(const ValleyState& state, SectionRange range);
  void CountCandidates(const ValleyState& state, SectionRange range);
  int32_t BestSection(const ValleyState& state, SectionRange range) const;
  std::pair<int64_t, int64_t> Score(const ValleyState& state, int32_t s) const;
  bool Supported(int32_t b) const { return supports_[problem_.hi[b]] > supports_[problem_.lo[b]]; }
  bool MayLieAtFloor(const ValleyState& state, int32_t b) const;
  void SortCandidates(const ValleyState& state, const Branch& branch, int32_t* begin, int32_t* end);
  int64_t Handicap(const ValleyState& state, const Branch& branch, int32_t b) const;
  int64_t WasteFloor(const ValleyState& state, const Branch& branch) const;

  const SectionProblem& problem_;
  SectionRule section_rule_ = SectionRule::kFewest;
  CandidateRule candidate_rule_ = CandidateRule::kKey;
  std::vector<int32_t> rank_;
  std::vector<int32_t> twin_before_;  // -1: none
  std::vector<int32_t> failures_;
  std::vector<int32_t> past_failures_;
  std::vector<int64_t> valley_;    // by section: the valley's floor, -1 outside of valleys
  std::vector<int32_t> supports_;  // by section + 1: sections of valleys up to it with top = floor
  std::vector<int32_t> candidates_;  // by section: how many, after CountCandidates
  struct Ranked {
    int64_t handicap;
    int32_t rank;
    int32_t buffer;
  };
  std::vector<Ranked> ranked_;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_BRANCHING_H_
