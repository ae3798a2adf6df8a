// What each attempt of the exact search tries: portfolio, restarts, targets.
#ifndef MEMPLAN_SEARCH_RESTARTS_H_
#define MEMPLAN_SEARCH_RESTARTS_H_

#include <cstdint>
#include <vector>

#include "search/branching.h"
#include "units.h"

namespace memplan {

// SplitMix64 (Steele, Lea & Flood 2014). The seed is mixed first: seeds that
// differ by the increment would give shifted copies of one stream.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed);
  uint64_t Next();
  // 0 to below - 1; below >= 1.
  int64_t Below(int64_t below) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(below));
  }
  bool Percent(int percent) { return Below(100) < percent; }

 private:
  uint64_t state_;
};

// 1 1 2 1 1 2 4 1 1 2 … (Luby, Sinclair & Zuckerman 1993); k from 1.
int64_t Luby(int64_t k);

struct Attempt {
  SectionRule section_rule = SectionRule::kFewest;
  CandidateRule candidate_rule = CandidateRule::kKey;
  CandidateKey key;
  bool mirrored = false;
  bool check_crowded = false;  // see ValleyState::Reset
  int64_t patience = 0;        // nodes without placing more than ever before, till it gives up
};

// Alternatives that are drawn by their weights, which turn towards those that
// find more plans for their work.
class Alternatives {
 public:
  explicit Alternatives(std::vector<int64_t> weights);
  int Draw(RandomStream* random) const;
  void Learn(int drawn, int64_t work, bool found);

 private:
  std::vector<int64_t> weights_;
  std::vector<int64_t> found_;
  std::vector<int64_t> work_;
  int64_t all_found_ = 0;
  int64_t all_work_ = 0;
};

// The endless list of attempts of one seed.
class Portfolio {
 public:
  Portfolio(uint64_t seed, int32_t buffers);
  Attempt Next();
  // One that goes on from a beginning of an earlier one.
  Attempt NextContinuation();
  // What became of an attempt.
  void Learn(const Attempt& attempt, int64_t work, bool found);
  RandomStream& random() { return random_; }

 private:
  Attempt Draw();
  int64_t Patience(int64_t k) const;

  RandomStream random_;
  int32_t buffers_;
  Alternatives section_rules_;
  Alternatives candidate_rules_;
  Alternatives crowded_checks_;
  int64_t drawn_ = 0;
  int64_t continuations_ = 0;
  std::vector<Attempt> opening_;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_RESTARTS_H_
