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

Portfolio::Portfolio(uint64_t seed, int32_t buffers) : random_(seed), buffers_(buffers) {
  const SectionRule rules[] = {SectionRule::kLowestFewest, SectionRule::kFewestHalf,
                               SectionRule::kFewestPerFail, SectionRule::kLowestBlended};
  const CandidateKey keys[] = {{0, 256, 0}, {256, 0, 0}, {256, 256, 0}, {128, 256, 0}};
  for (const CandidateKey& key : keys) {
    for (const SectionRule rule : rules) opening_.push_back({.section_rule = rule, .key = key, .mirrored = random_.Percent(50), .check_crowded = true});
  }
  for (size_t i = opening_.size(); i > 1; --i) {
    std::swap(opening_[i - 1], opening_[random_.Below(static_cast<int64_t>(i))]);
  }
}

int Portfolio::DrawByWeight(std::span<const int> weights) {
  int64_t pick = random_.Below(std::accumulate(weights.begin(), weights.end(), 0));
  int drawn = 0;
  while (pick >= weights[drawn]) pick -= weights[drawn++];
  return drawn;
}

Attempt Portfolio::Draw() {
  const int weights[kSectionRules] = {1, 2, 3, 3, 3, 3, 2, 2, 1, 3};
  const int preferences[kCandidateRules] = {45, 25, 12, 18};
  Attempt attempt;
  attempt.section_rule = static_cast<SectionRule>(DrawByWeight(weights));
  attempt.candidate_rule = static_cast<CandidateRule>(DrawByWeight(preferences));
  attempt.check_crowded = true;
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

Attempt Portfolio::Next() {
  Attempt attempt = drawn_ < static_cast<int64_t>(opening_.size()) ? opening_[drawn_] : Draw();
  ++drawn_;
  attempt.nodes = 4 * int64_t{std::max(buffers_, 8)} * Luby(drawn_);
  return attempt;
}

}  // namespace memplan
