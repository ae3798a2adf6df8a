// The state of the exact search over sections: what is placed, how high each
// section is filled, and how low each remaining buffer can still lie.
#ifndef MEMPLAN_SEARCH_VALLEY_STATE_H_
#define MEMPLAN_SEARCH_VALLEY_STATE_H_

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "search/progress.h"
#include "search/section_problem.h"

namespace memplan {

// All lengths are in units, 64 bits wide: narrower ones would gain 3% of time
// for the code of a second search.
//
// Of each section: `top`, the end of the last buffer placed over it; `floor`,
// the least `low` of its remaining buffers (kNever where none remains);
// `latest`, capacity - sizes of the remaining: floor beyond it is failure, and
// slack is what is left till then. Of each remaining buffer: `low`, a proven
// lower limit of its offset, kNever once it is placed.
//
// Invariant between calls that return true: floor and latest are exact, floor <=
// latest, and low + size stays within the buffer's end limit. One pass over the
// changed sections keeps it: a floor raised to the least low of its buffers
// raises no low.
//
// Every change is made for a decision level (a frame of the search); the levels
// that touched a section are kept as bits. Whatever is known of a section and
// of the buffers over it follows from the decisions of these levels alone:
// placing b touches b's sections, raising the low of c touches all of c's.
class ValleyState {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;
  // Levels from here on share one bit, which is never cleared: conflicts then
  // name more than they need to, which is sound.
  static constexpr int32_t kLevels = 64 * 16;

  explicit ValleyState(const SectionProblem& problem);

  // Forgets all decisions and sets the capacity. False where a section holds
  // too much from the start. `check_crowded`: also fail where for some t those
  // over a section that cannot lie below t have no room above it.
  bool Reset(Bytes target, bool check_crowded);
  // Puts b, whose span is flat at v = low[b], there. False where something no
  // longer fits: see failed_section(). The change is to be undone either way.
  bool Place(int32_t b, int64_t v, int32_t level);
  // Demands that all that remains over s lies at v or higher.
  bool Raise(int32_t s, int64_t v, int32_t level);

  struct Mark {
    size_t cells = 0;
    size_t placed = 0;
  };
  Mark mark() const { return {trail_.size(), placed_.size()}; }
  // Takes back everything since `mark`, which `level` or higher ones did.
  void Undo(Mark mark, int32_t level, int32_t top_level);

  int64_t top(int32_t s) const { return cells_[s]; }
  int64_t floor(int32_t s) const { return cells_[floor_ + s]; }
  int64_t latest(int32_t s) const { return latest_[s]; }
  int64_t slack(int32_t s) const { return latest_[s] - cells_[floor_ + s]; }
  int64_t low(int32_t b) const { return cells_[low_ + b]; }
  bool remains(int32_t b) const { return cells_[low_ + b] != kNever; }
  int64_t size(int32_t b) const { return size_[b]; }
  // Remaining buffers over both s and s + 1.
  int64_t crossing(int32_t s) const { return cells_[crossing_ + s]; }
  // The buffer whose end is top(s); -1: none is placed.
  int32_t last_placed(int32_t s) const { return static_cast<int32_t>(cells_[last_ + s]); }
  int64_t end_limit(int32_t b) const { return limit_[b]; }
  int64_t capacity(int32_t s) const { return capacity_[s]; }

  const int32_t* remaining(int32_t s) const { return items_.data() + items_at_[s]; }
  int32_t remaining_count(int32_t s) const { return static_cast<int32_t>(cells_[count_ + s]); }

  int32_t failed_section() const { return failed_section_; }
  // By how many units the failure missed: it would not have failed with that
  // much more capacity, but with less.
  int64_t failed_by() const { return failed_by_; }

  int32_t words() const { return words_; }
  const uint64_t* levels_of(int32_t s) const { return levels_.data() + size_t(s) * words_; }

  const std::vector<PlacedBuffer>& placed() const { return placed_; }
  const SectionProblem& problem() const { return problem_; }

 private:
  void Set(size_t cell, int64_t value) {
    trail_.push_back({static_cast<uint32_t>(cell), cells_[cell]});
    cells_[cell] = value;
  }
  void Touch(int32_t from, int32_t to, int32_t level);
  void TakeOut(int32_t b, int64_t top);
  bool LiftLow(int32_t b, int64_t v, int32_t level);
  bool LiftOver(int32_t b, int64_t v, int32_t level);
  bool Settle();
  bool CheckCrowded(int64_t v);
  bool CheckCrowded(int32_t s, int64_t v);
  void Widen(int32_t from, int32_t to);
  bool FailAt(int32_t s, int64_t by);

  struct Change {
    uint32_t cell;
    int64_t old;
  };
  struct LevelSpan {
    int32_t from;
    int32_t to;
  };

  const SectionProblem& problem_;
  size_t floor_, count_, crossing_, witness_, last_, low_;  // cells
  std::vector<int64_t> cells_;
  std::vector<int64_t> size_;
  std::vector<int64_t> limit_;
  std::vector<int64_t> capacity_;
  std::vector<int64_t> load_;
  std::vector<int64_t> latest_;
  std::vector<int64_t> root_crossing_;
  std::vector<size_t> items_at_;  // by section
  std::vector<int32_t> items_;    // the first remaining_count(s) of a section remain
  std::vector<size_t> place_at_;  // by buffer
  std::vector<int32_t> place_;    // where it is in the items of each of its sections
  std::vector<Change> trail_;
  std::vector<PlacedBuffer> placed_;
  std::vector<uint64_t> levels_;
  std::vector<LevelSpan> spans_;  // by level: the sections it touched
  std::vector<int32_t> crowded_;  // sections to check: some low rose beyond `latest`
  std::vector<uint8_t> is_crowded_;
  std::vector<std::pair<int64_t, int64_t>> late_;  // low and size of those beyond `latest`
  bool check_crowded_ = false;
  int32_t words_ = 1;
  int32_t changed_from_ = 0;
  int32_t changed_to_ = 0;
  int32_t failed_section_ = 0;
  int64_t failed_by_ = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_VALLEY_STATE_H_
