// The search over cliques as an AttemptEngine.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/stack.h"
#include "row_sort.h"
#include "search/attempt_engine.h"
#include "search/clique_problem.h"
#include "search/clique_search.h"

namespace memplan {
namespace {

class CliqueEngine final : public AttemptEngine {
 public:
  CliqueEngine(const Problem& problem, CliqueProblem cliques)
      : problem_(problem), cliques_(std::move(cliques)), search_(cliques_) {}

  void Start(const Attempt& attempt, Bytes target, const std::vector<PlacedBuffer>& kept) override {
    constexpr int kRules = 3;
    target_ = target;
    search_.Start(target, static_cast<BufferRule>(static_cast<int>(attempt.section_rule) % kRules),
                  Rank(attempt.key), attempt.patience, kept);
  }
  int64_t Run(int64_t work) override { return search_.Run(work); }
  AttemptOutcome outcome() const override { return search_.outcome(); }
  bool out_of_patience() const override { return search_.out_of_patience(); }
  std::vector<PlacedBuffer> Deepest() override { return search_.Deepest(); }
  void Read(Placement* placement) const override;
  Bytes proven() const override { return target_ + std::max<Bytes>(1, search_.missing()); }
  Bytes Reachable(Bytes bytes) const override { return bytes; }
  Bytes lower_bound() const override { return cliques_.pinned_end; }
  int32_t buffers() const override { return cliques_.count(); }

 private:
  std::vector<int32_t> Rank(const CandidateKey& key) const;

  const Problem& problem_;
  const CliqueProblem cliques_;
  CliqueSearch search_;
  Bytes target_ = 0;
};

// As RankBuffers, with the number of conflicts for the width.
std::vector<int32_t> CliqueEngine::Rank(const CandidateKey& key) const {
  const int32_t n = cliques_.count();
  std::vector<int64_t> value(n);
  for (int32_t b = 0; b < n; ++b) {
    value[b] = key.width * Log2Fixed(static_cast<int64_t>(cliques_.neighbours[b].size()) + 1) +
               key.size * Log2Fixed(cliques_.size[b]);
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

void CliqueEngine::Read(Placement* placement) const {
  *placement = PinnedOnly(problem_);
  for (int32_t b = 0; b < cliques_.count(); ++b) {
    placement->offset[cliques_.buffer[b]] = search_.offsets()[b];
  }
  MeasurePeak(problem_, placement);
}

}  // namespace

std::unique_ptr<AttemptEngine> MakeCliqueEngine(const Problem& problem, size_t limit) {
  CliqueProblem cliques;
  if (!MakeCliqueProblem(problem, limit, &cliques)) return nullptr;
  return std::make_unique<CliqueEngine>(problem, std::move(cliques));
}

}  // namespace memplan
