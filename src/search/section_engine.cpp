// The search over sections as an AttemptEngine: both directions of time, both
// widths of numbers.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "search/attempt_engine.h"
#include "search/section_problem.h"
#include "search/valley_search.h"

namespace memplan {
namespace {

template <typename T>
class SectionEngine final : public AttemptEngine {
 public:
  SectionEngine(const Problem& problem, SectionProblem forward)
      : problem_(problem),
        sides_{forward, MirrorInTime(forward)},
        searches_{ValleySearch<T>(sides_[0]), ValleySearch<T>(sides_[1])} {}

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
  std::array<ValleySearch<T>, 2> searches_;
  int side_ = 0;
  Bytes target_ = 0;
};

template <typename T>
void SectionEngine<T>::Read(Placement* placement) const {
  const SectionProblem& side = sides_[side_];
  placement->offset.assign(problem_.size.size(), 0);
  for (const auto& [b, offset] : searches_[side_].placed()) {
    placement->offset[side.buffer[b]] = side.base + offset * side.unit;
  }
  MeasurePeak(problem_, placement);
}

template <typename T>
Bytes SectionEngine<T>::proven() const {
  const T missing = searches_[side_].missing();
  // With padding a byte of capacity can be a unit more for one buffer and
  // nothing for another, so what is missing in units says less.
  if (sides_[0].padded || missing >= ValleyState<T>::kNever) return target_ + 1;
  return Reachable(target_ + 1) + (missing - 1) * sides_[0].unit;
}

template <typename T>
Bytes SectionEngine<T>::Reachable(Bytes bytes) const {
  const SectionProblem& side = sides_[0];
  if (side.padded || bytes <= side.base) return bytes;
  const Bytes units = (bytes - side.base + side.unit - 1) / side.unit;
  return side.base + units * side.unit;
}

}  // namespace

std::unique_ptr<AttemptEngine> MakeSectionEngine(const Problem& problem, size_t limit) {
  SectionProblem sections = MakeSectionProblem(problem);
  // The smallest plans are no higher; 2^28 is what ValleyState cuts a capacity off at.
  constexpr int64_t kNarrow = int64_t{1} << 28;
  int64_t total = 0;
  size_t places = 0;
  for (int32_t b = 0; b < sections.count(); ++b) {
    total = std::min(kNarrow, total + sections.size[b]);
    places += static_cast<size_t>(sections.hi[b] - sections.lo[b]);
  }
  if (places > limit) return nullptr;
  if (total < kNarrow) {
    return std::make_unique<SectionEngine<int32_t>>(problem, std::move(sections));
  }
  return std::make_unique<SectionEngine<int64_t>>(problem, std::move(sections));
}

}  // namespace memplan
