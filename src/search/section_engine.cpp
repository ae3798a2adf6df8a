// The search over sections as an AttemptEngine, in both directions of time.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/stack.h"
#include "search/attempt_engine.h"
#include "search/section_problem.h"
#include "search/valley_search.h"

namespace memplan {
namespace {

class SectionEngine final : public AttemptEngine {
 public:
  SectionEngine(const Problem& problem, SectionProblem forward)
      : problem_(problem),
        sides_{forward, MirrorInTime(forward)},
        searches_{ValleySearch(sides_[0]), ValleySearch(sides_[1])} {}

  void Start(const Attempt& attempt, Bytes target, const std::vector<PlacedBuffer>& kept) override {
    side_ = attempt.mirrored;
    target_ = target;
    searches_[side_].Start(attempt, target, kept);
  }
  int64_t Run(int64_t work) override { return searches_[side_].Run(work); }
  AttemptOutcome outcome() const override { return searches_[side_].outcome(); }
  bool out_of_patience() const override { return searches_[side_].out_of_patience(); }
  std::vector<PlacedBuffer> Deepest() override { return searches_[side_].Deepest(); }
  void Read(Placement* placement) const override;
  Bytes proven() const override;
  Bytes Reachable(Bytes bytes) const override;
  Bytes lower_bound() const override { return SectionBound(sides_[0]); }
  int32_t buffers() const override { return sides_[0].count(); }

 private:
  const Problem& problem_;
  const std::array<SectionProblem, 2> sides_;  // as time runs, and mirrored
  std::array<ValleySearch, 2> searches_;
  int side_ = 0;
  Bytes target_ = 0;
};

void SectionEngine::Read(Placement* placement) const {
  const SectionProblem& side = sides_[side_];
  *placement = PinnedOnly(problem_);
  for (const auto& [b, offset] : searches_[side_].placed()) {
    placement->offset[side.buffer[b]] = side.base + offset * side.unit;
  }
  MeasurePeak(problem_, placement);
}

Bytes SectionEngine::proven() const {
  const int64_t missing = searches_[side_].missing();
  // With padding a byte of capacity can be a unit more for one buffer and
  // nothing for another, so what is missing in units says less.
  if (sides_[0].padded || missing >= ValleyState::kNever) return target_ + 1;
  return Reachable(target_ + 1) + (missing - 1) * sides_[0].unit;
}

Bytes SectionEngine::Reachable(Bytes bytes) const {
  const SectionProblem& side = sides_[0];
  if (side.padded || bytes <= side.base) return bytes;
  const Bytes units = (bytes - side.base + side.unit - 1) / side.unit;
  return side.base + units * side.unit;
}

}  // namespace

std::unique_ptr<AttemptEngine> MakeSectionEngine(const Problem& problem, size_t limit) {
  SectionProblem sections = MakeSectionProblem(problem);
  size_t places = 0;
  for (int32_t b = 0; b < sections.count(); ++b) {
    places += static_cast<size_t>(sections.hi[b] - sections.lo[b]);
  }
  if (places > limit) return nullptr;
  return std::make_unique<SectionEngine>(problem, std::move(sections));
}

}  // namespace memplan
