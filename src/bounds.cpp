#include "bounds.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "live_events.h"
#include "row_sort.h"

namespace memplan {
namespace {

// Buffers aligned to g or more take granules of g bytes that no two of them
// share, from the first granule wholly above the base. The topmost may end
// before its last granule does; nothing else is lost. So with G granules and
// padding p lost at most, the peak is at least first + G * g - p.
//
// Kept for one g over a growing and shrinking set.
class GranuleLoad {
 public:
  GranuleLoad(const Problem& problem, Bytes granule)
      : problem_(problem), granule_(granule), first_(AlignUp(problem.base, granule)) {}

  void Change(BufferIndex b, bool starts) {
    if (problem_.alignment_of(b) < granule_) return;
    const Bytes whole = AlignUp(problem_.size[b], granule_);
    const Bytes padding = whole - problem_.size[b];
    if (starts) {
      load_ += whole;
      padding_.insert(padding);
    } else {
      load_ -= whole;
      padding_.erase(padding_.find(padding));
    }
  }
  Bytes bound() const { return padding_.empty() ? 0 : first_ + load_ - *padding_.rbegin(); }

 private:
  const Problem& problem_;
  Bytes granule_;
  Bytes first_;
  Bytes load_ = 0;
  std::multiset<Bytes> padding_;
};

Bytes GranuleBound(const Problem& problem, const std::vector<LiveEvent>& events) {
  std::set<Bytes> granules;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.is_live(b)) granules.insert(problem.alignment_of(b));
  }
  Bytes bound = 0;
  for (const Bytes granule : granules) {
    GranuleLoad load(problem, granule);
    for (const LiveEvent& event : events) {
      load.Change(event.buffer, event.starts);
      if (event.starts) bound = std::max(bound, load.bound());
    }
  }
  return bound;
}

// Sums that LargestFill may make for one bound: a share of a second.
constexpr int64_t kFillWork = 20'000'000;

// The largest sum of some of `sizes` that is at most `room`; `room` itself
// where finding it would take long, or `work_left` is used up.
Bytes LargestFill(const std::vector<Bytes>& sizes, Bytes room, int64_t* work_left) {
  constexpr size_t kMostSums = 4096;
  std::vector<Bytes> sums{0};  // rising
  std::vector<Bytes> grown;
  std::vector<Bytes> next;
  for (const Bytes size : sizes) {
    if (sums.back() == room || *work_left <= 0) return room;
    *work_left -= size > room ? 1 : static_cast<int64_t>(sums.size());
    if (size > room) continue;
    grown.clear();
    for (const Bytes sum : sums) {
      if (sum + size <= room) grown.push_back(sum + size);
    }
    next.clear();
    std::set_union(sums.begin(), sums.end(), grown.begin(), grown.end(), std::back_inserter(next));
    if (next.size() > kMostSums) return room;
    sums.swap(next);
  }
  return sums.back();
}

// The free buffers of a set that all exclude each other lie in the gaps between
// base and the set's pinned ones, or above all of these. A gap holds at most
// the largest sum of sizes that fits it.
Bytes PinnedBound(const Problem& problem, const std::vector<BufferIndex>& set, int64_t* fill_work) {
  std::vector<std::pair<Bytes, Bytes>> taken;
  std::vector<Bytes> sizes;
  Bytes rest = 0;
  for (const BufferIndex b : set) {
    const Bytes pin = problem.pin_of(b);
    if (pin == kNoBytes) {
      sizes.push_back(problem.size[b]);
      rest += problem.size[b];
    } else {
      taken.emplace_back(pin, pin + problem.size[b]);
    }
  }
  SortRows(&taken);
  Bytes top = problem.base;
  for (const auto& [from, to] : taken) {
    if (from > top) rest -= LargestFill(sizes, from - top, fill_work);
    top = std::max(top, to);
  }
  return top + std::max<Bytes>(0, rest);
}

Bytes PinnedSweep(const Problem& problem, const std::vector<LiveEvent>& events) {
  // Sets and subset sums cost more than a sweep; a share of a second at most.
  int64_t work_left = 50'000'000;
  int64_t fill_work = kFillWork;
  std::set<BufferIndex> live;
  int32_t pinned = 0;
  bool grown = false;
  Bytes bound = 0;
  for (const LiveEvent& event : events) {
    const int32_t pins = problem.pin_of(event.buffer) != kNoBytes;
    if (event.starts) {
      live.insert(event.buffer);
      pinned += pins;
      grown = true;
      continue;
    }
    if (grown && pinned > 0 && work_left > 0) {
      work_left -= static_cast<int64_t>(live.size()) * 4096;
      bound = std::max(bound, PinnedBound(problem, {live.begin(), live.end()}, &fill_work));
    }
    grown = false;
    live.erase(event.buffer);
    pinned -= pins;
  }
  return bound;
}

// Grows sets that exclude each other around each extra conflict, larger
// buffers first.
Bytes ConflictBound(const Problem& problem) {
  int64_t work_left = 20'000'000;
  int64_t fill_work = kFillWork;
  Bytes bound = 0;
  for (const auto& [a, b] : problem.conflicts) {
    if (!problem.is_live(a) || !problem.is_live(b)) continue;
    if (work_left <= 0) break;
    std::vector<BufferIndex> set{a, b};
    std::vector<BufferIndex> open;
    for (BufferIndex c = 0; c < problem.count(); ++c) {
      if (Conflicts(problem, a, c) && Conflicts(problem, b, c)) open.push_back(c);
    }
    work_left -= 2 * int64_t{problem.count()};
    SortRows(&open,
             [&](BufferIndex x, BufferIndex y) { return problem.size[x] > problem.size[y]; });
    while (!open.empty() && work_left > 0) {
      const BufferIndex taken = open.front();
      set.push_back(taken);
      work_left -= static_cast<int64_t>(open.size());
      std::erase_if(open, [&](BufferIndex c) { return !Conflicts(problem, taken, c); });
    }
    bound = std::max(bound, PinnedBound(problem, set, &fill_work));
  }
  return bound;
}

// True where one alignment holds for all and wastes nothing: the commonest case
// by far, and max live is all there is to know.
bool AllWhole(const Problem& problem) {
  return problem.alignment.empty() &&
         std::all_of(problem.size.begin(), problem.size.end(),
                     [&](Bytes size) { return size % problem.uniform_alignment == 0; });
}

}  // namespace

Result<Bytes> LowerBound(const Problem& problem) {
  const Result<MaxLive> live = ComputeMaxLive(problem);
  if (!live) return tl::unexpected<Error>(live.error());
  Bytes bound = live->bytes;
  if (bound == problem.base || problem.count() == 0) return bound;  // nothing is live
  const bool pinned = !problem.pin.empty();
  if (!pinned && problem.conflicts.empty() && AllWhole(problem)) {
    return bound + AlignUp(problem.base, problem.uniform_alignment) - problem.base;
  }
  const std::vector<LiveEvent> events = LiveEvents(problem);
  bound = std::max(bound, GranuleBound(problem, events));
  if (pinned) bound = std::max(bound, PinnedSweep(problem, events));
  return std::max(bound, ConflictBound(problem));
}

}  // namespace memplan
