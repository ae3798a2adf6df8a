#include "search/restarts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memplan {
namespace {

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

}  // namespace

RandomStream::RandomStream(uint64_t seed) : state_(Mix(seed * 0xff51afd7ed558ccdu + kGolden)) {}

uint64_t RandomStream::Next() {
  state_ += kGolden;
  return Mix(state_);
}

int64_t Luby(int64_t k) {
  for (;;) {
    int64_t power = 1;
    while (power < k + 1) power *= 2;
    if (power == k + 1) return power / 2;
    k -= power / 2 - 1;
  }
}

Alternatives::Alternatives(std::vector<int64_t> weights)
    : weights_(std::move(weights)), found_(weights_.size(), 0), work_(weights_.size(), 0) {}

int Alternatives::Draw(RandomStream* random) const {
  // Plans per work, with a few plans at the common rate assumed beforehand, so
  // that little evidence changes little.
  constexpr int64_t kAssumed = 2;
  const int64_t assumed_work = 1 + kAssumed * all_work_ / (all_found_ + 1);
  std::vector<int64_t> up_to;
  int64_t total = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const int64_t rate =
        (found_[i] + kAssumed) * (assumed_work * 1024 / kAssumed) / (work_[i] + assumed_work);
    total += weights_[i] * (1 + rate);
    up_to.push_back(total);
  }
  const int64_t pick = random->Below(total);
  return static_cast<int>(std::upper_bound(up_to.begin(), up_to.end(), pick) - up_to.begin());
}

void Alternatives::Learn(int drawn, int64_t work, bool found) {
  work_[drawn] += work;
  all_work_ += work;
  found_[drawn] += found;
  all_found_ += found;
}

Portfolio::Portfolio(uint64_t seed, int32_t buffers)
    : random_(seed),
      buffers_(buffers),
      section_rules_({1, 2, 3, 3, 3, 3, 2, 2, 1, 3}),
      candidate_rules_({45, 25, 12, 18}),
      crowded_checks_({1, 3}) {
  const SectionRule rules[] = {SectionRule::kLowestFewest, SectionRule::kFewestHalf,
                               SectionRule::kFewestPerFail, SectionRule::kLowestBlended};
  const CandidateKey keys[] = {{0, 256, 0}, {256, 0, 0}, {256, 256, 0}, {128, 256, 0}};
  for (const CandidateKey& key : keys) {
    for (const SectionRule rule : rules)
      opening_.push_back({.section_rule = rule,
                          .key = key,
                          .mirrored = random_.Percent(50),
                          .check_crowded = true});
  }
  for (size_t i = opening_.size(); i > 1; --i) {
    std::swap(opening_[i - 1], opening_[random_.Below(static_cast<int64_t>(i))]);
  }
}

Attempt Portfolio::Draw() {
  Attempt attempt;
  attempt.section_rule = static_cast<SectionRule>(section_rules_.Draw(&random_));
  attempt.candidate_rule = static_cast<CandidateRule>(candidate_rules_.Draw(&random_));
  attempt.check_crowded = crowded_checks_.Draw(&random_);
  const auto between = [&](int from, int to) {
    return static_cast<int32_t>(from + random_.Below(to - from + 1));
  };
  const int32_t turn = random_.Percent(15) ? 0 : between(-192, 512);
  attempt.key.width = std::min(turn, 256);
  attempt.key.size = std::min(512 - turn, 256);
  attempt.key.load = random_.Percent(60) ? 0 : random_.Percent(40) ? 2560 : between(0, 2560);
  attempt.mirrored = random_.Percent(50);
  return attempt;
}

void Portfolio::Learn(const Attempt& attempt, int64_t work, bool found) {
  section_rules_.Learn(static_cast<int>(attempt.section_rule), work, found);
  candidate_rules_.Learn(static_cast<int>(attempt.candidate_rule), work, found);
  crowded_checks_.Learn(attempt.check_crowded, work, found);
}

Attempt Portfolio::Next() {
  Attempt attempt = drawn_ < static_cast<int64_t>(opening_.size()) ? opening_[drawn_] : Draw();
  ++drawn_;
  attempt.patience = Patience(drawn_);
  return attempt;
}

Attempt Portfolio::NextContinuation() {
  Attempt attempt = Draw();
  attempt.patience = Patience(++continuations_);
  return attempt;
}

// Most plans are found nearly without backtracking: three in four never went on
// for n / 8 nodes without placing one more than before.
int64_t Portfolio::Patience(int64_t k) const { return std::max(8, buffers_ / 32) * Luby(k); }

}  // namespace memplan
