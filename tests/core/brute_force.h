// The least peak of a small problem by trying all orders, for tests. Shares
// nothing with the planners.
#ifndef MEMPLAN_TESTS_CORE_BRUTE_FORCE_H_
#define MEMPLAN_TESTS_CORE_BRUTE_FORCE_H_

#include <algorithm>
#include <vector>

#include "problem.h"

namespace memplan {

// In a plan of the least sum of offsets each buffer lies as low as those below
// it that conflict with it allow. So the best over all orders in which each
// buffer is put just so, and no lower than the one before it, is the optimum.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem) : problem_(problem) {
    for (BufferIndex b = 0; b < problem.count(); ++b) {
      if (problem.is_live(b)) left_.push_back(b);
      for (BufferIndex c = 0; c < problem.count(); ++c) {
        conflicts_.push_back(Conflicts(problem, b, c));
      }
    }
  }

  // kNoBytes where no order keeps the pins.
  Bytes LeastPeak() {
    best_ = kMaxBytes;
    Extend(problem_.count() > 0 ? problem_.base : 0, 0);
    return best_ == kMaxBytes ? kNoBytes : best_;
  }

 private:
  struct Range {
    BufferIndex buffer;
    Bytes end;
  };

  void Extend(Bytes peak, Bytes lowest) {
    if (peak >= best_) return;
    if (left_.empty()) {
      best_ = peak;
      return;
    }
    for (size_t i = 0; i < left_.size(); ++i) {
      const BufferIndex b = left_[i];
      Bytes at = problem_.base;
      for (const Range& range : placed_) {
        if (conflicts_[b * problem_.count() + range.buffer]) at = std::max(at, range.end);
      }
      const Bytes alignment = problem_.alignment_of(b);
      at = (at + alignment - 1) / alignment * alignment;
      const Bytes pin = problem_.pin_of(b);
      if (pin != kNoBytes && at > pin) continue;
      if (pin != kNoBytes) at = pin;
      if (at < lowest) continue;
      left_.erase(left_.begin() + static_cast<ptrdiff_t>(i));
      placed_.push_back({b, at + problem_.size[b]});
      Extend(std::max(peak, at + problem_.size[b]), at);
      placed_.pop_back();
      left_.insert(left_.begin() + static_cast<ptrdiff_t>(i), b);
    }
  }

  const Problem& problem_;
  std::vector<uint8_t> conflicts_;  // by pair
  std::vector<BufferIndex> left_;
  std::vector<Range> placed_;
  Bytes best_ = kMaxBytes;
};

}  // namespace memplan

#endif  // MEMPLAN_TESTS_CORE_BRUTE_FORCE_H_
